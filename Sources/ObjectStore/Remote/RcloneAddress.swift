/// The address of a tree that rclone reaches: `rclone:NAME:path`, taken literally (`docs/remotes.md`).
public struct RcloneAddress: Hashable, Sendable {
  /// A remote of rclone's own configuration.
  public let name: String
  /// Below it; empty for all of it.
  public let path: String

  static let scheme = "rclone:"

  /// Reads an address; nil for one of another sort, or one that no program should be given.
  public init?(_ address: String) {
    guard address.utf8.starts(with: Self.scheme.utf8) else { return nil }
    let rest = address[Self.scheme.endIndex...]
    guard let colon = rest.firstIndex(of: ":") else { return nil }
    name = String(rest[..<colon])
    var folder = rest[colon...].dropFirst()
    while folder.utf8.count > 1, folder.hasSuffix("/") { folder = folder.dropLast() }
    path = String(folder)
    guard Self.isName(name), !path.utf8.contains(0), !path.utf8.contains(0x0a) else { return nil }
  }

  /// Neither an option, nor one of rclone's connection strings, which may name any program to be run.
  private static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, first != UInt8(ascii: "-"), first != UInt8(ascii: " ") else {
      return false
    }
    return name.unicodeScalars.allSatisfy { scalar in
      scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
        || "_-.+@ ".unicodeScalars.contains(scalar)
    }
  }

  /// The argument that names what would lie beside a repository's own tree; nil for an address that is none.
  func beside(_ file: String) -> String? {
    guard let folder = WorkingPlace.folder(above: path) else { return nil }
    return folder.isEmpty || folder == "/" ? "\(name):\(folder)\(file)" : "\(name):\(folder)/\(file)"
  }

  /// The argument that names a folder of the tree to rclone.
  func argument(_ folder: String = "") -> String {
    if folder.isEmpty { return "\(name):\(path)" }
    return path.isEmpty || path.hasSuffix("/") ? "\(name):\(path)\(folder)" : "\(name):\(path)/\(folder)"
  }
}
