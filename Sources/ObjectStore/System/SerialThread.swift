#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A thread of its own that does one thing after another: where an actor's work blocks (files, locks, programs),
/// so that it never holds a thread of the cooperative pool. pthread_create(3).
///
/// The thread ends once nobody holds this object and what was given to it is done.
public final class SerialThread: SerialExecutor {
  private let mailbox = Mailbox()

  /// - Throws: where the system gives no thread: a limit (`ulimit -u`) is reached.
  public init() throws(SystemError) {
    let argument = Unmanaged.passRetained(mailbox)
    #if canImport(Darwin)
      var thread: pthread_t?
    #else
      var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread, nil,
      { argument in
        #if canImport(Darwin)
          let pointer: UnsafeMutableRawPointer? = argument
        #else
          let pointer = argument
        #endif
        if let pointer { Unmanaged<Mailbox>.fromOpaque(pointer).takeRetainedValue().run() }
        return nil
      }, argument.toOpaque())
    guard code == 0 else {
      argument.release()
      throw SystemError(call: "pthread_create", path: "", code: code)
    }
    #if canImport(Darwin)
      if let thread { pthread_detach(thread) }
    #else
      pthread_detach(thread)
    #endif
  }

  deinit { mailbox.close() }

  /// Does some work after all that was given before.
  public func perform(_ work: @escaping @Sendable () -> Void) { mailbox.add(work) }

  /// Waits until at most so many pieces of work are not done: what keeps a fast giver from piling them up.
  public func wait(untilAtMost count: Int) { mailbox.wait(untilAtMost: count) }

  public func enqueue(_ job: consuming ExecutorJob) {
    let (job, executor) = (UnownedJob(job), asUnownedSerialExecutor())
    mailbox.add { job.runSynchronously(on: executor) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}

/// What a thread has yet to do.
// Every member but the three handles is guarded by the mutex; the handles stay where they were allocated.
private final class Mailbox: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let wake = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let done = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var works: [@Sendable () -> Void] = []
  /// How many works are not done, the one at hand included.
  private var unfinished = 0
  private var isClosed = false

  init() {
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(wake, nil)
    pthread_cond_init(done, nil)
  }

  deinit {
    pthread_cond_destroy(done)
    pthread_cond_destroy(wake)
    pthread_mutex_destroy(mutex)
    done.deallocate()
    wake.deallocate()
    mutex.deallocate()
  }

  func add(_ work: @escaping @Sendable () -> Void) {
    pthread_mutex_lock(mutex)
    works.append(work)
    unfinished += 1
    pthread_cond_signal(wake)
    pthread_mutex_unlock(mutex)
  }

  func close() {
    pthread_mutex_lock(mutex)
    isClosed = true
    pthread_cond_signal(wake)
    pthread_mutex_unlock(mutex)
  }

  func run() {
    while let batch = next() {
      for work in batch {
        work()
        finishOne()
      }
    }
  }

  private func finishOne() {
    pthread_mutex_lock(mutex)
    unfinished -= 1
    pthread_cond_broadcast(done)
    pthread_mutex_unlock(mutex)
  }

  func wait(untilAtMost count: Int) {
    pthread_mutex_lock(mutex)
    while unfinished > count { pthread_cond_wait(done, mutex) }
    pthread_mutex_unlock(mutex)
  }

  /// Waits for work; nil once there is none and none will come.
  private func next() -> [@Sendable () -> Void]? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while works.isEmpty {
      if isClosed { return nil }
      pthread_cond_wait(wake, mutex)
    }
    let batch = works
    works = []
    return batch
  }
}
