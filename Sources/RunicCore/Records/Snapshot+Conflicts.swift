import CanonicalJSON
import ObjectStore

extension Snapshot {
  /// All open conflicts, by record and key.
  public func conflicts() throws -> [RecordConflict] {
    var result: [RecordConflict] = []
    for name in try conflictingRecords() { result += try conflicts(of: name) }
    return result
  }

  /// The records that have a conflict.
  public func conflictingRecords() throws -> [RecordName] {
    var names: [RecordName] = []
    try index.table.scan(prefix: [IndexKey.conflict]) { key, _ in
      if let name = IndexKey.name(Array(key.dropFirst())) { names.append(name) }
      return true
    }
    return names
  }

  /// The conflicts of one record.
  public func conflicts(of name: RecordName) throws -> [RecordConflict] {
    guard name.family == .keys, let state = try index.keyed(name) else { return [] }
    var result: [RecordConflict] = []
    var atStake: [ConflictValue] = []
    for conflict in state.conflicts {
      switch conflict {
      case .differing(let key, let shown, let others):
        result.append(
          RecordConflict(
            name: name, key: key.string, shown: shown.value, others: others.map(value(of:)),
            concernsDelete: false))
      case .hiddenEdit(_, _, let writes): atStake.append(contentsOf: hidden(writes))
      case .overruledDelete(let deletion): atStake.append(value(of: deletion))
      }
    }
    if !atStake.isEmpty {
      result.append(
        RecordConflict(
          name: name, key: nil, shown: state.payload, others: atStake.sorted(by: Self.isLater),
          concernsDelete: true))
    }
    return result
  }

  /// The latest first. No commit's hash decides, so that an imported record lists the same.
  private static func isLater(_ a: ConflictValue, _ b: ConflictValue) -> Bool {
    if a.stamp != b.stamp { return a.stamp > b.stamp }
    return a.value != b.value ? precedes(b.value, a.value) : a.device < b.device
  }

  /// The devices whose writes of a keyed record stand, shown or not, and what people call them.
  public func writers(of name: RecordName) throws -> [(device: DeviceID, name: String)] {
    guard name.family == .keys, let state = try index.keyed(name) else { return [] }
    let writers = Set(state.heads.flatMap { $0.heads.map(\.writer) })
    return writers.map { (device: $0.device, name: self.name(of: $0)) }
  }

  private func value(of head: RegisterHead) -> ConflictValue {
    ConflictValue(
      value: head.value, isDelete: head.value == nil, device: head.writer.device,
      deviceName: name(of: head.writer), time: head.writer.time, stamp: head.stamp)
  }

  private func value(of deletion: Deletion) -> ConflictValue {
    ConflictValue(
      value: nil, isDelete: true, device: deletion.writer.device, deviceName: name(of: deletion.writer),
      time: deletion.writer.time, stamp: deletion.stamp)
  }

  /// What one commit wrote into a generation that is not shown, as one object.
  private func hidden(_ writes: [Conflict.HiddenWrite]) -> [ConflictValue] {
    guard let head = writes.first?.head else { return [] }
    let shown = ShownRecord(
      whole: writes.first { $0.key == .whole }?.head.value,
      registers: writes.compactMap { write in
        if case .key(let key) = write.key {
          ShownRecord.Member(key: key, value: write.head.value)
        } else {
          nil
        }
      })
    return [
      ConflictValue(
        value: shown.payload, isDelete: false, device: head.writer.device, deviceName: name(of: head.writer),
        time: head.writer.time, stamp: head.stamp)
    ]
  }
}

extension RegisterKey {
  /// The key's name; nil for the register that holds the whole payload.
  var string: JSONString? {
    switch self {
    case .whole: nil
    case .key(let bytes): JSONString(utf8: bytes)
    }
  }
}
