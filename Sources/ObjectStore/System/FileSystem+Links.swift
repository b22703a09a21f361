// Where a path leads.

extension FileSystem {
  /// The path with every link in it followed, and without `.` and `..`; what is missing on the way stays as it is.
  ///
  /// - Complexity: one `lstat` for each name in it.
  public func resolved(_ path: String) throws(SystemError) -> String {
    if path.isEmpty { return path }
    var isAbsolute = path.utf8.first == UInt8(ascii: "/")
    var rest = Array(Self.names(in: path).reversed())
    var found: [String] = []
    var links = 0
    while let name = rest.popLast() {
      if name == "." { continue }
      if name == ".." {
        if found.isEmpty || found.last == ".." {
          if !isAbsolute { found.append(name) }
        } else {
          found.removeLast()
        }
        continue
      }
      let place = Self.path(found + [name], isAbsolute: isAbsolute)
      guard try status(place)?.type == .symbolicLink else {
        found.append(name)
        continue
      }
      links += 1
      guard links <= Self.mostLinks else { throw SystemError.tooManyLinks(path) }
      let target = try readLink(place)
      if target.utf8.first == UInt8(ascii: "/") { (found, isAbsolute) = ([], true) }
      rest += Self.names(in: target).reversed()
    }
    return Self.path(found, isAbsolute: isAbsolute)
  }

  /// As many as Linux follows in one path.
  private static var mostLinks: Int { 40 }

  private static func names(in path: String) -> [String] {
    path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
  }

  private static func path(_ names: [String], isAbsolute: Bool) -> String {
    let joined = names.joined(separator: "/")
    return isAbsolute ? "/\(joined)" : joined.isEmpty ? "." : joined
  }
}
