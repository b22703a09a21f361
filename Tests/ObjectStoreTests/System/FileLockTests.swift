import ObjectStore
import Synchronization
import TestSupport
import Testing

/// A clock that moves only while somebody sleeps.
private final class FakeClock: Sendable {
  private let state = Mutex((now: Int64(1000), sleeps: [Int64]()))
  private let onSleep: @Sendable (Int) -> Void

  init(onSleep: @escaping @Sendable (Int) -> Void = { _ in }) { self.onSleep = onSleep }

  var sleeps: [Int64] { state.withLock { $0.sleeps } }

  var clock: Clock {
    Clock(
      now: { self.state.withLock { $0.now } },
      sleep: { pause in
        let count = self.state.withLock { state in
          state.now += pause
          state.sleeps.append(pause)
          return state.sleeps.count
        }
        self.onSleep(count)
      })
  }
}

@Suite struct FileLockTests {
  @Test func aFreeLockIsHadAtOnceAndItsFileIsPrivate() throws {
    let files = MemoryFileSystem()
    let time = FakeClock()
    let lock = try FileLock.acquire("/lock", wait: 100, in: files, clock: time.clock)
    #expect(time.sleeps.isEmpty)
    #expect(try files.status("/lock")?.permissions == 0o600)
    _ = consume lock
    #expect(files.openDescriptors == 0)
  }

  @Test(arguments: [0, 1, 7, 100, 30_000])
  func aHeldLockIsWaitedForAsLongAsAskedAndNoLonger(wait: Int64) throws {
    let files = MemoryFileSystem()
    let held = try FileLock.acquireIfFree("/lock", in: files)
    let time = FakeClock()
    let error = #expect(throws: LockTimeout.self) {
      _ = try FileLock.acquire("/lock", wait: wait, in: files, clock: time.clock)
    }
    #expect(error?.path == "/lock" && error?.waited == wait)
    #expect(time.sleeps.reduce(0, +) == wait)
    #expect(time.sleeps.allSatisfy { (1...20).contains($0) }, "short pauses")
    #expect(time.sleeps.count <= 5 + Int(wait) / 16, "and not ever so many")
    _ = consume held
    #expect(files.openDescriptors == 0)
  }

  @Test func aWallClockThatIsSetEndsNoWait() throws {
    let files = MemoryFileSystem()
    let holder = try files.open("/lock", .openOrCreate(permissions: 0o600))
    #expect(try files.lock(holder))
    let time = FakeClock(onSleep: { if $0 == 4 { files.close(holder) } })
    let leaping = Atomic<Int64>(0)
    let clock = Clock(
      now: { leaping.add(1_000_000, ordering: .relaxed).newValue }, ticks: time.clock.now,
      sleep: time.clock.sleep)
    _ = try FileLock.acquire("/lock", wait: 100, in: files, clock: clock)
    #expect(time.sleeps.count == 4)
  }

  @Test func aLockThatIsGivenBackIsHad() throws {
    let files = MemoryFileSystem()
    let holder = try files.open("/lock", .openOrCreate(permissions: 0o600))
    #expect(try files.lock(holder))
    let time = FakeClock(onSleep: { if $0 == 4 { files.close(holder) } })
    let lock = try FileLock.acquire("/lock", wait: 30_000, in: files, clock: time.clock)
    #expect(time.sleeps.count == 4)
    _ = consume lock
  }

  @Test func oneHolderAtATimeOnTheRealFileSystem() throws {
    let folder = try TemporaryFolder()
    let (path, system) = ("\(folder.path)/lock", PosixFileSystem())
    let first = try FileLock.acquireIfFree(path, in: system)
    let second = try FileLock.acquireIfFree(path, in: system)
    let (isHad, isHadTwice) = (first != nil, second != nil)
    #expect(isHad && !isHadTwice)
    _ = consume first
    let third = try FileLock.acquireIfFree(path, in: system)
    let isHadAgain = third != nil
    #expect(isHadAgain)
  }

  @Test func aFailureIsNoTimeout() throws {
    let faulty = FaultyFileSystem(MemoryFileSystem())
    faulty.setFault(.init(call: 1, code: 5, .once, only: [.lock]))
    #expect(throws: SystemError.self) {
      _ = try FileLock.acquire("/lock", wait: 100, in: faulty, clock: FakeClock().clock)
    }
  }
}
