import CanonicalJSON
import ObjectStore

extension ChangeWriter {
  mutating func add(_ add: HistoryAdd, _ fingerprinter: inout Fingerprinter) {
    member("add")
    add.payload.withUnsafeBytes { json($0, inside: 1) }
    if !add.hasFingerprintID(&fingerprinter) {
      member("id")
      text(add.id)
    }
    member("kind")
    plain(add.kind)
    origin(add.origin)
    if add.rank != .zero {
      member("rank")
      list(add.rank.values) { $0.integer($1) }
    }
    writtenStamp(add.stamp)
    end()
  }
}

extension HistoryAdd {
  fileprivate func hasFingerprintID(_ fingerprinter: inout Fingerprinter) -> Bool {
    if isFingerprinted.value { return true }
    guard id.count == 2 * Digest.byteCount else { return false }
    return id == payload.fingerprintID(kind: kind, &fingerprinter)
  }
}

extension ArraySlice<UInt8> {
  /// The id of the history record that has this payload, unless its kind knows a better one.
  fileprivate func fingerprintID(kind: String, _ fingerprinter: inout Fingerprinter) -> [UInt8] {
    var id: [UInt8] = []
    id.reserveCapacity(2 * Digest.byteCount)
    fingerprinter.fingerprint(of: self, family: .history, kind: kind).appendHex(to: &id)
    return id
  }
}

/// The members of an `add`.
struct AddFields {
  private let payload: Range<Int>
  private var shared = SharedFields()
  private var rank = Rank.zero

  /// - Parameter cursor: at the value of the first key, `add`.
  init(
    _ cursor: inout ChangeCursor, _ members: inout JSONCursor.Members, _ kinds: inout KindNames
  ) throws(FormatError) {
    payload = try cursor.object()
    while let key = try cursor.nextKey(in: &members) {
      switch key {
      case "rank": rank = try Self.rank(&cursor)
      default: try shared.read(key, &cursor, &kinds)
      }
    }
  }

  /// One to four integers, the last one not 0.
  private static func rank(_ cursor: inout ChangeCursor) throws(FormatError) -> Rank {
    var values: [Int64] = []
    var elements = try cursor.beginArray()
    while try cursor.nextElement(in: &elements) {
      guard values.count < Rank.maximumCount else { throw .content("rank") }
      values.append(try cursor.integer())
    }
    guard let last = values.last, last != 0, let rank = Rank(values) else { throw .content("rank") }
    return rank
  }

  func change(
    slicedFrom source: ArraySlice<UInt8>, _ fingerprinter: inout Fingerprinter
  ) throws(FormatError) -> HistoryAdd {
    let start = source.startIndex
    let kind = try shared.kind()
    let payload = source[start + payload.lowerBound..<start + payload.upperBound]
    return HistoryAdd(
      kind: kind, id: try id(of: payload, kind, &fingerprinter), payload: payload, rank: rank,
      stamp: try shared.writtenStamp(), origin: shared.origin)
  }

  private func id(
    of payload: ArraySlice<UInt8>, _ kind: String, _ fingerprinter: inout Fingerprinter
  ) throws(FormatError) -> [UInt8] {
    guard let written = shared.id else { return payload.fingerprintID(kind: kind, &fingerprinter) }
    // Only an id of this length can be one that should have been left out.
    if written.count == 2 * Digest.byteCount, written == payload.fingerprintID(kind: kind, &fingerprinter) {
      throw .content("needless id")
    }
    return written
  }
}
