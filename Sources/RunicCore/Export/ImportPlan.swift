import ObjectStore

/// The changes that bring one keyed record in, one for each commit.
struct ImportPlan {
  enum Step {
    case write(ExportedKeyed.Write)
    case delete(ExportedKeyed.Delete)
    /// A write of which only its stamp is left; the writes of that register that come after it replace it.
    case superseded(ExportedKeyed.Write, RegisterKey)
    /// Nothing but what it settles, in a generation and under a stamp that are there anyway.
    case settling(generation: Int64, Stamp)
  }

  let name: RecordName
  private(set) var steps: [Step] = []
  /// For each step that was written, which of the transaction's commits it went into.
  var places: [Int] = []

  /// - Parameter isKnown: whether a commit is here, or was imported before.
  init(
    _ record: ExportedKeyed, _ name: RecordName, _ state: KeyedState, isKnown: (Digest) throws -> Bool
  ) rethrows {
    self.name = name
    let writes = try record.writes.filter { write in
      try write.origin.commit.map { try !isKnown($0) } ?? true && !state.holds(write)
    }
    let deletes = try record.deletes.filter { delete in
      try delete.origin.commit.map { try !isKnown($0) } ?? true && !state.holds(delete)
    }
    steps = Self.superseded(record, writes, state)
    // What is settled goes first, for the last step is to list it.
    steps += writes.filter(\.isSettled).map(Step.write) + deletes.filter(\.isSettled).map(Step.delete)
    steps += writes.filter { !$0.isSettled }.map(Step.write)
    steps += deletes.filter { !$0.isSettled }.map(Step.delete)
    if steps.contains(where: \.isSettled) { steps += Self.headless(record, state) }
    if let last = steps.last, last.isSettled, let settling = Self.settling(writes, state) {
      steps.append(settling)
    }
  }

  /// A generation lives by its latest write, also where that was replaced by one with an older stamp.
  private static func superseded(
    _ record: ExportedKeyed, _ writes: [ExportedKeyed.Write], _ state: KeyedState
  ) -> [Step] {
    record.latest.sorted { $0.key < $1.key }.compactMap { generation, stamp in
      guard (state.latestWrites[generation] ?? .zero) < stamp,
        let write = writes.first(where: { $0.generation == generation }),
        let register = write.values.keys.min()
      else { return nil }
      let ghost = ExportedKeyed.Write(
        generation: generation, values: [register: nil], stamp: stamp,
        origin: Origin(
          device: write.origin.device, deviceName: write.origin.deviceName, time: write.origin.time),
        isResolution: false, isSettled: false)
      return .superseded(ghost, register)
    }
  }

  /// The generations that live by a change which only settles, and so has left no write.
  private static func headless(_ record: ExportedKeyed, _ state: KeyedState) -> [Step] {
    let written = Set(record.writes.map(\.generation))
    return record.latest.sorted { $0.key < $1.key }.compactMap { generation, stamp in
      let isNew = !written.contains(generation) && (state.latestWrites[generation] ?? .zero) < stamp
      return isNew ? .settling(generation: generation, stamp) : nil
    }
  }

  private static func settling(_ writes: [ExportedKeyed.Write], _ state: KeyedState) -> Step? {
    if let write = writes.first { return .settling(generation: write.generation, write.stamp) }
    return state.latestWrites.min { $0.key < $1.key }.map { .settling(generation: $0.key, $0.value) }
  }

  /// About how many bytes wait.
  var size: Int {
    steps.reduce(0) { size, step in
      guard case .write(let write) = step else { return size + 256 }
      return size + write.values.reduce(256) { $0 + ($1.value?.count ?? 0) }
    }
  }

  // MARK: - Changes

  func change(_ layer: Int, commits: [CommitName]) -> Change {
    let settles = layer == steps.count - 1 || steps[layer].isSettling ? settled(commits) : []
    switch steps[layer] {
    case .write(let write): return .set(register(write, settles: settles, commits))
    case .superseded(let write, _): return .set(register(write, settles: settles, []))
    case .delete(let delete):
      return .delete(
        RecordDelete(
          kind: name.kind, id: name.id, generation: delete.generation, settles: settles, stamp: delete.stamp,
          origin: delete.origin))
    case .settling(let generation, let stamp):
      return .set(
        RegisterWrite(
          kind: name.kind, id: name.id, generation: generation, writes: [:], settles: settles, stamp: stamp))
    }
  }

  private func register(
    _ write: ExportedKeyed.Write, settles: [Digest], _ commits: [CommitName]
  ) -> RegisterWrite {
    var values: [RegisterKey: WrittenValue] = [:]
    for (key, value) in write.values {
      let replaced = ghosts(of: key, write.generation, commits)
      values[key] = WrittenValue(value: value, replaces: replaced)
    }
    return RegisterWrite(
      kind: name.kind, id: name.id, generation: write.generation, writes: values, settles: settles,
      isResolution: write.isResolution, stamp: write.stamp, origin: write.origin)
  }

  /// The commits of the writes without a value of their own that a write of this register replaces.
  private func ghosts(of key: RegisterKey, _ generation: Int64, _ commits: [CommitName]) -> [Digest] {
    guard !commits.isEmpty else { return [] }
    return hashes(commits) { step in
      guard case .superseded(let ghost, let register) = step else { return false }
      return register == key && ghost.generation == generation
    }
  }

  private func settled(_ commits: [CommitName]) -> [Digest] { hashes(commits, of: \.isSettled) }

  private func hashes(_ commits: [CommitName], of isMeant: (Step) -> Bool) -> [Digest] {
    let meant = zip(steps, places).filter { isMeant($0.0) && commits.indices.contains($0.1) }
    return meant.map { commits[$0.1].hash }.sorted()
  }
}

extension ImportPlan.Step {
  fileprivate var isSettled: Bool {
    switch self {
    case .write(let write): write.isSettled
    case .delete(let delete): delete.isSettled
    case .superseded, .settling: false
    }
  }

  fileprivate var isSettling: Bool { if case .settling = self { true } else { false } }
}

extension KeyedState {
  /// Whether these heads are here already, by whichever way they came.
  fileprivate func holds(_ write: ExportedKeyed.Write) -> Bool {
    write.values.allSatisfy { key, value in
      let (place, isThere) = position(of: Register(generation: write.generation, key: key))
      guard isThere else { return false }
      return registers[place].heads.contains { head in
        head.value == value && head.stamp == write.stamp && head.writer.device == write.origin.device
          && head.writer.time == write.origin.time
      }
    }
  }

  fileprivate func holds(_ delete: ExportedKeyed.Delete) -> Bool {
    deletions.contains { known in
      known.generation == delete.generation && known.stamp == delete.stamp
        && known.writer.device == delete.origin.device
    }
  }
}
