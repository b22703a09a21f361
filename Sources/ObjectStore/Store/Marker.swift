import CanonicalJSON

/// `runic.json`: says that a place is a runic repository, and which (`docs/format.md`, "The marker").
public struct Marker: Equatable, Sendable {
  public let repository: RepositoryID
  public let key: KeyID
  /// HMAC over the rest of the marker.
  public let keyCheck: Digest
  /// The canonical bytes of all but the key check.
  private let rest: [UInt8]
  /// The whole file.
  public let bytes: [UInt8]

  /// Stands for a file that is longer than a marker may be, and is not read: damage, as decoding it says.
  static let overlong = [UInt8](repeating: 0, count: Limits.smallFile + 1)

  /// Makes the marker of a repository that begins with a key.
  public init(key: RepositoryKey) {
    let object: JSONObject = [
      "format": .integer(Int64(SealedHeader.formatVersion)),
      "keyID": .string(JSONString(key.id.hex)),
      "repository": .string(JSONString(key.repository.hex)),
    ]
    self.init(
      object, repository: key.repository, key: key.id,
      keyCheck: key.keyCheck(of: JSONValue.object(object).canonicalBytes))
  }

  public init(decoding bytes: [UInt8]) throws(FormatError) {
    var object = try JSONObject(smallFile: bytes)
    guard let repository = object["repository"]?.textValue.flatMap({ RepositoryID(hex: $0) }),
      let key = object["keyID"]?.textValue.flatMap({ KeyID(hex: $0) }),
      let check = object["keyCheck"]?.textValue.flatMap({ Digest(hex: $0) })
    else { throw .content("marker") }
    object["keyCheck"] = nil
    self.init(object, repository: repository, key: key, keyCheck: check)
  }

  private init(_ rest: JSONObject, repository: RepositoryID, key: KeyID, keyCheck: Digest) {
    self.repository = repository
    self.key = key
    self.keyCheck = keyCheck
    self.rest = JSONValue.object(rest).canonicalBytes
    var whole = rest
    whole["keyCheck"] = .string(JSONString(keyCheck.hex))
    bytes = JSONValue.object(whole).canonicalBytes + [UInt8(ascii: "\n")]
  }

  /// Whether among these keys is the one that the marker's repository began with.
  public func accepts(_ keys: RepositoryKeys) -> Bool {
    guard keys.repository == repository, let first = keys[key], first.number == 1 else { return false }
    return constantTimeEqual(first.keyCheck(of: rest).bytes, keyCheck.bytes)
  }
}
