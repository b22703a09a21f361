import ObjectStore

/// Offers what lies in folders.
struct PathValues {
  let fileSystem: any FileSystem
  let environment: Environment
  /// More than a person looks through.
  private static let limit = 1000

  /// Names that begin as typed, with the folder as it was typed; folders go on with `/`.
  ///
  /// - Parameter root: where a path that is not absolute begins; the working directory where it is empty.
  func candidates(_ typed: String, directoriesOnly: Bool = false, root: String = "") -> [Candidate] {
    let bytes = Array(typed.utf8)
    let slash = bytes.lastIndex(of: UInt8(ascii: "/"))
    let folder = slash.map { String(decoding: bytes[...$0], as: UTF8.self) } ?? ""
    let start = slash.map { Array(bytes[($0 + 1)...]) } ?? bytes
    let entries = (try? fileSystem.list(place(of: folder, root))) ?? []
    let showsHidden = start.first == UInt8(ascii: ".")
    let fitting = entries.filter { entry in
      entry.name.utf8.starts(with: start) && (showsHidden || entry.name.utf8.first != UInt8(ascii: "."))
    }
    return fitting.sorted { $0.name < $1.name }.prefix(Self.limit).compactMap { entry in
      let isFolder = isDirectory(entry, in: place(of: folder, root))
      if directoriesOnly, !isFolder { return nil }
      return Candidate(folder + entry.name + (isFolder ? "/" : ""), isWhole: !isFolder)
    }
  }

  private func place(of folder: String, _ root: String) -> String {
    if folder.utf8.starts(with: "~/".utf8), let home = environment.nonEmpty("HOME") {
      return "\(home)/\(folder.dropFirst(2))"
    }
    if folder.utf8.first == UInt8(ascii: "/") { return folder }
    return root.isEmpty ? Session.absolute(folder.isEmpty ? "." : folder) : "\(root)/\(folder)"
  }

  private func isDirectory(_ entry: DirectoryEntry, in folder: String) -> Bool {
    switch entry.type {
    case .directory: true
    // Whether a link leads to a folder shows by looking into it.
    case .symbolicLink: (try? fileSystem.list("\(folder)/\(entry.name)")) != nil
    case .file, .other: false
    }
  }
}
