import ObjectStore
import Synchronization

/// Is told how syncs go: the start, then steps, then completion or failure, in this order.
///
/// Each observer is called on a thread of its own, one call after another: one that is slow, blocks or throws holds
/// up nobody but itself. Of what waits for it the latest 4096 events are kept: one that falls further behind misses
/// the oldest. A method may be `async` or not, throw or not, or belong to a global actor.
public protocol SyncObserver: AnyObject, Sendable {
  /// A sync begins.
  func syncDidStart() async throws
  /// Steps that are done, of how many.
  func syncDidProgress(current: Int, total: Int) async throws
  /// The sync went through; its result may have warnings.
  func syncDidComplete(result: SyncResult) async throws
  /// The sync failed; what was recorded waits for the next one.
  func syncDidFail(error: SyncError) async throws
}

// An observer is told what it has a method for.
extension SyncObserver {
  public func syncDidStart() {}
  public func syncDidProgress(current: Int, total: Int) {}
  public func syncDidComplete(result: SyncResult) {}
  public func syncDidFail(error: SyncError) {}
}

/// One thing that an observer is told.
enum SyncEvent: Sendable {
  case start
  case progress(current: Int, total: Int)
  case completion(SyncResult)
  case failure(SyncError)

  func tell(_ observer: any SyncObserver) async throws {
    switch self {
    case .start: try await observer.syncDidStart()
    case .progress(let current, let total):
      try await observer.syncDidProgress(current: current, total: total)
    case .completion(let result): try await observer.syncDidComplete(result: result)
    case .failure(let error): try await observer.syncDidFail(error: error)
    }
  }
}

/// The observers of one engine or manager. It holds them until they are removed.
final class ObserverList: Sendable {
  private struct Entry: Sendable {
    let observer: any SyncObserver
    let events: AsyncStream<SyncEvent>.Continuation
  }

  private let entries = Mutex<[Entry]>([])

  deinit {
    for entry in entries.withLock({ $0 }) { entry.events.finish() }
  }

  func add(_ observer: any SyncObserver) {
    entries.withLock { entries in
      guard !entries.contains(where: { $0.observer === observer }) else { return }
      entries.append(Entry(observer: observer, events: Self.deliver(to: observer)))
    }
  }

  func remove(_ observer: any SyncObserver) {
    entries.withLock { entries in
      for entry in entries where entry.observer === observer { entry.events.finish() }
      entries.removeAll { $0.observer === observer }
    }
  }

  func tell(_ event: SyncEvent) {
    for entry in entries.withLock({ $0 }) { entry.events.yield(event) }
  }

  /// How many events wait for an observer that does not come to an end; the oldest are dropped.
  private static let patience = 4096

  private static func deliver(to observer: any SyncObserver) -> AsyncStream<SyncEvent>.Continuation {
    let (events, continuation) = AsyncStream<SyncEvent>.makeStream(
      bufferingPolicy: .bufferingNewest(patience))
    // Where the system gives no thread, the observer is called on one of the pool's.
    Task(executorPreference: try? BlockingTaskExecutor()) {
      for await event in events { try? await event.tell(observer) }
    }
    return continuation
  }
}

/// Runs tasks on a thread of their own, for code of others that may block.
final class BlockingTaskExecutor: TaskExecutor {
  private let thread: SerialThread

  init() throws(SystemError) { thread = try SerialThread() }

  func enqueue(_ job: consuming ExecutorJob) {
    let (job, executor) = (UnownedJob(job), asUnownedTaskExecutor())
    thread.perform { job.runSynchronously(on: executor) }
  }
}
