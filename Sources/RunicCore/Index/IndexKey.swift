import ObjectStore

/// The keys of the index's table; the first byte names the sort. The index is derived: this is nobody's format
/// but this version's.
enum IndexKey {
  static let history = UInt8(ascii: "h")
  static let keyed = UInt8(ascii: "k")
  static let commit = UInt8(ascii: "c")
  static let conflict = UInt8(ascii: "x")
  static let log = UInt8(ascii: "d")
  static let seenHead = UInt8(ascii: "s")

  /// A record: sort, kind, a zero byte, id. An id of 64 hexadecimal digits, as fingerprints are, takes half.
  static func record(_ name: RecordName) -> [UInt8] {
    var key: [UInt8] = []
    append(name, to: &key)
    return key
  }

  /// Appends a record's key to what stands before it.
  static func append(_ name: RecordName, to key: inout [UInt8]) {
    append(name.kind, name.family, to: &key)
    if let digest = Digest(hexDigits: name.id) {
      key.append(packedID)
      digest.withUnsafeBytes { key.append(contentsOf: $0) }
    } else {
      key.append(plainID)
      key += name.id
    }
  }

  /// What every record of a kind begins with.
  static func kind(_ kind: String, _ family: Family) -> [UInt8] {
    var key: [UInt8] = []
    append(kind, family, to: &key)
    return key
  }

  private static func append(_ kind: String, _ family: Family, to key: inout [UInt8]) {
    key.append(family == .history ? history : keyed)
    key += kind.utf8
    key.append(0)
  }

  /// What the declarations of kinds begin with.
  static let declarations = kind(BuiltInName.kind, .keys)

  /// Reads a record's key; nil where it is none.
  static func name(_ key: some RandomAccessCollection<UInt8>) -> RecordName? {
    guard let sort = key.first, sort == history || sort == keyed else { return nil }
    let rest = key.dropFirst()
    guard let zero = rest.firstIndex(of: 0) else { return nil }
    let kind = String(decoding: rest[..<zero], as: UTF8.self)
    let id = rest[zero...].dropFirst()
    guard let form = id.first else { return nil }
    let bytes = Array(id.dropFirst())
    let family: Family = sort == history ? .history : .keys
    guard form == packedID else { return RecordName(family: family, kind: kind, id: bytes) }
    return RecordName(family: family, kind: kind, id: Array(Hexadecimal.encode(bytes).utf8))
  }

  private static let packedID: UInt8 = 1
  private static let plainID: UInt8 = 2

  static func commit(_ hash: Digest) -> [UInt8] { [commit] + hash.bytes }
  static func conflict(_ name: RecordName) -> [UInt8] { [conflict] + record(name) }
  static func log(_ device: DeviceID) -> [UInt8] { [log] + device.bytes }
  static func seen(_ head: HeadName) -> [UInt8] { [seenHead] + Array(TreeName.head(head).name.utf8) }
}

extension Digest {
  /// From the 64 lower-case hexadecimal digits of an id.
  init?(hexDigits text: [UInt8]) {
    guard text.count == 64 else { return nil }
    guard let digest = text.withUnsafeBytes({ Digest(hexDigits: $0) }) else { return nil }
    self = digest
  }
}
