import ObjectStore
import Synchronization

/// Is told how syncs go: the start, then steps, then completion or failure, in this order.
///
/// Each observer is called on a thread of its own, one call after another: one that is slow holds up nobody but itself.
public protocol SyncObserver: AnyObject, Sendable {
  func syncDidStart()
  /// Steps that are done, of how many.
  func syncDidProgress(current: Int, total: Int)
  func syncDidComplete(result: SyncResult)
  func syncDidFail(error: SyncError)
}

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

  func tell(_ observer: any SyncObserver) {
    switch self {
    case .start: observer.syncDidStart()
    case .progress(let current, let total): observer.syncDidProgress(current: current, total: total)
    case .completion(let result): observer.syncDidComplete(result: result)
    case .failure(let error): observer.syncDidFail(error: error)
    }
  }
}

/// The observers of one engine or manager. It holds them until they are removed.
final class ObserverList: Sendable {
  fileprivate struct Entry: Sendable {
    let observer: any SyncObserver
    let thread: SerialThread
  }

  fileprivate let entries = Mutex<[Entry]>([])

  func add(_ observer: any SyncObserver) {
    entries.withLock { entries in
      guard !entries.contains(where: { $0.observer === observer }) else { return }
      entries.append(Entry(observer: observer, thread: SerialThread()))
    }
  }

  func remove(_ observer: any SyncObserver) {
    entries.withLock { $0.removeAll { $0.observer === observer } }
  }

  func tell(_ event: SyncEvent) {
    entries.withLock { entries in
      for entry in entries {
        let observer = entry.observer
        entry.thread.perform { event.tell(observer) }
      }
    }
  }
}

extension ObserverList {
  /// Waits until one observer was told all that was said so far.
  func drain(_ observer: any SyncObserver) async {
    let thread = entries.withLock { entries in entries.first { $0.observer === observer }?.thread }
    guard let thread else { return }
    await withCheckedContinuation { done in thread.perform { done.resume() } }
  }
}
