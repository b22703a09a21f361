import CanonicalJSON

/// What a key file is called: the number and the id of the key that it brings in.
public struct KeyFileName: Hashable, Comparable, Sendable {
  public let number: Int64
  public let key: KeyID

  public init(number: Int64, key: KeyID) {
    self.number = number
    self.key = key
  }

  public static func < (a: Self, b: Self) -> Bool { (a.number, a.key) < (b.number, b.key) }
}

/// `keys/<number>-<key>.json`: says that a key was added, and holds all older ones, sealed under it
/// (`docs/format.md`, "Key files"). Whoever has the key has them all.
public struct KeyFile: Sendable {
  public let name: KeyFileName
  public let repository: RepositoryID
  private let nonce: [UInt8]
  private let sealed: [UInt8]

  /// A key that lies in the file: its number and the key.
  private static let entryLength = 8 + RepositoryKey.byteCount
  /// How many older keys a file may hold: rotated every day, that is more than a year.
  public static let limit = 512

  /// Seals the keys that a device holds under a new one.
  ///
  /// - Throws: `FormatError.length` where there are more than `limit`; `.content` where one of them does not come before
  ///   the new key, which no reader would open.
  public init(adding key: RepositoryKey, to keys: RepositoryKeys, random: RandomSource) throws {
    guard keys.all.count <= Self.limit else { throw FormatError.length }
    guard keys.newest.number < key.number else { throw FormatError.content("number") }
    try self.init(sealing: keys, under: key, random: random)
  }

  /// The same whatever the keys' numbers are.
  init(sealing keys: RepositoryKeys, under key: RepositoryKey, random: RandomSource) throws {
    name = KeyFileName(number: key.number, key: key.id)
    repository = keys.repository
    nonce = random.bytes(SealedHeader.nonceLength)
    var body: [UInt8] = []
    // Sealed where it lies, so that no copy of a key stays behind.
    body.reserveCapacity(keys.all.count * Self.entryLength + SealedHeader.tagLength)
    for older in keys.all {
      body.appendBigEndian(UInt64(bitPattern: older.number))
      older.root.withUnsafeBytes { body.append(contentsOf: $0) }
    }
    try key.keyFileCipher().seal(
      inPlace: &body, from: 0, nonce: nonce, associatedData: Self.associatedData(repository, name))
    sealed = body
  }

  /// Reads a file. What it holds is not known before its key opens it.
  public init(decoding bytes: [UInt8], name: KeyFileName) throws(FormatError) {
    let object = try JSONObject(smallFile: bytes)
    func binary(_ member: JSONString) -> [UInt8]? {
      object[member]?.textValue.flatMap { Hexadecimal.decode($0) }
    }
    guard object["keyID"]?.textValue == name.key.hex, object["number"]?.intValue == name.number,
      let repository = binary("repository").flatMap({ RepositoryID(bytes: $0) }),
      let nonce = binary("nonce"), nonce.count == SealedHeader.nonceLength, let sealed = binary("older"),
      sealed.count > SealedHeader.tagLength,
      (sealed.count - SealedHeader.tagLength).isMultiple(of: Self.entryLength)
    else { throw .content("key file") }
    self.name = name
    self.repository = repository
    self.nonce = nonce
    self.sealed = sealed
  }

  /// The whole file.
  public var bytes: [UInt8] {
    func hex(_ bytes: [UInt8]) -> JSONValue { .string(JSONString(Hexadecimal.encode(bytes))) }
    let object: JSONObject = [
      "format": .integer(Int64(SealedHeader.formatVersion)), "keyID": hex(name.key.bytes),
      "nonce": hex(nonce), "number": .integer(name.number), "older": hex(sealed),
      "repository": hex(repository.bytes),
    ]
    return JSONValue.object(object).canonicalBytes + [UInt8(ascii: "\n")]
  }

  /// The file's key and all older ones, if this is the key.
  ///
  /// - Throws: `FormatError.authentication`, also where a number in it is not below the file's.
  public func open(with root: SecretBytes) throws -> [RepositoryKey] {
    let key = try RepositoryKey(root: root, number: name.number, repository: repository)
    guard key.id == name.key else { throw FormatError.authentication }
    var body = try key.keyFileCipher().open(
      sealed, nonce: nonce, associatedData: Self.associatedData(repository, name))
    return try [key] + SecretBytes(taking: &body).withUnsafeBytes { try older($0) }
  }

  private func older(_ body: UnsafeRawBufferPointer) throws -> [RepositoryKey] {
    try stride(from: 0, to: body.count, by: Self.entryLength).map { start in
      let number = Int64(bigEndian: body.loadUnaligned(fromByteOffset: start, as: Int64.self))
      guard number >= 1, number < name.number else { throw FormatError.authentication }
      let root = UnsafeRawBufferPointer(rebasing: body[start + 8..<start + Self.entryLength])
      return try RepositoryKey(root: SecretBytes(copying: root), number: number, repository: repository)
    }
  }

  private static func associatedData(_ repository: RepositoryID, _ name: KeyFileName) -> [UInt8] {
    var data = Array("runic/1 key file\n".utf8) + repository.bytes
    data.appendBigEndian(UInt64(bitPattern: name.number))
    return data + name.key.bytes
  }
}
