import ObjectStore

/// Where the repository lies that nobody named (`docs/library.md`).
public enum RepositoryLocation {
  /// `RUNIC_REPO`, else `$XDG_DATA_HOME/runic`, else `~/.local/share/runic`; nil where not even `HOME` is set.
  ///
  /// A relative `XDG_DATA_HOME` is ignored, as the XDG specification asks.
  ///
  /// - Parameter variable: the value of an environment variable.
  public static func standard(
    _ variable: (String) -> String? = { ProcessEnvironment.value($0) }
  ) -> String? {
    func value(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
    if let path = value("RUNIC_REPO") { return path }
    if let data = value("XDG_DATA_HOME"), data.utf8.first == UInt8(ascii: "/") { return data + "/runic" }
    return value("HOME").map { $0 + "/.local/share/runic" }
  }
}
