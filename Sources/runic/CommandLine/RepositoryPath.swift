import RunicCore

/// Where the repository of a run lies.
enum RepositoryPath {
  /// `--repo`, else `RUNIC_REPO`, else `$XDG_DATA_HOME/runic`, else `~/.local/share/runic`.
  ///
  /// A relative `XDG_DATA_HOME` is ignored, as the XDG specification asks.
  static func path(of invocation: Invocation, environment: Environment) throws(CommandFailure) -> String {
    if let path = invocation.flag("--repo") {
      if path.isEmpty { throw .usage("--repo is empty", hint: "name a folder, or leave it out") }
      return path
    }
    guard let path = RepositoryLocation.standard(environment.nonEmpty) else {
      throw .failed("HOME is not set", hint: "name the repository: --repo DIR, or RUNIC_REPO")
    }
    return path
  }
}
