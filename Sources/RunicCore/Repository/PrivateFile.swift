import CanonicalJSON
import ObjectStore

/// The files that only this device reads: small, 0600 from the moment they exist, replaced as a whole.
struct PrivateFiles {
  let layout: RepositoryLayout
  let environment: Environment

  static let limit = 16 << 20

  func write(_ bytes: [UInt8], to path: String) throws {
    let temporary = "\(layout.temporary)/\(Hexadecimal.encode(environment.random.bytes(8)))"
    try environment.fileSystem.writeDurably(bytes, to: path, by: temporary, permissions: 0o600)
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
    try write(JSONValue.object(object).canonicalBytes + [UInt8(ascii: "\n")], to: path)
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
      text.split(separator: UInt8(ascii: "\n")).map { Self.key(in: $0, of: repository) }
    }
    guard let first = keys.first ?? nil, !keys.contains(where: { $0 == nil }) else {
      throw RunicError.badPrivateFile(path: path)
    }
    return RepositoryKeys(first).adding(keys.dropFirst().compactMap { $0 })
  }

  private static func key(in line: Slice<UnsafeRawBufferPointer>, of repository: RepositoryID)
    -> RepositoryKey?
  {
    let words = line.split(separator: UInt8(ascii: " "))
    guard let digits = words.last, words.count <= 2,
      let number = words.count == 1 ? 1 : Int64(String(decoding: words[0], as: UTF8.self)),
      var root = Hexadecimal.decode(String(decoding: digits, as: UTF8.self))
    else { return nil }
    return try? RepositoryKey(root: SecretBytes(taking: &root), number: number, repository: repository)
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
