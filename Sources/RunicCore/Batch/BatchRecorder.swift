import CanonicalJSON
import ObjectStore

/// How lines of JSON are recorded.
public struct BatchOptions: Sendable {
  /// The kind of every record.
  public var kind: Kind
  /// The record that every line is about, where one was typed.
  public var id: [UInt8]?
  /// Whether a line is the whole payload of a keyed record, not a patch.
  public var replacesAll = false
  /// Whether bad lines are passed over; else the first one refuses the batch.
  public var skipsBad = false
  /// Whether they are for this device alone, until they are promoted.
  public var isLocal = false
  /// The fingerprint that a keyed record must have.
  public var condition: Digest?

  public init(kind: Kind, id: [UInt8]? = nil) {
    self.kind = kind
    self.id = id
  }
}

/// What became of a batch.
public struct BatchOutcome: Sendable {
  /// A line that was passed over.
  public struct SkippedLine: Sendable {
    public let number: Int
    public let cause: RunicError
  }

  public internal(set) var recorded = 0
  /// How many lines said what was there already.
  public internal(set) var unchanged = 0
  public internal(set) var skipped = 0
  /// The first of those that were passed over.
  public internal(set) var examples: [SkippedLine] = []
}

extension Repository {
  /// Records JSON Lines: of a history a payload a line, of a keyed kind a patch a line.
  ///
  /// All of it is recorded in one step, or none of it where a line is bad.
  ///
  /// - Parameters:
  ///   - input: where the lines come from.
  /// - Throws: `badLine` with the line's number and what is wrong with it; `changedMeanwhile`.
  /// - Complexity: O(length), in bounded memory.
  public func record(linesOf input: BatchInput, _ options: BatchOptions) throws -> BatchOutcome {
    let lines = try InputLines(input, repository: self)
    guard let now = Timestamp(milliseconds: environment.clock.now()) else {
      throw RunicError.badField(kind: options.kind.name, field: "time", problem: .notATime)
    }
    let facts = RecordingFacts(time: now, deviceName: deviceName, platform: identity.platform)
    return try write(lines) { transaction, lines in
      var recorder = BatchRecorder(transaction: transaction, options: options, facts: facts)
      try lines.forEachLine { number, line in try recorder.take(line, number) }
      try recorder.finish()
      return recorder.outcome
    }
  }
}

/// Records one line after the other, with scratch memory that it keeps.
struct BatchRecorder: ~Copyable {
  private static let examples = 20

  let transaction: Transaction
  let options: BatchOptions
  private var pipeline: LinePipeline
  private(set) var outcome = BatchOutcome()
  private var canonicalizer = Canonicalizer()
  private var canonical: [UInt8] = []
  /// The record that the last patch was about, and the patches of it that are taken and not recorded yet.
  private var lastID: [UInt8]?
  private var gathered: GatheredPatches?

  init(transaction: Transaction, options: BatchOptions, facts: RecordingFacts) {
    self.transaction = transaction
    self.options = options
    pipeline = LinePipeline(kind: options.kind, filling: options.kind.filling(facts))
  }

  /// Nil is a line that is too long. A line may be recorded later than it is taken, but in its order.
  mutating func take(_ line: UnsafeRawBufferPointer?, _ number: Int) throws {
    if let line, line.isBlankLine { return }
    if options.kind.family == .history {
      if let chunk = pipeline.take(line, number) { try record(chunk) }
    } else {
      try count(number) { recorder in try recorder.recordPatch(line) }
    }
  }

  /// Records what was taken and is not recorded yet.
  mutating func finish() throws {
    while let chunk = pipeline.next() { try record(chunk) }
    try recordGathered()
  }

  private mutating func record(_ chunk: LineChunk) throws {
    try chunk.forEachAdd { number, add in
      try count(number) { recorder in try recorder.record(add.get()) }
    }
  }

  private mutating func count(_ number: Int, _ body: (inout BatchRecorder) throws -> Bool) throws {
    do {
      if try body(&self) { outcome.recorded += 1 } else { outcome.unchanged += 1 }
    } catch RunicError.changedMeanwhile(let kind, let id) {
      throw RunicError.changedMeanwhile(kind: kind, id: id)
    } catch let error as RunicError {
      guard options.skipsBad else { throw RunicError.badLine(number: number, cause: error) }
      outcome.skipped += 1
      if outcome.examples.count < Self.examples {
        outcome.examples.append(BatchOutcome.SkippedLine(number: number, cause: error))
      }
    }
  }

