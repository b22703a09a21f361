import CanonicalJSON
import ObjectStore

/// What `post-merge` gets on standard input: one object on one line.
///
///     {"count":1,"records":[{"deleted":false,"family":"keys","id":"host","kind":"alert","payload":{…}}],
///      "remote":"home"}
enum MergedRecords {
  /// Records that are listed; `count` counts all.
  static let limit = 1000

  static func json(_ outcome: SyncOutcome, in repository: Repository) throws -> JSONValue {
    let records = try repository.read { snapshot in
      try outcome.changedRecords.prefix(limit).map { json($0, try snapshot.record($0)) }
    }
    return [
      "count": .integer(Int64(outcome.changedCount)), "records": .array(records),
      "remote": .string(JSONString(outcome.remote)),
    ]
  }

  private static func json(_ name: RecordName, _ record: RecordView?) -> JSONValue {
    [
      "deleted": .bool(record == nil), "family": .string(JSONString(name.family.name)),
      "id": .string(JSONString(String(decoding: name.id, as: UTF8.self))),
      "kind": .string(JSONString(name.kind)),
      "payload": record.map { .object($0.object) } ?? .null,
    ]
  }
}
