import CanonicalJSON
import ObjectStore

/// Records made with `--local`: work in progress that is never synced until it is promoted.
///
/// Of a keyed record only what was changed is kept, so that promoting it touches nothing else. One private file
/// of JSON lines: `{"family","id","kind","payload","time","unset"}`.
struct LocalRecords {
  struct Entry: Equatable {
    /// The whole payload of a history record, the keys that are set of a keyed one.
    var payload: JSONObject
    /// The keys that are unset.
    var unset: Set<JSONString> = []
    /// Wall time of the latest change, in milliseconds.
    var time: Int64

    var patch: Patch {
      Patch(set: Dictionary(uniqueKeysWithValues: payload.map { ($0.key, $0.value) }), unset: unset)
    }
  }

  private let repository: Repository
  private var entries: [RecordName: Entry] = [:]

  init(repository: Repository) throws {
    self.repository = repository
    let path = repository.layout.localRecords
    guard try repository.environment.fileSystem.status(path) != nil else { return }
    guard let bytes = try repository.files.read(path) else { return }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      guard let (name, entry) = Self.entry(line) else { throw RunicError.badPrivateFile(path: path) }
      entries[name] = entry
    }
  }

  subscript(name: RecordName) -> Entry? {
    get { entries[name] }
    set { entries[name] = newValue }
  }

  func names(of kind: String, _ family: Family) -> Set<RecordName> {
    Set(entries.keys.filter { $0.kind == kind && $0.family == family })
  }

  /// What a local record shows, on top of what is stored of it.
  func view(of name: RecordName, over stored: RecordView?) -> RecordView? {
    guard let entry = entries[name] else { return nil }
    let payload = name.family == .keys ? entry.patch.applied(to: stored?.object ?? [:]) : entry.payload
    return RecordView(
      name: name, payload: payload.canonicalBytes, device: repository.deviceID,
      deviceName: repository.deviceName, stamp: Stamp(milliseconds: entry.time), time: entry.time,
      isLocal: true)
  }

  /// Makes the records last.
  ///
  /// - Throws: `RunicError.tooLarge` where they would be more than is read again.
  func save() throws {
    let fileSystem = repository.environment.fileSystem
    try fileSystem.makeDirectories(repository.layout.local, permissions: 0o700)
    var bytes: [UInt8] = []
    for (name, entry) in entries.sorted(by: { $0.key.id.lexicographicallyPrecedes($1.key.id) }) {
      bytes += Self.line(name, entry) + [UInt8(ascii: "\n")]
    }
    try repository.files.write(bytes, to: repository.layout.localRecords)
  }

  // MARK: - Lines

  private static func line(_ name: RecordName, _ entry: Entry) -> [UInt8] {
    var line: JSONObject = [
      "family": .string(JSONString(name.family.name)), "id": .string(JSONString(utf8: name.id) ?? ""),
      "kind": .string(JSONString(name.kind)), "payload": .object(entry.payload),
      "time": .integer(entry.time),
    ]
    if !entry.unset.isEmpty { line["unset"] = .array(entry.unset.sorted().map(JSONValue.string)) }
    return line.canonicalBytes
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> (RecordName, Entry)? {
    guard let object = (try? JSONValue.parse(line, maximumNesting: PrivateFiles.nesting))?.objectValue,
      let family = object["family"]?.textValue.flatMap(Family.init(name:)),
      let kind = object["kind"]?.textValue, let id = object["id"]?.stringValue,
      let payload = object["payload"]?.objectValue, let time = object["time"]?.intValue
    else { return nil }
    let unset = (object["unset"]?.arrayValue ?? []).compactMap(\.stringValue)
    return (
      RecordName(family: family, kind: kind, id: id.utf8),
      Entry(payload: payload, unset: Set(unset), time: time)
    )
  }
}
