import CanonicalJSON

/// `keys/<slot>.json`: the repository key, wrapped for one passphrase (`docs/format.md`, "Key slots").
public struct KeySlot: Sendable {
  /// scrypt's cost: 128 MiB of memory. Fixed, so that a hostile slot can ask for nothing else.
  public static let cost = (n: UInt64(1 << 17), r: UInt64(8), p: UInt64(1))

  /// What is thrown for a slot that comes from a passphrase by another function, or at another cost.
  public static let otherCost = FormatError.content("cost")

  public let id: SlotID
  public let repository: RepositoryID
  public let key: KeyID
  private let salt: [UInt8]
  private let nonce: [UInt8]
  private let wrapped: [UInt8]

  /// Wraps the repository key for a passphrase. Takes scrypt's time and memory.
  public init(
    wrapping key: RepositoryKey, passphrase: SecretBytes, random: RandomSource
  ) throws {
    let id = SlotID(from: random)
    self.id = id
    repository = key.repository
    self.key = key.id
    salt = random.bytes(32)
    nonce = random.bytes(SealedHeader.nonceLength)
    let cipher = try Self.cipher(passphrase: passphrase, salt: salt)
    let associatedData = Self.associatedData(key.repository, id, key.id)
    // Sealed where it lies, so that no copy of the key stays behind.
    var sealed: [UInt8] = []
    sealed.reserveCapacity(key.root.count + SealedHeader.tagLength)
    key.root.withUnsafeBytes { sealed.append(contentsOf: $0) }
    try cipher.seal(inPlace: &sealed, from: 0, nonce: nonce, associatedData: associatedData)
    wrapped = sealed
  }

  /// Reads a slot. One whose cost is not the fixed one is refused before anything is computed.
  public init(decoding bytes: [UInt8], id: SlotID) throws(FormatError) {
    let object = try JSONObject(smallFile: bytes)
    func binary(_ name: JSONString, _ count: Int) -> [UInt8]? {
      object[name]?.textValue.flatMap { Hexadecimal.decode($0) }.flatMap { $0.count == count ? $0 : nil }
    }
    guard object["kdf"]?.textValue == "scrypt", object["N"]?.intValue == Int64(Self.cost.n),
      object["r"]?.intValue == Int64(Self.cost.r), object["p"]?.intValue == Int64(Self.cost.p)
    else { throw Self.otherCost }
    guard object["slot"]?.textValue == id.hex,
      let repository = binary("repository", 16).flatMap({ RepositoryID(bytes: $0) }),
      let key = binary("keyID", 16).flatMap({ KeyID(bytes: $0) }), let salt = binary("salt", 32),
      let nonce = binary("nonce", SealedHeader.nonceLength),
      let wrapped = binary("wrapped", 32 + SealedHeader.tagLength)
    else { throw .content("slot") }
    self.id = id
    self.repository = repository
    self.key = key
    self.salt = salt
    self.nonce = nonce
    self.wrapped = wrapped
  }

  /// The whole file.
  public var bytes: [UInt8] {
    func hex(_ bytes: [UInt8]) -> JSONValue { .string(JSONString(Hexadecimal.encode(bytes))) }
    let object: JSONObject = [
      "N": .integer(Int64(Self.cost.n)), "format": .integer(Int64(SealedHeader.formatVersion)),
      "kdf": "scrypt", "keyID": hex(key.bytes), "nonce": hex(nonce), "p": .integer(Int64(Self.cost.p)),
      "r": .integer(Int64(Self.cost.r)), "repository": hex(repository.bytes), "salt": hex(salt),
      "slot": hex(id.bytes), "wrapped": hex(wrapped),
    ]
    return JSONValue.object(object).canonicalBytes + [UInt8(ascii: "\n")]
  }

  /// The repository key, if this is the passphrase. Takes scrypt's time and memory.
  public func unwrap(passphrase: SecretBytes) throws -> SecretBytes {
    var root = try Self.cipher(passphrase: passphrase, salt: salt).open(
      wrapped, nonce: nonce, associatedData: Self.associatedData(repository, id, key))
    return SecretBytes(taking: &root)
  }

  private static func cipher(passphrase: SecretBytes, salt: [UInt8]) throws -> XAES256GCM {
    try XAES256GCM(
      key: try Scrypt.deriveKey(
        passphrase: passphrase, salt: salt, cost: cost.n, blockSize: cost.r, parallelization: cost.p,
        length: 32))
  }

  private static func associatedData(_ repository: RepositoryID, _ slot: SlotID, _ key: KeyID) -> [UInt8] {
    Array("runic/1 slot\n".utf8) + repository.bytes + slot.bytes + key.bytes
  }
}
