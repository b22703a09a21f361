import ObjectStore

/// A record that waits to be stored.
struct ImportedRecord {
  let kind: Kind
  let id: [UInt8]
  var rank: Rank
  var payload: ArraySlice<UInt8>
  /// Whether it sums up many requests.
  var isRow = false

  /// Whether another form of the same record wins over this one, as it would in the store.
  func isSurpassed(by other: ImportedRecord) -> Bool {
    rank == other.rank ? payload.lexicographicallyPrecedes(other.payload) : rank < other.rank
  }
}

/// Gathers what importers find. Of many forms of one request the winning one stays, so that streaming lines
/// cost nothing in the store; when much has gathered, it is handed on.
final class ImportSink {
  /// What may wait: bounds the memory of a run, whatever it reads.
  private static let limit = 32_768

  var options = CollectOptions()
  /// When the run began, in milliseconds since 1970.
  var now: Int64 = 0
  /// The second place of the ranks to come.
  var revision: Int64 = 0
  /// Whether requests of a provider are wanted.
  var accepts: (String) -> Bool = { _ in true }
  var whenFull: ([ImportedRecord]) throws -> Void = { _ in }
  var whenRead: (Int) -> Void = { _ in }
  /// Takes note of the days of all requests that are found, also of those that are not taken.
  var days = LoggedDays()
  /// Something of the present log was found and left out: it has to be read again by another run.
  var leftOut = false
  /// Rows that sum up many requests were found.
  private(set) var hasRows = false
  private(set) var skipped: [ImportSkip: ImportSkipCount] = [:]
  private var pending: [ImportedRecord] = []
  private var places: [[UInt8]: Int] = [:]
  private var fingerprinter = Fingerprinter()

  func read(bytes count: Int) { whenRead(count) }

  func skip(_ reason: ImportSkip, _ path: String, parent: String? = nil) {
    skipped[reason, default: ImportSkipCount(count: 0, firstPath: path, firstParent: parent)].count += 1
  }

  func add(_ request: ImportedRequest) throws {
    if request.coarse == nil { days.note(request.time) } else { hasRows = true }
    guard accepts(request.provider) else { return }
    guard wants(request.time) else {
      leftOut = true
      return
    }
    var request = request
    if !options.withProjects { request.project = nil }
    var payload: [UInt8] = []
    payload.reserveCapacity(512)
    request.appendPayload(to: &payload)
    try add(
      ImportedRecord(
        kind: .request, id: request.recordID, rank: request.rank(revision: revision), payload: payload[...],
        isRow: request.coarse != nil))
  }

  func add(_ reading: QuotaReading) throws {
    guard wants(reading.time) else {
      leftOut = true
      return
    }
    var payload: [UInt8] = []
    reading.appendPayload(to: &payload)
    let id = try Kind.usage.naturalID(of: payload[...], using: &fingerprinter)
    try add(ImportedRecord(kind: .usage, id: id.id, rank: id.rank, payload: payload[...]))
  }

  private func wants(_ time: Timestamp) -> Bool { options.since.map { time >= $0 } ?? true }

  private func add(_ record: ImportedRecord) throws {
    if let place = places[record.id] {
      if pending[place].isSurpassed(by: record) { pending[place] = record }
      return
    }
    places[record.id] = pending.count
    pending.append(record)
    if pending.count >= Self.limit { try flush() }
  }

  /// Hands on what has gathered.
  func flush() throws {
    if pending.isEmpty { return }
    try whenFull(pending)
    pending.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }
}
