import CanonicalJSON
import ObjectStore

/// The files that only this device reads: small, 0600 from the moment they exist, replaced as a whole.
struct PrivateFiles {
  let layout: RepositoryLayout
  let environment: Environment

  static let limit = 16 << 20

  func write(_ bytes: [UInt8], to path: String) throws {
    try environment.fileSystem.writeDurably(bytes, to: path, by: temporaryPath, permissions: 0o600)
  }

  private var temporaryPath: String {
    "\(layout.temporary)/\(Hexadecimal.encode(environment.random.bytes(8)))"
  }

  func read(_ path: String) throws -> [UInt8]? {
    do throws(ReadError) {
      return try environment.fileSystem.readIfPresent(path, limit: Self.limit)
    } catch {
      if case .system(let cause) = error { throw cause }
      throw RunicError.badPrivateFile(path: path)
    }
  }

  func writeObject(_ object: JSONObject, to path: String) throws {
    try write(Self.text(object), to: path)
  }

  /// The same for what may be the former one after a power cut.
  func writeLightly(_ object: JSONObject, to path: String) throws {
    try environment.fileSystem.writeWhole(
      Self.text(object), to: path, by: temporaryPath, permissions: 0o600)
  }

  private static func text(_ object: JSONObject) -> [UInt8] {
    JSONValue.object(object).canonicalBytes + [UInt8(ascii: "\n")]
  }

  /// A file that holds one JSON object; nil where there is none.
  func readObject(_ path: String) throws -> JSONObject? {
    guard let bytes = try read(path) else { return nil }
    guard let object = (try? JSONValue.parse(bytes.withoutLineFeed))?.objectValue else {
      throw RunicError.badPrivateFile(path: path)
    }
    return object
  }

  /// A file that holds one secret as hexadecimal digits and a line feed.
  func readSecret(_ path: String, count: Int) throws -> SecretBytes? {
    guard var text = try read(path) else { return nil }
    if text.last == UInt8(ascii: "\n") { text.removeLast() }
    guard var bytes = Hexadecimal.decode(String(decoding: text, as: UTF8.self)), bytes.count == count
    else { throw RunicError.badPrivateFile(path: path) }
    return SecretBytes(taking: &bytes)
  }

  /// The repository's keys: the first as 64 digits on a line, each other behind its number and a space.
  func readKeys(of repository: RepositoryID) throws -> RepositoryKeys {
    let path = layout.repositoryKey
    guard var text = try read(path) else { throw RunicError.badPrivateFile(path: path) }
    let secret = SecretBytes(taking: &text)
    let keys = secret.withUnsafeBytes { text in
      Self.pieces(of: text, between: UInt8(ascii: "\n")).map { Self.key(in: $0, of: repository) }
    }
    guard let first = keys.first ?? nil, !keys.contains(where: { $0 == nil }) else {
      throw RunicError.badPrivateFile(path: path)
    }
    return RepositoryKeys(first).adding(keys.dropFirst().compactMap { $0 })
  }

  /// Reads a line where it stands: no copy of a key is left behind.
  private static func key(in line: UnsafeRawBufferPointer, of repository: RepositoryID) -> RepositoryKey? {
    let words = pieces(of: line, between: UInt8(ascii: " "))
    guard let digits = words.last, words.count <= 2,
      let number = words.count == 1 ? 1 : Int64(String(decoding: words[0], as: UTF8.self)),
      var root = Hexadecimal.decode(digits)
    else { return nil }
    return try? RepositoryKey(root: SecretBytes(taking: &root), number: number, repository: repository)
  }

  /// What stands between the marks, without what is empty.
  private static func pieces(
    of text: UnsafeRawBufferPointer, between mark: UInt8
  ) -> [UnsafeRawBufferPointer] {
    var pieces: [UnsafeRawBufferPointer] = []
    var start = 0
    for end in 0...text.count where end == text.count || text[end] == mark {
      if start < end { pieces.append(UnsafeRawBufferPointer(rebasing: text[start..<end])) }
      start = end + 1
    }
    return pieces
  }

  func writeKeys(_ keys: RepositoryKeys) throws {
    var text: [UInt8] = []
    for key in keys.all {
      if key.number > 1 { text += Array("\(key.number) ".utf8) }
      text += Array(key.root.withUnsafeBytes { Hexadecimal.encode($0) }.utf8) + [UInt8(ascii: "\n")]
    }
    try write(text, to: layout.repositoryKey)
  }

  func writeSecret(_ secret: SecretBytes, to path: String) throws {
    let text = secret.withUnsafeBytes { Hexadecimal.encode($0) }
    try write(Array("\(text)\n".utf8), to: path)
  }
}
