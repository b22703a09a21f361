import CanonicalJSON
import Synchronization

/// Settles two versions of one record, by a strategy or by a handler that the app registered for its type.
public final class SyncConflictResolver: Sendable {
  /// Merges the local version with the remote one. What it throws settles nothing: the conflict stays open.
  public typealias MergeHandler =
    @Sendable (any SyncableRecord, any SyncableRecord) async throws ->
    any SyncableRecord
  /// The same, with the version that both began from, where it is known.
  public typealias ThreeWayMergeHandler =
    @Sendable (
      any SyncableRecord, any SyncableRecord, (any SyncableRecord)?
    ) async throws -> any SyncableRecord

  /// How conflicts were settled. One that is handled anew, since its record changed meanwhile, counts once.
  public struct ConflictStatistics: Hashable, Sendable {
    public internal(set) var totalConflicts = 0
    public internal(set) var resolvedConflicts = 0
    /// Those whose handler threw, took too long, or gave an answer that is none for the record.
    public internal(set) var failedConflicts = 0
    public internal(set) var byStrategy: [ConflictResolutionStrategy: Int] = [:]
  }

  private struct State {
    var handlers: [String: ThreeWayMergeHandler] = [:]
    /// Of the handlers those that ask for the base: it costs a walk through the store.
    var basedHandlers: Set<String> = []
    var statistics = ConflictStatistics()
  }

  private let state = Mutex(State())

  public init() {}

  /// What was settled since this object was made.
  public var conflictStats: ConflictStatistics { state.withLock { $0.statistics } }

  /// Registers the handler of a record type; a later one takes the place of an earlier one. A handler for a history
  /// is never called: a history has no conflicts.
  public func registerMergeHandler(for recordType: String, _ handler: @escaping MergeHandler) {
    register(recordType, takesBase: false) { local, remote, _ in try await handler(local, remote) }
  }

  /// The same with the base, which is nil where this device does not hold it.
  public func registerMergeHandler(for recordType: String, _ handler: @escaping ThreeWayMergeHandler) {
    register(recordType, takesBase: true, handler)
  }

  private func register(_ recordType: String, takesBase: Bool, _ handler: @escaping ThreeWayMergeHandler) {
    let kind = KindRegistry.canonicalName(recordType)
    state.withLock { state in
      state.handlers[kind] = handler
      if takesBase { state.basedHandlers.insert(kind) } else { state.basedHandlers.remove(kind) }
    }
  }

  /// The version that stands. A handler that throws leaves it to the latest write.
  public func resolve(
    local: any SyncableRecord, remote: any SyncableRecord,
    strategy: ConflictResolutionStrategy = .lastWriteWins
  ) async -> any SyncableRecord {
    switch strategy {
    case .preferLocal: note(strategy, isResolved: true)
    case .preferRemote: note(strategy, isResolved: true)
    case .lastWriteWins: note(strategy, isResolved: true)
    case .manual: note(strategy, isResolved: false)
    case .merge:
      if handler(for: local.recordType) == nil { break }
      let merged = try? await merged(local: local, remote: remote)
      note(.merge, isResolved: merged != nil, isFailed: merged == nil)
      if let merged { return merged }
    }
    return switch strategy {
    case .preferLocal: local
    case .preferRemote: remote
    default: Self.latest(local, remote)
    }
  }

  /// What the handler of the type makes of two versions; nil where there is none. Whoever asks notes how it went.
  func merged(
    local: any SyncableRecord, remote: any SyncableRecord, base: (any SyncableRecord)? = nil
  ) async throws -> (any SyncableRecord)? {
    try await handler(for: local.recordType)?(local, remote, base)
  }

  /// Whether the handler of a kind asks for the base.
  func takesBase(_ kind: String) -> Bool { state.withLock { $0.basedHandlers.contains(kind) } }

  func handler(for recordType: String) -> ThreeWayMergeHandler? {
    let kind = KindRegistry.canonicalName(recordType)
    guard KindRegistry().family(of: kind) != .history else { return nil }
    return state.withLock { $0.handlers[kind] }
  }

  func note(_ strategy: ConflictResolutionStrategy, isResolved: Bool = false, isFailed: Bool = false) {
    state.withLock { state in
      state.statistics.totalConflicts += 1
      state.statistics.byStrategy[strategy, default: 0] += 1
      if isResolved { state.statistics.resolvedConflicts += 1 }
      if isFailed { state.statistics.failedConflicts += 1 }
    }
  }

  /// The later stamp, then the greater bytes: never an arrival.
  private static func latest(
    _ local: any SyncableRecord, _ remote: any SyncableRecord
  ) -> any SyncableRecord {
    if local.version != remote.version { return local.version > remote.version ? local : remote }
    let (here, there) = (local.payload.canonicalBytes, remote.payload.canonicalBytes)
    return here.lexicographicallyPrecedes(there) ? remote : local
  }
}
