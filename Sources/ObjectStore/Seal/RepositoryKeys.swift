/// The keys of a repository: one for each purpose, all derived from the repository key by HKDF-SHA256 with the
/// repository's id as salt (`docs/format.md`, "Keys").
public struct RepositoryKeys: Sendable {
  public let repository: RepositoryID
  /// Names the repository key without telling anything of it.
  public let id: KeyID
  /// The repository key itself, for slots and `key export`.
  public let root: SecretBytes
  private let nonce: SecretBytes
  private let check: SecretBytes
  private let object: XAES256GCM
  private let head: XAES256GCM

  public init(root: SecretBytes, repository: RepositoryID) throws {
    func derive(_ label: String, _ length: Int = 32) throws -> SecretBytes {
      try HKDF.deriveKey(
        from: root, salt: repository.bytes, info: Array("runic/1 \(label)".utf8), length: length)
    }
    guard root.count == 32 else { throw KeyDerivationError.invalidParameters }
    self.root = root
    self.repository = repository
    id = try derive("key id", 16).withUnsafeBytes { KeyID(exactly: $0) }
    nonce = try derive("nonce")
    check = try derive("key check")
    object = try XAES256GCM(key: try derive("object"))
    head = try XAES256GCM(key: try derive("head"))
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

  /// The first 24 bytes of HMAC(nonce key, 32 random bytes, associated data, SHA-256 of the body): a cloned
  /// machine whose random source repeats itself still gets another nonce for another body.
  func nonce(for body: [UInt8], associatedData: [UInt8], random: RandomSource) -> [UInt8] {
    let message = random.bytes(32) + associatedData + SHA256.hash(body).bytes
    return Array(HMACSHA256.authenticate(message, key: nonce).bytes.prefix(SealedHeader.nonceLength))
  }
}
