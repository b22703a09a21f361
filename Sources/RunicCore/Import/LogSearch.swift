import ObjectStore

/// Where logs are looked for: the user's home, variables and files; and the zone in which the tools there tell days.
public final class LogSearch {
  public let fileSystem: any FileSystem
  let zone: ZoneRules
  private let variables: (String) -> String?
  /// Folders that could not be read, and links that are not followed.
  private(set) var skipped: [(skip: ImportSkip, path: String)] = []

  /// - Parameter variables: of the environment, `HOME` among them.
  public init(
    fileSystem: any FileSystem, zone: ZoneRules = .utc, variables: @escaping (String) -> String?
  ) {
    self.fileSystem = fileSystem
    self.zone = zone
    self.variables = variables
  }

  /// A variable's value; nil where it is not set or empty.
  public func variable(_ name: String) -> String? { variables(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// A path below the user's home; nil where nobody knows the home.
  public func home(_ path: String) -> String? { variable("HOME").map { "\($0)/\(path)" } }

  /// The value of a variable, or a path below the home.
  public func folder(_ name: String, orHome path: String) -> String? { variable(name) ?? home(path) }

  // MARK: - Walking

  /// The files below a folder whose names pass, in the order of their paths; none where there is no folder.
  ///
  /// - Parameter depth: how many folders may lie between; nil for any number.
  public func files(
    below folder: String, depth: Int? = nil, _ accepts: (Substring) -> Bool
  ) -> [String] {
    var found: [String] = []
    var pending: [(path: String, depth: Int)] = [(folder, 0)]
    while let next = pending.popLast() {
      for entry in entries(of: next.path, isRoot: next.depth == 0) {
        let path = "\(next.path)/\(entry.name)"
        switch entry.type {
        case .file where accepts(entry.name[...]): found.append(path)
        case .directory where next.depth < depth ?? .max: pending.append((path, next.depth + 1))
        case .symbolicLink
        where accepts(entry.name[...]) || next.depth < depth ?? .max && leadsToFolder(path):
          skipped.append((.symbolicLink, path))
        default: break
        }
      }
    }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The folders directly in a folder.
  public func folders(in folder: String) -> [String] {
    entries(of: folder, isRoot: true).filter { $0.type == .directory }.map { "\(folder)/\($0.name)" }.sorted()
  }

  private func leadsToFolder(_ link: String) -> Bool { (try? fileSystem.list(link)) != nil }

  private func entries(of folder: String, isRoot: Bool) -> [DirectoryEntry] {
    do throws(SystemError) {
      return try fileSystem.list(folder)
    } catch {
      if !error.isMissing { skipped.append((.unreadable(code: error.code), folder)) }
      if error.isMissing, !isRoot { skipped.append((.vanished, folder)) }
      return []
    }
  }
}
