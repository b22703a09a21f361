import CanonicalJSON
import ObjectStore

/// The files that only this device reads: small, 0600 from the moment they exist, replaced as a whole.
struct PrivateFiles {
  let layout: RepositoryLayout
  let environment: Environment

  /// What is read of one.
  static let limit = 16 << 20
  /// What is read may be a payload, or a value of one, with this many arrays and objects around it.
  static let nesting = JSONLimits.nesting + 4

  /// The local copy of the shared tree.
  var store: Store {
    Store(
      root: layout.store, temporary: layout.temporary, fileSystem: environment.fileSystem,
      random: environment.random, heads: environment.heads)
  }

  /// - Parameter temporary: where the file is made; nil for a place that whoever holds the repository's lock may clean.
  /// - Throws: `RunicError.tooLarge` rather than write what could not be read again.
  func write(
    _ bytes: [UInt8], to path: String, by temporary: String? = nil, limit: Int = Self.limit
  ) throws {
    try Self.requireRoom(for: bytes, at: path, limit: limit)
    try environment.fileSystem.writeDurably(
      bytes, to: path, by: temporary ?? temporaryPath, permissions: 0o600)
  }

  private static func requireRoom(
    for bytes: [UInt8], at path: String, limit: Int = Self.limit
  ) throws(RunicError) {
    guard bytes.count <= limit else { throw .tooLarge(what: "private file '\(path)'", limit: limit) }
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

  /// - Throws: `RunicError.tooLarge`, `.badPayload` for too much nesting.
  func writeObject(_ object: JSONObject, to path: String, by temporary: String? = nil) throws {
    try write(Self.text(object), to: path, by: temporary)
  }

  /// The same for what may be the former one after a power cut.
  func writeLightly(_ object: JSONObject, to path: String) throws {
    let text = try Self.text(object)
    try Self.requireRoom(for: text, at: path)
    try environment.fileSystem.writeWhole(text, to: path, by: temporaryPath, permissions: 0o600)
  }

  private static func text(_ object: JSONObject) throws -> [UInt8] {
    let text = object.canonicalBytes
    do throws(JSONError) { try JSONLimits.requireNesting(of: text[...], atMost: nesting) } catch {
      throw RunicError.badPayload(error)
    }
    return text + [UInt8(ascii: "\n")]
  }

  /// A file that holds one JSON object; nil where there is none.
  func readObject(_ path: String) throws -> JSONObject? {
    guard let bytes = try read(path) else { return nil }
    guard
      let object = (try? JSONValue.parse(bytes.withoutLineFeed, maximumNesting: Self.nesting))?.objectValue
    else {
      throw RunicError.badPrivateFile(path: path)
    }
    return object
  }

  // MARK: - Secrets

  /// A file that holds one secret as hexadecimal digits and a line feed.
  func readSecret(_ path: String, count: Int) throws -> SecretBytes? {
    guard var text = try read(path) else { return nil }
    guard let secret = SecretBytes(takingLine: &text), secret.count == count else {
      throw RunicError.badPrivateFile(path: path)
    }
    return secret
  }

  /// The repository's keys: the first as 64 digits on a line, each other behind its number and a space.
  func readKeys(of repository: RepositoryID) throws -> RepositoryKeys {
    do { return try readKeys(of: repository, at: layout.repositoryKey) } catch {
      // It waits there while a command that is to stand in for it is tried.
      guard let waiting = try? readKeys(of: repository, at: layout.formerKey) else { throw error }
      return waiting
    }
  }

  func readKeys(of repository: RepositoryID, at path: String) throws -> RepositoryKeys {
    let found: [UInt8]?
    do { found = try read(path) } catch RunicError.badPrivateFile { throw RunicError.badKeyFile(path: path) }
    guard var text = found, let keys = Self.keys(in: &text, of: repository), let first = keys.first else {
      throw RunicError.badKeyFile(path: path)
    }
    return RepositoryKeys(first).adding(keys.dropFirst())
  }

  /// The keys of such a file's text, which is wiped; nil where it is none.
  static func keys(in text: inout [UInt8], of repository: RepositoryID) -> [RepositoryKey]? {
    let secret = SecretBytes(taking: &text)
    let keys = secret.withUnsafeBytes { text in
      pieces(of: text, between: UInt8(ascii: "\n")).map { key(in: $0, of: repository) }
    }
    return keys.isEmpty || keys.contains { $0 == nil } ? nil : keys.compactMap { $0 }
  }

  /// Reads a line where it stands: no copy of a key is left behind.
  private static func key(in line: UnsafeRawBufferPointer, of repository: RepositoryID) -> RepositoryKey? {
    let words = pieces(of: line, between: UInt8(ascii: " "))
    guard let digits = words.last, words.count <= 2,
      let number = words.count == 1 ? 1 : Int64(String(decoding: words[0], as: UTF8.self)),
      let root = SecretBytes(hexDigits: digits)
    else { return nil }
    return try? RepositoryKey(root: root, number: number, repository: repository)
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
    try write(
      to: layout.repositoryKey, lines: keys.all.map { (prefix: Self.prefix(of: $0), secret: $0.root) })
  }

  private static func prefix(of key: RepositoryKey) -> String { key.number > 1 ? "\(key.number) " : "" }

  func writeSecret(_ secret: SecretBytes, to path: String) throws {
    try write(to: path, lines: [(prefix: "", secret: secret)])
  }

  /// Writes the digits of secrets. The text is made where it stays, and wiped: no copy is left behind.
  private func write(to path: String, lines: [(prefix: String, secret: SecretBytes)]) throws {
    var text: [UInt8] = []
    text.reserveCapacity(lines.reduce(0) { $0 + $1.prefix.utf8.count + 2 * $1.secret.count + 1 })
    defer { _ = SecretBytes(taking: &text) }
    for (prefix, secret) in lines {
      text += prefix.utf8
      secret.withUnsafeBytes { Hexadecimal.encode($0, appendingTo: &text) }
      text.append(UInt8(ascii: "\n"))
    }
    try write(text, to: path)
  }
}

extension SecretBytes {
  /// The secret whose hexadecimal digits stand on a line, with or without its line feed; nil for anything else.
  ///
  /// - Parameter line: wiped.
  init?(takingLine line: inout [UInt8]) {
    let line = SecretBytes(taking: &line)
    let secret = line.withUnsafeBytes { text in
      let digits = text.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
      return SecretBytes(hexDigits: UnsafeRawBufferPointer(rebasing: digits))
    }
    guard let secret else { return nil }
    self = secret
  }
}
