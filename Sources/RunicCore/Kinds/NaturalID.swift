import CanonicalJSON
import ObjectStore

/// What a payload says of its own record: its id, and the rank of its `add` (0 of a keyed record).
public struct NaturalID: Hashable, Sendable {
  public let id: [UInt8]
  public let rank: Rank
  /// Whether the id is known to be the fingerprint of the payload that this was found in.
  let isFingerprint: Hint<Bool>

  public init(id: [UInt8], rank: Rank = .zero) {
    self.id = id
    self.rank = rank
    isFingerprint = Hint(false)
  }

  init(fingerprint: Digest, rank: Rank = .zero) {
    var digits: [UInt8] = []
    digits.reserveCapacity(2 * Digest.byteCount)
    fingerprint.appendHex(to: &digits)
    id = digits
    self.rank = rank
    isFingerprint = Hint(true)
  }
}

/// The first two places of a request's rank, which its source decides (`docs/import.md`, "Rules").
public struct RequestSource: Hashable, Sendable {
  public let place: Int64
  /// The importer's revision; 0 for what was typed or piped.
  public let revision: Int64

  public static let typed = RequestSource(place: 1, revision: 0)

  public init(place: Int64, revision: Int64) {
    self.place = place
    self.revision = revision
  }
}

extension Kind {
  /// Finds the id and rank of a payload that was checked, without a tree.
  ///
  /// - Parameters:
  ///   - payload: as `prepare` writes it.
  ///   - source: of the rank of a request; other kinds have none.
  /// - Throws: `badField` where the id's field is missing or no scalar, `badID` where it is no id or the kind
  ///   wants one typed.
  /// - Complexity: O(length).
  public func naturalID(
    of payload: ArraySlice<UInt8>, source: RequestSource = .typed,
    using fingerprinter: inout Fingerprinter
  ) throws(RunicError) -> NaturalID {
    switch naturalKey {
    case .fingerprint:
      return NaturalID(fingerprint: fingerprinter.fingerprint(of: payload, family: family, kind: name))
    case .field(let field):
      return NaturalID(id: try RecordGrammar.id(scalar(field, in: payload)))
    case .request:
      let facts = try RequestFacts(payload)
      let rank: Rank = [source.place, source.revision, facts.totalTokens]
      if let id = facts.id { return NaturalID(id: try RecordGrammar.id(id), rank: rank) }
      return NaturalID(
        fingerprint: fingerprinter.fingerprint(of: payload, family: family, kind: name), rank: rank)
    case .fixed(let id): return NaturalID(id: id)
    case .none: throw .badID("")
    }
  }

  /// The text of a string, or of a number, true or false as canonical JSON writes it.
  private func scalar(_ field: JSONString, in payload: ArraySlice<UInt8>) throws(RunicError) -> [UInt8] {
    let problem: FieldProblem
    switch try payload.member(named: field) {
    case .text(let text)?: return text
    case .other?: problem = .type(expected: "a string or number")
    case nil: problem = .missing
    }
    throw .badField(kind: name, field: field.string, problem: problem)
  }
}

private enum Scalar {
  case text([UInt8])
  case other

  init(_ value: JSONSlice) {
    switch value.type {
    case .string: self = .text(value.string?.utf8 ?? [])
    case .number, .bool: self = .text(Array(value.bytes))
    case .null, .array, .object: self = .other
    }
  }
}

/// What the id and the rank of a request come from.
private struct RequestFacts {
  private var provider: [UInt8] = []
  private var request: [UInt8] = []
  /// Stops at the end of Int64.
  private(set) var totalTokens: Int64 = 0

  init(_ payload: ArraySlice<UInt8>) throws(RunicError) {
    self = try payload.walked(from: RequestFacts()) { facts, field in facts.take(field) }
  }

  private init() {}

  /// Nil without a request id.
  var id: [UInt8]? { request.isEmpty ? nil : provider + [UInt8(ascii: "/")] + request }

  private mutating func take(_ field: JSONField) {
    switch field.key {
    case "providerID": provider = field.value.string?.utf8 ?? []
    case "requestID": request = field.value.string?.utf8 ?? []
    case "inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens":
      let (sum, overflows) = totalTokens.addingReportingOverflow(max(0, field.value.integer ?? 0))
      totalTokens = overflows ? .max : sum
    default: break
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func member(named name: JSONString) throws(RunicError) -> Scalar? {
    try walked(from: nil) { found, field in
      if field.key.string == name { found = Scalar(field.value) }
    }
  }

  /// Hands every member of the canonical object that these bytes are to `take`.
  fileprivate func walked<Result>(
    from initial: Result, _ take: (inout Result, JSONField) -> Void
  ) throws(RunicError) -> Result {
    var result = initial
    let problem = withUnsafeBytes { bytes -> JSONError? in
      var cursor = JSONCursor(bytes)
      do throws(JSONError) {
        var members = try cursor.beginObject()
        while let field = try cursor.nextField(in: &members) { take(&result, field) }
        try cursor.finish()
        return nil
      } catch {
        return error
      }
    }
    if let problem { throw .badPayload(problem) }
    return result
  }
}
