import CanonicalJSON
import ObjectStore

/// A commit that people may name.
public struct CommitView: Hashable, Sendable {
  public let hash: Digest
  public let device: DeviceID
  public let sequence: Int64
  public let stamp: Stamp
  /// Wall time, in milliseconds since 1970.
  public let time: Int64
}

/// Names as people type them: whole, or any unique prefix of four digits or more.
extension Snapshot {
  /// How many digits a prefix needs.
  public static let leastPrefix = 4
  private static let shownCandidates = 5
  /// Enough for a person's own names; a history has more ids than anybody types.
  private static let likelyIDs = 500

  /// The record that a typed id means: the id itself, else the one id of hexadecimal digits that it begins.
  ///
  /// - Throws: `badID`, `ambiguous`. An id that is not there is answered as it was typed.
  public func recordID(_ typed: String, kind: Kind) throws -> [UInt8] {
    let id = try RecordGrammar.id(Array(typed.utf8))
    let name = RecordName(family: kind.family, kind: kind.name, id: id)
    if try isKnown(name) || !Self.isPrefix(typed) { return id }
    let found = try ids(beginningWith: id, kind: kind)
    if found.count > 1 {
      throw RunicError.ambiguous(
        prefix: typed,
        candidates: found.prefix(Self.shownCandidates).map { String(decoding: $0, as: UTF8.self) })
    }
    return found.first ?? id
  }

  /// What to throw where a record is not there, with ids that may have been meant: those that begin alike first.
  public func unknownRecord(kind: Kind, id: [UInt8]) -> RunicError {
    var known: [[UInt8]] = []
    for start in [Array(id.prefix(1)), []] {
      let found = (try? ids(of: kind, beginningWith: start, limit: Self.likelyIDs)) ?? []
      known += found.filter { !known.contains($0) }
    }
    return .unknownRecord(
      kind: kind.name, id: String(decoding: id, as: UTF8.self),
      known: known.map { String(decoding: $0, as: UTF8.self) })
  }

  private func isKnown(_ name: RecordName) throws -> Bool {
    try index.value(IndexKey.record(name)) != nil || local[name] != nil
  }

  private func ids(beginningWith prefix: [UInt8], kind: Kind) throws -> [[UInt8]] {
    var found: Set<[UInt8]> = []
    for scanned in IndexKey.prefixes(ofIDs: prefix, kind.name, kind.family) {
      try index.table.scan(prefix: scanned) { key, _ in
        guard let id = IndexKey.name(key)?.id, id.starts(with: prefix), Self.isHexadecimal(id) else {
          return true
        }
        found.insert(id)
        return found.count <= Self.shownCandidates
      }
    }
    for name in local.names(of: kind.name, kind.family)
    where name.id.starts(with: prefix) && Self.isHexadecimal(name.id) { found.insert(name.id) }
    return found.sorted { $0.lexicographicallyPrecedes($1) }
  }

  /// The commit that a prefix of its hash means; nil where none begins so.
  ///
  /// - Throws: `ambiguous`.
  public func commit(_ typed: String) throws -> CommitView? {
    guard Self.isPrefix(typed) else { return nil }
    let digits = Array(typed.utf8)
    var found: [CommitView] = []
    try index.table.scan(prefix: [IndexKey.commit] + IndexKey.wholeBytes(of: digits)) { key, value in
      guard let hash = Digest(bytes: key.dropFirst()), hash.hex.utf8.starts(with: digits),
        let place = CommitPlace(bytes: Array(value))
      else { return true }
      found.append(
        CommitView(
          hash: hash, device: place.device, sequence: place.sequence, stamp: place.stamp, time: place.time))
      return found.count <= Self.shownCandidates
    }
    guard found.count > 1 else { return found.first }
    throw RunicError.ambiguous(prefix: typed, candidates: found.map(\.hash.hex))
  }

  /// Whether a text may stand for something longer that begins with it.
  public static func isPrefix(_ typed: String) -> Bool {
    (leastPrefix...2 * Digest.byteCount).contains(typed.utf8.count) && isHexadecimal(Array(typed.utf8))
  }

  private static func isHexadecimal(_ text: [UInt8]) -> Bool {
    text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}

extension IndexKey {
  /// What the keys of all ids that begin with some digits, fewer than 64, begin with, in either form.
  static func prefixes(ofIDs digits: [UInt8], _ kind: String, _ family: Family) -> [[UInt8]] {
    let padding = [UInt8](repeating: UInt8(ascii: "0"), count: max(0, 2 * Digest.byteCount - digits.count))
    let packed = record(RecordName(family: family, kind: kind, id: digits + padding))
    let known = self.kind(kind, family).count + 1 + digits.count / 2
    return [Array(packed.prefix(known)), record(RecordName(family: family, kind: kind, id: digits))]
  }

  /// The bytes that hexadecimal digits stand for, without an odd last digit.
  fileprivate static func wholeBytes(of digits: [UInt8]) -> [UInt8] {
    let even = digits.prefix(digits.count & ~1)
    return Hexadecimal.decode(String(decoding: even, as: UTF8.self)) ?? []
  }
}
