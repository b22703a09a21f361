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
    guard let object = (try? JSONValue.parse(bytes))?.objectValue else {
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

  func writeSecret(_ secret: SecretBytes, to path: String) throws {
    let text = secret.withUnsafeBytes { Hexadecimal.encode($0) }
    try write(Array("\(text)\n".utf8), to: path)
  }
}
