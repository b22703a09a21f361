import ObjectStore

/// What a device writes when it knows this state. Nothing here changes the state: the change goes into a
/// commit, and the commit is applied like any other.
extension KeyedState {
  /// A write of some registers; nil unsets one. A deleted record begins its next generation, from nothing.
  ///
  /// - Parameters:
  ///   - replacing: in place of the heads shown here, those that the writer had seen (the base of a source
  ///     that hands over whole payloads); a register that it does not name replaces the heads shown here.
  ///   - stamp: in place of the commit's, for what comes from elsewhere.
  public func write(
    _ values: [RegisterKey: [UInt8]?], kind: String, id: [UInt8], replacing: [RegisterKey: [Digest]] = [:],
    stamp: Stamp? = nil, origin: Origin? = nil
  ) -> RegisterWrite {
    let generation = writtenGeneration
    var writes: [RegisterKey: WrittenValue] = [:]
    for (key, value) in values {
      let replaces = replacing[key]?.sorted() ?? heads(of: key).map(\.commit)
      writes[key] = WrittenValue(value: value, replaces: replaces)
    }
    return RegisterWrite(
      kind: kind, id: id, generation: generation, writes: writes, settles: settles(writing: generation),
      stamp: stamp, origin: origin)
  }

  /// A delete by a commit with this stamp: of the newest generation, raised above every write known.
  public func delete(kind: String, id: [UInt8], stamp: Stamp, origin: Origin? = nil) -> RecordDelete {
    let above = latestWrites.values.max()?.successor ?? .zero
    return RecordDelete(
      kind: kind, id: id, generation: newestGeneration, settles: settles(writing: nil),
      stamp: above > stamp ? above : nil, origin: origin)
  }

  /// Settles a register of the shown generation on one of its heads, whose stamp, device and time it keeps.
  public func resolve(_ key: RegisterKey, choosing head: RegisterHead, kind: String, id: [UInt8])
    -> RegisterWrite
  {
    resolution(
      [key: head.value], kind: kind, id: id, stamp: head.stamp, origin: Origin(keeping: head.writer))
  }

  /// Settles a register on a value: as `resolve(_:choosing:kind:id:)` where a head has it, else as one of the
  /// resolving commit's own.
  public func resolve(_ key: RegisterKey, to value: [UInt8]?, kind: String, id: [UInt8]) -> RegisterWrite {
    let heads = RegisterHeads(register: Register(generation: 0, key: key), heads: heads(of: key)).distinct
    if let head = heads.first(where: { $0.value == value }) {
      return resolve(key, choosing: head, kind: kind, id: id)
    }
    return resolution([key: value], kind: kind, id: id)
  }

  /// Settles deletes and hidden edits in favour of the record. One that is shown stays as it is; one that is
  /// not comes back with what the newest generation with a hidden edit would show.
  public func keep(kind: String, id: [UInt8]) -> RegisterWrite {
    guard shownGeneration == nil, let hidden = newestHiddenGeneration else {
      return resolution([:], kind: kind, id: id)
    }
    var values: [RegisterKey: [UInt8]?] = [:]
    for entry in registers(of: hidden) {
      if let value = entry.shown?.value { values[entry.register.key] = .some(value) }
    }
    return resolution(values, kind: kind, id: id)
  }

  private func resolution(
    _ values: [RegisterKey: [UInt8]?], kind: String, id: [UInt8], stamp: Stamp? = nil, origin: Origin? = nil
  ) -> RegisterWrite {
    let plain = write(values, kind: kind, id: id, stamp: stamp, origin: origin)
    return RegisterWrite(
      kind: kind, id: id, generation: plain.generation, writes: plain.writes, settles: plain.settles,
      isResolution: true, stamp: stamp, origin: origin)
  }

  private var newestHiddenGeneration: Int64? {
    let hidden = registers.filter { $0.heads.contains { !$0.isSettled } }
    return hidden.last?.register.generation
  }

  /// The shown generation, else the one after the newest. At the end of the numbers there is no next one.
  private var writtenGeneration: Int64 {
    if let shown = shownGeneration { return shown }
    let newest = newestGeneration
    return newest == .max ? newest : newest + 1
  }

  /// The deletes known and the heads of other generations than the one written that no change lists yet; a
  /// delete writes none. Once is enough: what is listed stays listed.
  private func settles(writing generation: Int64?) -> [Digest] {
    var known = Set(deletes.lazy.filter { !$0.isSettled }.map(\.commit))
    for entry in registers where entry.register.generation != generation {
      for head in entry.heads where !head.isSettled { known.insert(head.commit) }
    }
    return known.sorted()
  }
}

extension Origin {
  /// A resolution is made now, but it shows the device and time of the write that it chose.
  init(keeping writer: Writer) {
    self.init(device: writer.device, deviceName: writer.deviceName, time: writer.time)
  }
}
