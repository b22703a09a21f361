import ObjectStore

/// SHA-256 over family, kind and the canonical bytes of a value or payload (`docs/format.md`, "Changes"): of
/// the bytes `history` or `keys`, a zero, the kind, a zero, the canonical JSON.
///
/// One instance is meant for many values: it keeps its memory.
public struct Fingerprinter: ~Copyable {
  private var hasher = SHA256.RepeatedHasher()
  private var message: [UInt8] = []

  public init() {}

  /// O(length of the value).
  public mutating func fingerprint(
    of canonical: UnsafeRawBufferPointer, family: Family, kind: String
  ) -> Digest {
    message.removeAll(keepingCapacity: true)
    message.append(contentsOf: family.name.utf8)
    message.append(0)
    message.append(contentsOf: kind.utf8)
    message.append(0)
    message.append(contentsOf: canonical)
    return hasher.hash(message)
  }

  public mutating func fingerprint(of canonical: ArraySlice<UInt8>, family: Family, kind: String) -> Digest {
    canonical.withUnsafeBytes { fingerprint(of: $0, family: family, kind: kind) }
  }
}

/// The fingerprint of a single value.
public enum Fingerprint {
  public static func of(_ canonical: ArraySlice<UInt8>, family: Family, kind: String) -> Digest {
    var fingerprinter = Fingerprinter()
    return fingerprinter.fingerprint(of: canonical, family: family, kind: kind)
  }

  public static func of(_ canonical: [UInt8], family: Family, kind: String) -> Digest {
    of(canonical[...], family: family, kind: kind)
  }
}

extension Family {
  /// The word for it in fingerprints, declarations and messages.
  public var name: String {
    switch self {
    case .history: "history"
    case .keys: "keys"
    }
  }

  public init?(name: String) {
    guard let family = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = family
  }
}
