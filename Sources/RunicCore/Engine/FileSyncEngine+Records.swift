import CanonicalJSON
import ObjectStore

extension FileSyncEngine {
  /// The most records that share one step of writing.
  private static let batchLimit = 10_000

  /// Records a whole payload. It lasts when this returns, and goes to the remote with a sync soon after: the priority
  /// decides how soon, never whether.
  ///
  /// Calls that wait together share one commit.
  ///
  /// - Returns: a failure where nothing was recorded.
  @discardableResult
  public func enqueue(
    _ record: any SyncableRecord, priority: SyncPriority = .normal
  ) async -> Result<Void, SyncError> {
    let result = await store(IncomingRecord(record))
    if case .success = result { requestSync(priority) }
    return result.map { _ in () }
  }

  func store(_ record: IncomingRecord) async -> Result<String, SyncError> {
    await withCheckedContinuation { continuation in
      line.append((record, continuation))
      startStoring()
    }
  }

  private func startStoring() {
    guard !isStoring else { return }
    isStoring = true
    Task { await storeLine() }
  }

  private func storeLine() async {
    while !line.isEmpty {
      let batch = Array(line.prefix(Self.batchLimit))
      line.removeFirst(batch.count)
      let results = await storeBatch(batch.map(\.record))
      for (waiter, result) in zip(batch, results) { waiter.done.resume(returning: result) }
    }
    isStoring = false
  }

  private func storeBatch(_ batch: [IncomingRecord]) async -> [Result<String, SyncError>] {
    do {
      let results = try await records.run { try RecordIntake.store(batch, in: $0) }
      say("recorded \(batch.count)")
      return results
    } catch {
      say("recording failed: \(SyncError(error))")
      return batch.map { _ in .failure(SyncError(error)) }
    }
  }

  /// Lets a strategy pick the side of keys that differ and have no base.
  func decide(_ strategy: ConflictResolutionStrategy) async throws {
    let choice: SourceChoice
    switch strategy {
    case .preferLocal: choice = .preferLocal
    case .preferRemote: choice = .preferRemote
    case .lastWriteWins, .manual, .merge: return
    }
    try await records.run { try $0.decide(choice) }
  }

  public func push(records: [any SyncableRecord]) async -> Result<[String], SyncError> {
    let stored = await withTaskGroup(of: (Int, Result<String, SyncError>).self) { group in
      for (index, record) in records.enumerated() {
        let incoming = IncomingRecord(record)
        group.addTask { (index, await self.store(incoming)) }
      }
      var results = [Result<String, SyncError>?](repeating: nil, count: records.count)
      for await (index, result) in group { results[index] = result }
      return results.compactMap { $0 }
    }
    do {
      let ids = try stored.map { try $0.get() }
      if remoteName != nil {
        _ = try await inTurn { engine in
          let round = AppRound(.push)
          return try await engine.run(round) { try await engine.pushOnce(SyncOptions(), round) }
        }
      }
      return .success(ids)
    } catch {
      if remoteName != nil { requestSync(.normal) }
      return .failure(SyncError(error))
    }
  }

  /// Where the remote is away, what is here is answered.
  public func fetch(recordTypes: [String]) async -> Result<[any SyncableRecord], SyncError> {
    if remoteName != nil {
      let pulled: Result<Void, SyncError> = await result {
        _ = try await self.inTurn { engine in
          let (round, options) = (AppRound(.pull), SyncOptions(retries: false))
          return try await engine.run(round) { try await engine.pullOnce(options, round) }
        }
      }
      switch pulled {
      case .failure(.damaged(let text)): return .failure(.damaged(text))
      case .failure(.wrongKey(let text)): return .failure(.wrongKey(text))
      case .failure(let error): say("read what is here: \(error)")
      case .success: break
      }
    }
    return await read(recordTypes: recordTypes)
  }

  /// Reads all records of some types that are here, and asks no remote.
  public func read(recordTypes: [String]) async -> Result<[any SyncableRecord], SyncError> {
    await result { try await self.records.run { try $0.handOver(types: recordTypes) } }
  }

  /// Deletes keyed records by id, or by `TYPE/ID` where several types have a record of that id. A history's records
  /// are never deleted.
  public func delete(recordIDs: [String]) async -> Result<[String], SyncError> {
    let deleted = await result { try await self.records.run { try $0.deleteRecords(recordIDs) } }
    if case .success = deleted { requestSync(.normal) }
    return deleted
  }

  /// Makes the index anew from the store. Nothing that was recorded is touched.
  public func resetSync() async -> Result<Void, SyncError> {
    await result {
      try await self.records.run { repository in
        try repository.dropIndex()
        try repository.read { _ in }
      }
    }
  }

  func result<Value: Sendable>(
    _ body: @Sendable () async throws -> Value
  ) async -> Result<Value, SyncError> {
    do { return .success(try await body()) } catch { return .failure(SyncError(error)) }
  }
}
