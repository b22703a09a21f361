import CanonicalJSON
import ObjectStore

/// Records made with `--local`: work in progress that is never synced until it is promoted.
///
/// One private file of JSON lines: `{"family","id","kind","payload","time"}`.
struct LocalRecords {
  private let repository: Repository
  private var records: [RecordName: (payload: JSONObject, time: Int64)] = [:]

  var isEmpty: Bool { records.isEmpty }

  init(repository: Repository) throws {
    self.repository = repository
    let path = repository.layout.localRecords
    guard try repository.environment.fileSystem.status(path) != nil, let bytes = try repository.files.read(path)
    else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let object = (try? JSONValue.parse(line))?.objectValue,
        let family = object["family"]?.textValue.flatMap(Family.init(name:)),
        let kind = object["kind"]?.textValue, let id = object["id"]?.stringValue,
        let payload = object["payload"]?.objectValue, let time = object["time"]?.intValue
      else { throw RunicError.badPrivateFile(path: path) }
      records[RecordName(family: family, kind: kind, id: id.utf8)] = (payload, time)
    }
  }

  func payload(of name: RecordName) -> JSONObject? { records[name]?.payload }

  func names(of kind: String, _ family: Family) -> Set<RecordName> {
    Set(records.keys.filter { $0.kind == kind && $0.family == family })
  }

  func view(of name: RecordName) -> RecordView? {
    guard let record = records[name] else { return nil }
    return RecordView(
      name: name, payload: record.payload.canonicalBytes, device: repository.deviceID,
      deviceName: repository.deviceName, stamp: Stamp(milliseconds: record.time), time: record.time,
      isLocal: true)
  }

  mutating func set(_ name: RecordName, to payload: JSONObject, time: Int64) {
    records[name] = (payload, time)
  }

  mutating func remove(_ name: RecordName) { records[name] = nil }

  /// Makes the records last.
  func save() throws {
    let fileSystem = repository.environment.fileSystem
    try fileSystem.makeDirectories(repository.layout.local, permissions: 0o700)
    var bytes: [UInt8] = []
    for (name, record) in records.sorted(by: { $0.key.id.lexicographicallyPrecedes($1.key.id) }) {
      let line: JSONObject = [
        "family": .string(JSONString(name.family.name)), "id": .string(JSONString(utf8: name.id) ?? ""),
        "kind": .string(JSONString(name.kind)), "payload": .object(record.payload),
        "time": .integer(record.time),
      ]
      bytes += line.canonicalBytes + [UInt8(ascii: "\n")]
    }
    try repository.files.write(bytes, to: repository.layout.localRecords)
  }
}
