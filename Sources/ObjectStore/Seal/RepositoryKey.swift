/// One repository key and the keys that are derived from it, one for each purpose, by HKDF-SHA256 with the
/// repository's id as salt (`docs/format.md`, "Keys").
public struct RepositoryKey: Sendable {
  public static let byteCount = 32

  public let repository: RepositoryID
  /// 1 for the key that the repository began with; a rotation's is one more than the greatest it knew.
  public let number: Int64
  /// Names the key without telling anything of it.
  public let id: KeyID
  /// The key itself, for slots, key files and `key export`.
  public let root: SecretBytes
  private let nonce: SecretBytes
  private let check: SecretBytes
  private let object: XAES256GCM
  private let head: XAES256GCM

  /// - Throws: `KeyDerivationError.invalidParameters` for a key that is not 32 bytes or a number below 1.
  public init(root: SecretBytes, number: Int64, repository: RepositoryID) throws {
    func derive(_ label: String, _ length: Int = RepositoryKey.byteCount) throws -> SecretBytes {
      try Self.derive(label, length, from: root, of: repository)
    }
    guard root.count == Self.byteCount, number >= 1 else { throw KeyDerivationError.invalidParameters }
    self.root = root
    self.number = number
    self.repository = repository
    id = try derive("key id", 16).withUnsafeBytes { KeyID(exactly: $0) }
    nonce = try derive("nonce")
    check = try derive("key check")
    object = try XAES256GCM(key: try derive("object"))
    head = try XAES256GCM(key: try derive("head"))
  }

  private static func derive(
    _ label: String, _ length: Int, from root: SecretBytes, of repository: RepositoryID
  ) throws -> SecretBytes {
    try HKDF.deriveKey(
      from: root, salt: repository.bytes, info: Array("runic/1 \(label)".utf8), length: length)
  }

  /// HMAC over the rest of a marker: whoever has the key knows at once that it is the right one.
  public func keyCheck(of rest: [UInt8]) -> Digest {
    HMACSHA256.authenticate(rest, key: check)
  }

  func cipher(for purpose: Purpose) -> XAES256GCM {
    switch purpose {
    case .object: object
    case .head: head
    }
  }

  /// The cipher of this key's key file. Derived when asked for: no command but those on keys needs it.
  func keyFileCipher() throws -> XAES256GCM {
    try XAES256GCM(key: try Self.derive("key file", Self.byteCount, from: root, of: repository))
  }

  /// The first 24 bytes of HMAC(nonce key, 32 random bytes, associated data, SHA-256 of the body): a cloned
  /// machine whose random source repeats itself still gets another nonce for another body.
  func nonce(for body: [UInt8], associatedData: [UInt8], random: RandomSource) -> [UInt8] {
    let message = random.bytes(32) + associatedData + SHA256.hash(body).bytes
    return Array(HMACSHA256.authenticate(message, key: nonce).bytes.prefix(SealedHeader.nonceLength))
  }
}
