import CanonicalJSON
import ObjectStore
import RunicCore

/// The record that a command line names.
struct NamedRecord {
  let kind: Kind
  let id: [UInt8]

  /// - Parameters:
  ///   - typedKind: any name that is accepted for the kind.
  ///   - typedID: the id or a prefix of it; nil for the one record that the kind has by default.
  init(_ typedKind: String, _ typedID: String?, in snapshot: Snapshot) throws {
    kind = try snapshot.kinds.kind(typedKind)
    guard let typed = typedID ?? kind.defaultID else {
      throw CommandFailure.usage("an id is needed", hint: "'runic list \(kind.name)' shows what there is")
    }
    id = try snapshot.recordID(typed, kind: kind)
  }

  var name: RecordName { RecordName(family: kind.family, kind: kind.name, id: id) }
  var text: String { "\(kind.name) '\(RecordText.short(id))'" }
  var json: JSONValue { ["id": RecordText.id(id), "kind": .text(kind.name)] }

  func unknown(in snapshot: Snapshot) -> RunicError { snapshot.unknownRecord(kind: kind, id: id) }

  /// What to throw where a record was not there at a moment: it came later, or it never was.
  func unknown(at moment: String, in snapshot: Snapshot) throws -> any Error {
    if try snapshot.writes(of: name).isEmpty { return unknown(in: snapshot) }
    return CommandFailure.failed(
      "\(text) was not there at '\(moment)'", code: "unknown-record",
      hint: "'runic show \(kind.name) \(String(decoding: id, as: UTF8.self))' lists its writes")
  }
}

extension Snapshot {
  /// A kind whose records people may write.
  func writableKind(_ typed: String) throws -> Kind {
    let kind = try kinds.kind(typed)
    guard !kind.isReserved else { throw RunicError.unknownKind(typed, known: kinds.names) }
    return kind
  }

  /// The moment that `COMMIT|TIME` means: no commit with a later stamp belongs to it.
  func moment(_ typed: String, _ context: Context) throws -> Stamp {
    if let commit = try commit(typed) { return commit.stamp }
    if let time = try Instant.parse(typed, now: context.now(), in: context.zone) {
      return Stamp(milliseconds: time.milliseconds, counter: .max)
    }
    throw RunicError.unknownCommit(typed)
  }
}

extension Invocation {
  /// The value of `--if`.
  func condition() throws(CommandFailure) -> Digest? {
    guard let text = flag("--if") else { return nil }
    guard let digest = Digest(hex: text) else {
      throw .usage("--if takes a fingerprint, not '\(text)'", hint: "'runic get KIND ID --json' shows it")
    }
    return digest
  }
}
