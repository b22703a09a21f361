import CanonicalJSON
import ObjectStore

@testable import RunicCore

extension FuzzTarget {
  static let changeTargets = [
    FuzzTarget("commit-line", checkCommitLine),
    FuzzTarget("changes", checkChanges),
    FuzzTarget("merged-state", checkMergedState),
    FuzzTarget("export-line", checkExportLine),
    FuzzTarget("payload", checkPayload),
  ]

  private static func checkCommitLine(_ bytes: [UInt8]) throws {
    guard let line = try? bytes.withUnsafeBytes({ try CommitLine(decoding: $0) }) else { return }
    let again = CommitLine.encode(
      sequence: line.sequence, previous: line.previous, stamp: line.stamp, time: line.time,
      changes: Array(bytes[line.changes]))
    try require(again == bytes, "a line is written otherwise than it was read")
    try checkChanges(Array(bytes[line.changes]))
  }

  /// Changes have one form; what is taken can be merged, and the state of it stored.
  private static func checkChanges(_ bytes: [UInt8]) throws {
    guard let changes = try? ChangeCodec.decode(bytes[...]) else { return }
    var output: [UInt8] = []
    var fingerprinter = Fingerprinter()
    for change in changes {
      if !output.isEmpty { output.append(UInt8(ascii: ",")) }
      try demand("a change that was taken is not written") {
        try ChangeCodec.append(change, to: &output, using: &fingerprinter)
      }
    }
    try require(output == bytes, "changes are written otherwise than they were read")
    try merge(changes)
  }

  private static func merge(_ changes: [Change]) throws {
    let context = CommitContext(
      hash: SHA256.hash([1]), device: FuzzKeys.shared.device, stamp: Stamp(rawValue: 9), time: 9)
    for change in changes {
      var keyed = KeyedState()
      switch change {
      case .add: continue
      case .set(let write): keyed.apply(write, context)
      case .delete(let delete): keyed.apply(delete, context)
      }
      let copy = try demand("a merged state is not read back") { try KeyedState(decoding: keyed.encode()) }
      try require(copy == keyed, "a merged state changes in the index")
      _ = keyed.conflicts
    }
  }

  /// The state of a record as the index holds it.
  private static func checkMergedState(_ bytes: [UInt8]) throws {
    if let keyed = try? KeyedState(decoding: bytes) {
      try require(keyed.encode() == bytes, "a keyed state is written otherwise than it was read")
    }
    if let history = try? HistoryState(decoding: bytes) {
      try require(history.encode() == bytes, "a history state is written otherwise than it was read")
    }
  }

  private static func checkExportLine(_ bytes: [UInt8]) throws {
    guard let object = (try? JSONValue.parse(bytes))?.objectValue,
      let record = try? ExportCoding.record(object)
    else { return }
    var output: [UInt8] = []
    ExportCoding.append(record, to: &output)
    let copy = try demand("an exported record that was taken is not taken again") {
      try JSONValue.parse(output).objectValue.map { try ExportCoding.record($0) }
    }
    var again: [UInt8] = []
    ExportCoding.append(copy, to: &again)
    try require(output == again, "an exported record is written in two ways")
  }

  /// A payload as somebody records it, under every built-in kind.
  private static func checkPayload(_ bytes: [UInt8]) throws {
    var fingerprinter = Fingerprinter()
    for kind in [Kind.usage, .request, .alert, .preferences] {
      var output: [UInt8] = []
      guard (try? bytes.withUnsafeBytes({ try kind.prepare($0, into: &output) })) != nil else { continue }
      try require(isCanonical(output), "a prepared payload is not canonical")
      _ = try? kind.naturalID(of: output[...], using: &fingerprinter)
    }
    bytes.withUnsafeBytes { _ = RequestFields($0) }
    if let object = (try? JSONValue.parse(bytes))?.objectValue {
      _ = Kind(declaredAs: Array("k".utf8), by: object)
    }
  }
}
