import CanonicalJSON
import ObjectStore

/// One billed model request as an importer found it: what becomes a `request` record (`docs/import.md`).
public struct ImportedRequest: Hashable, Sendable {
  /// Who billed it, as the price table names it.
  public var provider: String
  /// The program that made it.
  public var tool: String
  /// What tells it from every other request of the provider: of its facts, never of a device, file or line.
  public var requestID: String
  public var time: Timestamp
  public var counts: TokenCounts
  public var model: String?
  public var session: String?
  /// The folder that was worked in; stored only where the user wants it.
  public var project: String?
  /// In US dollars, as logged.
  public var cost: Double?
  /// What it was billed at, where that is not the standard: such a request has no price in the table.
  public var serviceTier: String?
  public var speed: String?
  /// The first place of the rank.
  public var place: Int64 = 1
  /// Of a row that stands for many requests.
  public var coarse: CoarseRow?

  public init(provider: String, tool: String, requestID: String, time: Timestamp, counts: TokenCounts) {
    self.provider = provider
    self.tool = tool
    self.requestID = requestID
    self.time = time
    self.counts = counts
  }
}

/// Where a row that sums up many requests comes from. It is never added to requests of the same machine and
/// day.
public struct CoarseRow: Hashable, Sendable {
  /// What the request ids of rows begin with.
  static let idPrefix = "ccusage/"

  /// The program and the table that printed it: `ccusage/daily`.
  public let provenance: String
  /// The day, week, month, session or block that it is about, as printed.
  public let period: String

  public init(provenance: String, period: String) {
    self.provenance = provenance
    self.period = period
  }
}

// MARK: - The record

extension ImportedRequest {
  var recordID: [UInt8] { Self.recordID(provider: provider, requestID: requestID) }

  /// The record's id: provider and request id. What is too long for an id is told by its hash.
  static func recordID(provider: String, requestID: String) -> [UInt8] {
    let id = Array("\(provider)/\(stored(requestID))".utf8)
    return RecordGrammar.isID(id) ? id : Array(SHA256.hash(id).hex.utf8)
  }

  private static let longestRequestID = 160

  /// A row stays one among the ids of rows.
  private static func stored(_ requestID: String) -> String {
    guard requestID.utf8.count > longestRequestID else { return requestID }
    let hash = SHA256.hash(Array(requestID.utf8)).hex
    return requestID.hasPrefix(CoarseRow.idPrefix) ? CoarseRow.idPrefix + hash : hash
  }

  /// Place, importer's revision, total tokens (`docs/import.md`, "Rules"); then whether a project is told, so
  /// that a run with `--with-projects` adds it to what was recorded without.
  func rank(revision: Int64) -> Rank { [place, revision, counts.total, project == nil ? 0 : 1] }

  /// Appends the payload as canonical JSON, as `Kind.prepare` would leave it.
  func appendPayload(to bytes: inout [UInt8]) {
    var writer = PayloadWriter(bytes: bytes)
    bytes = []
    writer.count("cacheReadTokens", counts.cacheRead)
    if counts.cacheWrite1h > 0 { writer.count("cacheWrite1hTokens", counts.cacheWrite1h) }
    writer.count("cacheWriteTokens", counts.cacheWrite)
    // A logged cost of 0 for tokens that cost something says that the tool did not know the price.
    if let cost, cost > 0 || counts.total == 0 { writer.number("costUSD", cost) }
    writer.count("inputTokens", counts.input)
    writer.text("model", model)
    writer.text("occurredAt", time.text)
    writer.count("outputTokens", counts.output)
    writer.text("period", coarse?.period)
    writer.text("project", project)
    writer.text("provenance", coarse?.provenance)
    writer.text("providerID", provider)
    if counts.reasoning > 0 { writer.count("reasoningTokens", counts.reasoning) }
    writer.text("requestID", Self.stored(requestID))
    writer.text("serviceTier", serviceTier)
    writer.text("sessionID", session)
    writer.text("speed", speed)
    writer.text("tool", tool)
    bytes = writer.finish()
  }
}

/// Writes the members of one object, which the caller names in canonical order.
struct PayloadWriter {
  private var bytes: [UInt8]
  private let start: Int

  /// - Parameter bytes: what stands before the object.
  init(bytes: [UInt8] = []) {
    self.bytes = bytes
    start = bytes.count
    self.bytes.append(UInt8(ascii: "{"))
  }

  private mutating func name(_ name: StaticString) {
    if bytes.count > start + 1 { bytes.append(UInt8(ascii: ",")) }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(contentsOf: UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  mutating func count(_ name: StaticString, _ value: Int64) {
    self.name(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func number(_ name: StaticString, _ value: Double) {
    guard let number = JSONValue.number(value) else { return }
    self.name(name)
    number.write(into: &bytes)
  }

  /// Nothing where there is no text.
  mutating func text(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    self.name(name)
    JSONString(value).write(into: &bytes)
  }

  mutating func finish() -> [UInt8] {
    bytes.append(UInt8(ascii: "}"))
    return bytes
  }
}
