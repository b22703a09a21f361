import CanonicalJSON
import ObjectStore

/// How a person settles a conflict.
public enum Resolution: Sendable {
  /// What this device wrote, or what others did; where one device wrote both sides, `theirs` is the one that is
  /// not shown.
  case ours, theirs
  /// What a device wrote: of two sides of its own the one that is not shown.
  case device(DeviceID)
  /// A value of the person's own; nil unsets the key.
  case value(JSONValue?)
  /// For a delete against an edit.
  case keep, delete

  fileprivate var concernsDelete: Bool {
    switch self {
    case .keep, .delete: true
    case .ours, .theirs, .device, .value: false
    }
  }
}

extension Transaction {
  /// Settles the conflicts of a record, or of one of its keys.
  ///
  /// - Returns: how many conflicting keys it settled, a delete for one, and how many are left for want of such a side.
  /// - Throws: `RunicError.notConflicting` where there is nothing that this resolution can settle.
  @discardableResult
  public func resolve(
    kind: Kind, id: [UInt8], key: JSONString?, as resolution: Resolution, if condition: Digest? = nil
  ) throws -> (settled: Int, left: Int) {
    let name = RecordName(family: .keys, kind: kind.name, id: id)
    let unknown = RunicError.notConflicting(kind: kind.name, id: String(decoding: id, as: UTF8.self))
    guard let state = try index.keyed(name), !state.conflicts.isEmpty else { throw unknown }
    try check(condition, name)
    if resolution.concernsDelete, key != nil || !state.conflicts.contains(where: \.concernsDelete) {
      throw unknown
    }
    switch resolution {
    case .keep:
      try append(to: name) { state, _ in .set(state.keep(kind: kind.name, id: id)) }
      return (1, 0)
    case .delete:
      try append(to: name) { state, stamp in .delete(state.delete(kind: kind.name, id: id, stamp: stamp)) }
      return (1, 0)
    default:
      let registers = Self.registers(of: state, key: key)
      guard !registers.isEmpty else { throw unknown }
      var settled = 0
      for register in registers where try settle(register, of: name, as: resolution) { settled += 1 }
      guard settled > 0 else { throw unknown }
      return (settled, registers.count - settled)
    }
  }

  private static func registers(of state: KeyedState, key: JSONString?) -> [RegisterKey] {
    state.conflicts.compactMap { conflict in
      guard case .differing(let register, _, _) = conflict else { return nil }
      return key == nil || register.string == key ? register : nil
    }
  }

  private func settle(
    _ register: RegisterKey, of name: RecordName, as resolution: Resolution
  ) throws -> Bool {
    try append(to: name) { state, _ in
      if case .value(let value) = resolution {
        return .set(
          state.resolve(register, to: value?.canonicalBytes, kind: name.kind, id: name.id))
      }
      let heads = RegisterHeads(
        register: Register(generation: 0, key: register), heads: state.heads(of: register))
      guard let head = heads.choice(by: resolution, isOwn: repository.device.isOwn) else { return nil }
      return .set(state.resolve(register, choosing: head, kind: name.kind, id: name.id))
    }
  }

  /// Writes the resolving commits that a strategy asks for, for the records that a merge changed.
  func resolve(_ names: some Sequence<RecordName>, under strategy: MergeStrategy) throws -> Int {
    var settled = 0
    for name in names where name.family == .keys {
      guard let state = try index.keyed(name) else { continue }
      let writes = state.resolutions(
        under: strategy, isOwn: repository.device.isOwn, kind: name.kind, id: name.id)
      for write in writes where try append(to: name, { _, _ in .set(write) }) { settled += 1 }
    }
    return settled
  }
}

extension RegisterHeads {
  /// The head that settles a register, of those that a resolution allows; nil where there is none.
  ///
  /// One device may have written both sides: as a machine before it was cloned, or as one whose settings file was
  /// edited while its record was. Then "the others", or that device by its name, mean the side that is not shown.
  func choice(by resolution: Resolution, isOwn: (DeviceID) -> Bool) -> RegisterHead? {
    guard let shown else { return nil }
    let hidden = heads.filter { $0.value != shown.value }
    func best(_ heads: [RegisterHead]) -> RegisterHead? { heads.max { $1.outranks($0) } }
    switch resolution {
    case .ours: return best(heads.filter { isOwn($0.writer.device) })
    case .theirs:
      let writers = Set(heads.map { isOwn($0.writer.device) ? nil : $0.writer.device })
      return best(writers.count == 1 ? hidden : heads.filter { !isOwn($0.writer.device) })
    case .device(let device):
      let theirs = heads.filter { $0.writer.device == device }
      let other = shown.writer.device == device ? best(theirs.filter { $0.value != shown.value }) : nil
      return other ?? best(theirs)
    case .value, .keep, .delete: return nil
    }
  }
}