  private func record(_ add: LineChunk.Add) throws -> Bool {
    if options.isLocal {
      return try transaction.addLocally(kind: options.kind, id: add.id, payload: add.payload)
    }
    return try transaction.add(kind: options.kind, id: add.id, payload: add.payload)
  }

  private mutating func recordPatch(_ line: UnsafeRawBufferPointer?) throws -> Bool {
    guard let line else { throw RunicError.tooLarge(what: "line", limit: Limits.change) }
    canonical.removeAll(keepingCapacity: true)
    do throws(JSONError) {
      try canonicalizer.canonicalize(line, into: &canonical)
    } catch {
      throw RunicError.badPayload(error)
    }
    let (id, patch) = try KeyedLine(canonical, options).checked
    if options.isLocal {
      return try transaction.patchLocally(kind: options.kind, id: id, patch, if: options.condition)
    }
    return try record(patch, of: id)
  }

  /// Records a patch, together with those before it where they are about the same record: each alone would read and
  /// write all of it anew.
  private mutating func record(_ patch: Patch, of id: [UInt8]) throws -> Bool {
    let goesOn = id == lastID && options.condition == nil && !patch.replacesAll && patch.unset.isEmpty
    lastID = id
    if goesOn {
      if let isStored = try gathered?.take(patch) { return isStored }
      try recordGathered()
      gathered = try transaction.gatherPatches(kind: options.kind, id: id)
      if let isStored = try gathered?.take(patch) { return isStored }
    }
    try recordGathered()
    return try transaction.patch(kind: options.kind, id: id, patch, if: options.condition)
  }

  private mutating func recordGathered() throws {
    guard let patches = gathered.take() else { return }
    try transaction.append(patches)
  }
}

/// A line about a keyed record: `{"id","payload"}`, or a payload with the id in the kind's key field, or one for
/// a record that is named otherwise.
private struct KeyedLine {
  let options: BatchOptions
  let id: [UInt8]?
  let payload: JSONObject

  init(_ canonical: [UInt8], _ options: BatchOptions) throws {
    guard let object = try JSONValue.parse(canonical).objectValue else {
      throw RunicError.badPayload(JSONError(position: 0, reason: .typeMismatch))
    }
    self.options = options
    if object.count == 2, let id = object["id"]?.stringValue, let payload = object["payload"]?.objectValue,
      options.kind.key != "id"
    {
      self.id = id.utf8
      self.payload = payload
    } else {
      id = nil
      payload = object
    }
  }

  var checked: (id: [UInt8], patch: Patch) {
    get throws {
      let kind = options.kind
      let (id, named) = try kind.identify(payload, id: self.id ?? options.id)
      if let typed = options.id, id != typed { throw RunicError.badID(String(decoding: id, as: UTF8.self)) }
      if options.replacesAll { return (id, Patch(replacingAllBy: try kind.checked(named))) }
      return (id, try kind.patch(named))
    }
  }
}

extension Kind {
  /// The id that a keyed payload is for, and the payload with it in the kind's key field.
  ///
  /// - Parameter id: the id that was given beside the payload.
  /// - Throws: `badID` where there is none, or the field says another.
  public func identify(_ payload: JSONObject, id: [UInt8]?) throws -> (id: [UInt8], payload: JSONObject) {
    var fingerprinter = Fingerprinter()
    guard let id = try id.map(RecordGrammar.id) else {
      return (try naturalID(of: payload.canonicalBytes[...], using: &fingerprinter).id, payload)
    }
    guard let key = key.map({ JSONString($0) }) else { return (id, payload) }
    var named = payload
    if named[key] == nil { named[key] = JSONString(utf8: id).map(JSONValue.string) }
    guard try naturalID(of: named.canonicalBytes[...], using: &fingerprinter).id == id else {
      throw RunicError.badID(String(decoding: id, as: UTF8.self))
    }
    return (id, named)
  }

  /// The patch that sets these keys, each checked.
  public func patch(_ payload: JSONObject) throws(RunicError) -> Patch {
    var set: [JSONString: JSONValue] = [:]
    for (key, value) in payload { set[key] = try checked(value, for: key) }
    return Patch(set: set)
  }
}
