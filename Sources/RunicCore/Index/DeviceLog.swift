import CanonicalJSON
import ObjectStore

/// What the index knows of one device's log: its branches, and how its newest head names the device.
///
/// A log has one branch, until a clone or a restored backup makes another from some commit on.
struct DeviceLog: Equatable {
  struct Branch: Equatable {
    /// The branch that it leaves, and after which commit; nil and 0 for one that begins the log.
    var parent: Int?
    var from: Int64
    var tip: CommitName
    /// How many changes its commits hold, from the first of the log on.
    var changes: Int64 = 0
  }

  var branches: [Branch] = []
  var name = ""
  var platform = ""
  /// Wall time of the newest head that was read, in milliseconds.
  var headTime: Int64 = 0
  /// That head's commit. Newest by sequence, not by time: a clock may have been put back.
  var described: CommitName?
  /// The greatest stamp that was too far ahead of this device's clock to be followed.
  var farAhead: Stamp?
  /// The commits that heads name and that are not in, because something has not arrived: of every branch, since
  /// one that is whole says nothing of another.
  var waiting: [CommitName] = []

  var isForked: Bool { branches.count > 1 }

  /// The newest commit of any branch; of two as new the same one on every device, whichever came first.
  var newest: CommitName? { branches.map(\.tip).max { $1.isNewer(than: $0) } }

  mutating func describe(by head: Head) {
    if let described, !head.commit.isNewer(than: described) { return }
    (name, platform, headTime, described) = (head.name, head.platform, head.time, head.commit)
  }

  /// Whether a commit on one branch lies on the way to another branch's tip.
  func isAncestor(sequence: Int64, on branch: Int, ofTipOf target: Int) -> Bool {
    var (current, reach) = (target, branches.indices.contains(target) ? branches[target].tip.sequence : 0)
    while branches.indices.contains(current) {
      if current == branch { return sequence <= reach }
      guard let parent = branches[current].parent, parent < current else { return false }
      reach = min(reach, branches[current].from)
      current = parent
    }
    return false
  }
}

extension CommitName {
  fileprivate func isNewer(than other: CommitName) -> Bool {
    (sequence, hash) > (other.sequence, other.hash)
  }
}

/// Where a commit stands.
struct CommitPlace: Equatable {
  let device: DeviceID
  let branch: Int
  let sequence: Int64
  let stamp: Stamp
  let time: Int64
  /// How many changes the log holds up to and with this commit.
  let changes: Int64
}

// MARK: - Bytes

extension DeviceLog {
  var bytes: [UInt8] {
    var object: JSONObject = [
      "branches": .array(
        branches.map { branch in
          [
            "changes": .integer(branch.changes), "from": .integer(branch.from),
            "parent": branch.parent.map { .integer(Int64($0)) } ?? .null,
            "tip": branch.tip.json,
          ]
        }), "name": .string(JSONString(name)), "platform": .string(JSONString(platform)),
      "time": .integer(headTime),
    ]
    if let farAhead { object["farAhead"] = .string(JSONString(farAhead.hex)) }
    if let described { object["described"] = described.json }
    if !waiting.isEmpty { object["waiting"] = .array(waiting.map(\.json)) }
    return object.canonicalBytes
  }

  init?(bytes: [UInt8]) {
    guard let object = (try? JSONValue.parse(bytes))?.objectValue, let list = object["branches"]?.arrayValue,
      let name = object["name"]?.textValue, let platform = object["platform"]?.textValue,
      let time = object["time"]?.intValue
    else { return nil }
    for value in list {
      guard let from = value["from"]?.intValue, let changes = value["changes"]?.intValue,
        let tip = value["tip"].flatMap(CommitName.init(json:))
      else {
        return nil
      }
      branches.append(
        Branch(
          parent: value["parent"]?.intValue.map { Int(clamping: $0) }, from: from, tip: tip,
          changes: changes))
    }
    (self.name, self.platform, headTime) = (name, platform, time)
    described = object["described"].flatMap(CommitName.init(json:))
    waiting = object["waiting"]?.arrayValue?.compactMap(CommitName.init(json:)) ?? []
    farAhead = object["farAhead"]?.textValue.flatMap { Stamp(hex: $0) }
  }
}

extension CommitPlace {
  var bytes: [UInt8] {
    var bytes = device.bytes
    let words = [
      UInt64(branch), UInt64(sequence), stamp.rawValue, UInt64(bitPattern: time), UInt64(bitPattern: changes),
    ]
    for word in words {
      withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }
    return bytes
  }

  init?(bytes: [UInt8]) {
    guard bytes.count == 56, let device = DeviceID(bytes: bytes[..<16]) else { return nil }
    func word(_ index: Int) -> UInt64 {
      bytes[16 + index * 8..<24 + index * 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }
    self.init(
      device: device, branch: Int(truncatingIfNeeded: word(0)), sequence: Int64(bitPattern: word(1)),
      stamp: Stamp(rawValue: word(2)), time: Int64(bitPattern: word(3)),
      changes: Int64(bitPattern: word(4)))
  }
}
