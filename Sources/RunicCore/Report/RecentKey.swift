import ObjectStore

// Requests and quota readings of late, by time: what a status line asks for every few seconds must not walk over all
// there ever were. Only what is at most two days old when it is applied gets such an entry, so an import of old logs
// pays for a look at the time and no more; what happened today is at most a day old whenever it is applied.
extension BuiltInName {
  /// The field that says when a reading or a request was made; nil for kinds whose records do not say.
  package static func timeField(of kind: String) -> StaticString? {
    switch kind {
    case request: "occurredAt"
    case usage: "updatedAt"
    default: nil
    }
  }
}

extension IndexKey {
  static let recent = UInt8(ascii: "t")
  static let recentSeconds: Int64 = 2 * 86_400

  /// Sort, kind, a zero byte, the seconds since 1970 (so that they sort), then the record's key after its kind.
  static func recent(_ kind: String, from seconds: Int64) -> [UInt8] {
    var key = [recent]
    key += kind.utf8
    key.append(0)
    withUnsafeBytes(of: (UInt64(bitPattern: seconds) ^ 1 << 63).bigEndian) { key.append(contentsOf: $0) }
    return key
  }

  static func recent(_ name: RecordName, at seconds: Int64) -> [UInt8] {
    recent(name.kind, from: seconds) + record(name).dropFirst(name.kind.utf8.count + 2)
  }

  static func recentName(_ key: [UInt8], kind: String) -> (RecordName, seconds: Int64)? {
    let begin = kind.utf8.count + 2
    guard key.count > begin + 8 else { return nil }
    let bits = key[begin..<begin + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let name = name(self.kind(kind, .history) + key[(begin + 8)...]) else { return nil }
    return (name, Int64(bitPattern: bits ^ 1 << 63))
  }

  /// The entry of a record, where it is of a kind and of a time that have one.
  static func recent(_ name: RecordName, payload: ArraySlice<UInt8>, now: Int64) -> [UInt8]? {
    guard let key = BuiltInName.timeField(of: name.kind) else { return nil }
    let time = payload.withUnsafeBytes { RequestFields.seconds(in: $0, key: key) }
    guard let time, time >= now / 1000 - recentSeconds else { return nil }
    return recent(name, at: time)
  }
}
