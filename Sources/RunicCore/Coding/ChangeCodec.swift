import CanonicalJSON
import ObjectStore

/// Changes as a commit's line holds them: canonical JSON objects with commas between them.
///
/// Members that are empty or have their usual value are left out, so that every change has one form; anything
/// else is refused, and so is a member that this version does not know (`docs/format.md`, "Changes").
///
///     {"add":{…},"id":"…","kind":"…","origin":{…},"rank":[1,0,5],"stamp":"<16>"}
///         without `id` where it is the fingerprint, without `rank` where it is zero
///     {"generation":2,"id":"…","kind":"…","origin":{…},"replaces":{"key":["<64>",…]},"resolves":true,
///      "set":{"key":value},"settles":["<64>",…],"stamp":"<16>","unset":["key",…],
///      "whole":{…},"wholeReplaces":["<64>",…]}
///         without `generation` where it is 1; `whole` null unsets; without any write, `settles` stands
///     {"delete":1,"id":"…","kind":"…","origin":{…},"settles":["<64>",…],"stamp":"<16>"}
///
/// `origin` is `{"commit":"<64>","device":"<32>","name":"…","time":0}` without what is not known.
public enum ChangeCodec {
  /// Arrays and objects inside one another: those that a payload may have, and the change around it. A value in
  /// `set` stands one deeper, but in a payload it has the payload itself around it.
  static let nesting = JSONLimits.nesting + 1

  /// Appends one change, without a comma.
  ///
  /// - Parameters:
  ///   - change: with canonical JSON as its payload and values.
  ///   - output: as it was before if the change is refused.
  /// - Throws: `badKindName`, `badID`, `tooLarge`, `badPayload` for too much nesting, or `badChange` for what else a
  ///   reader would refuse: text that is not UTF-8, a generation, stamp or origin's time out of bounds, a write that
  ///   says nothing.
  /// - Complexity: O(length of the change).
  public static func append(
    _ change: Change, to output: inout [UInt8], using fingerprinter: inout Fingerprinter
  ) throws(RunicError) {
    guard RecordGrammar.isKindName(change.name.kind.utf8) else { throw .badKindName(change.name.kind) }
    _ = try RecordGrammar.id(change.name.id)
    let start = output.count
    var writer = ChangeWriter(output: output)
    output = []
    switch change {
    case .add(let add): writer.add(add, &fingerprinter)
    case .set(let write): writer.write(write)
    case .delete(let delete): writer.delete(delete)
    }
    output = writer.output
    guard !writer.isMalformed, writer.fault == nil, output.count - start <= Limits.change else {
      output.removeSubrange(start...)
      if let fault = writer.fault { throw .badPayload(fault) }
      if writer.isMalformed {
        throw .badChange(kind: change.name.kind, id: String(decoding: change.name.id, as: UTF8.self))
      }
      throw .tooLarge(what: "change", limit: Limits.change)
    }
  }

  /// Reads the changes of a commit: what stands between the brackets of its line.
  ///
  /// - Parameters:
  ///   - changes: payloads stay slices of it, so it should be a slice of something that is kept anyway.
  ///   - visit: called for each change, in order. It may have been called for some before an error is found.
  /// - Throws: `FormatError.content` for what breaks a rule of the format, and whatever `visit` throws.
  /// - Complexity: O(length); for an `add` nothing is allocated but its id.
  public static func decode(_ changes: ArraySlice<UInt8>, _ visit: (Change) throws -> Void) throws {
    try changes.withUnsafeBytes { bytes in
      var reader = ChangeReader(source: changes, bytes: bytes)
      while let change = try reader.next() { try visit(change) }
    }
  }

  /// Reads the changes of a commit into an array.
  public static func decode(_ changes: ArraySlice<UInt8>) throws -> [Change] {
    var all: [Change] = []
    try decode(changes) { all.append($0) }
    return all
  }
}

/// What must hold between the changes of one commit.
public struct CommitRules {
  private var keyed: Set<RecordName> = []

  public init() {}

  /// Whether the commit may hold this change too: no keyed record is changed twice.
  public mutating func admits(_ change: Change) -> Bool {
    if case .add = change { return true }
    return keyed.insert(change.name).inserted
  }
}

/// Goes through the changes of one commit.
struct ChangeReader: ~Copyable {
  private let source: ArraySlice<UInt8>
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  private var rules = CommitRules()
  private var fingerprinter = Fingerprinter()
  private var kinds = KindNames()

  init(source: ArraySlice<UInt8>, bytes: UnsafeRawBufferPointer) {
    self.source = source
    self.bytes = bytes
  }

  /// The next change; nil behind the last one.
  mutating func next() throws(FormatError) -> Change? {
    guard position < bytes.count else { return nil }
    if position > 0 {
      guard bytes[position] == UInt8(ascii: ",") else { throw .content("comma") }
      position += 1
    }
    var cursor = ChangeCursor(bytes, at: position)
    let change = try read(&cursor)
    guard cursor.position - position <= Limits.change else { throw .content("bounds") }
    guard rules.admits(change) else { throw .content("duplicate record") }
    position = cursor.position
    return change
  }

  private mutating func read(_ cursor: inout ChangeCursor) throws(FormatError) -> Change {
    var members = try cursor.beginObject()
    guard let first = try cursor.nextKey(in: &members) else { throw .content("empty change") }
    switch first {
    case "add":
      let fields = try AddFields(&cursor, &members, &kinds)
      return .add(try fields.change(slicedFrom: source, &fingerprinter))
    case "delete":
      return .delete(try DeleteFields(&cursor, &members, &kinds).change())
    default:
      return .set(try WriteFields(&cursor, &members, first: first, &kinds).change())
    }
  }
}
