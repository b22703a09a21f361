import ObjectStore
import Synchronization

/// Counts the calls to another file system, and fails one of them, or all from one on.
public final class FaultyFileSystem: FileSystem {
  /// The calls, as the protocol has them. `close` is counted but never fails and never moves a fault.
  public enum Call: String, CaseIterable, Sendable {
    case open, close, read, write, sync, truncate, statusOfDescriptor, lock, statusOfPath, readLink, rename
    case remove, removeDirectory, makeDirectory, list, syncDirectory, setPermissions, touch
  }

  public enum Persistence: Sendable {
    /// The n-th call fails; those after it are fine.
    case once
    /// The n-th call and all that the filter lets count after it fail.
    case fromThenOn
    /// The process is gone: from the n-th call on every call fails with `deathCode`, whatever its kind.
    case death
  }

  /// Which call fails, and how.
  public struct Fault: Sendable {
    /// Counted from 1, over the calls that the filter lets through, from when the fault was set.
    public var call: Int
    public var code: Int32
    public var persistence: Persistence
    /// Only these kinds count and fail; nil: all.
    public var only: Set<Call>?
    /// A write that fails leaves the first half of its bytes behind.
    public var tearsWrites: Bool

    public init(
      call: Int, code: Int32, _ persistence: Persistence = .once, only: Set<Call>? = nil,
      tearsWrites: Bool = false
    ) {
      self.call = call
      self.code = code
      self.persistence = persistence
      self.only = only
      self.tearsWrites = tearsWrites
    }

    /// Death at the n-th call.
    public static func death(at call: Int, tearsWrites: Bool = false) -> Fault {
      Fault(call: call, code: FaultyFileSystem.deathCode, .death, tearsWrites: tearsWrites)
    }
  }

  /// The calls made so far.
  public struct Counters: Equatable, Sendable {
    public var calls: [Call: Int] = [:]
    public var bytesRead = 0
    public var bytesWritten = 0
    /// All calls but `close`.
    public var total: Int { calls.reduce(0) { $1.key == .close ? $0 : $0 + $1.value } }
    public subscript(_ call: Call) -> Int { calls[call] ?? 0 }
  }

  /// One call: its kind and the path, for a descriptor the path it was opened by.
  public struct TraceEntry: Equatable, Sendable {
    public let call: Call
    public let path: String
  }

  /// `ENOSPC`, which has this value on Linux and macOS.
  public static let noSpace: Int32 = 28
  /// No `errno` has this value: who meets it was about to outlive its own death.
  public static let deathCode: Int32 = 9999

  private struct State: Sendable {
    var counters = Counters()
    var fault: Fault?
    var counted = 0
    var failed = 0
    var tracing = false
    var trace: [TraceEntry] = []
    var paths: [Int32: String] = [:]
  }

  private let inner: any FileSystem
  private let state = Mutex(State())

  public init(_ inner: any FileSystem) { self.inner = inner }

  public var counters: Counters { state.withLock { $0.counters } }
  /// How many calls the fault has failed: 0 says that the run was shorter than its n.
  public var failures: Int { state.withLock { $0.failed } }
  /// The calls since `startTrace`.
  public var trace: [TraceEntry] { state.withLock { $0.trace } }

  public func resetCounters() { state.withLock { $0.counters = Counters() } }
  public func startTrace() { state.withLock { ($0.tracing, $0.trace) = (true, []) } }

  /// Sets the fault, or takes it away; its count starts now.
  public func setFault(_ fault: Fault?) {
    state.withLock { ($0.fault, $0.counted, $0.failed) = (fault, 0, 0) }
  }

  // MARK: What every call passes

  /// Counts a call; the fault that strikes it, if one does.
  private func strike(_ call: Call, _ path: String, _ descriptor: Int32) -> Fault? {
    state.withLock { s in
      s.counters.calls[call, default: 0] += 1
      if s.tracing {
        s.trace.append(TraceEntry(call: call, path: path.isEmpty ? s.paths[descriptor] ?? "" : path))
      }
      guard let fault = s.fault, call != .close else { return nil }
      let dead = fault.persistence == .death && s.failed > 0
      if !dead {
        if let only = fault.only, !only.contains(call) { return nil }
        s.counted += 1
        if s.counted < fault.call || (s.counted > fault.call && fault.persistence == .once) { return nil }
      }
      s.failed += 1
      return fault
    }
  }

  private func pass(_ call: Call, _ path: String = "", descriptor: Int32 = -1) throws(SystemError) {
    if let fault = strike(call, path, descriptor) {
      throw SystemError(call: call.rawValue, path: path, code: fault.code)
    }
  }
}

extension FaultyFileSystem {
  public func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    try pass(.open, path)
    let descriptor = try inner.open(path, mode)
    state.withLock { $0.paths[descriptor] = path }
    return descriptor
  }

  public func close(_ descriptor: Int32) {
    _ = strike(.close, "", descriptor)
    state.withLock { $0.paths[descriptor] = nil }
    inner.close(descriptor)
  }

  public func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    try pass(.read, descriptor: descriptor)
    let count = try inner.read(descriptor, into: buffer, at: offset)
    state.withLock { $0.counters.bytesRead += count }
    return count
  }

  public func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int {
    if let fault = strike(.write, "", descriptor) {
      let first = state.withLock { $0.failed == 1 }
      if fault.tearsWrites, first {
        _ = try inner.write(descriptor, .init(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
      }
      throw SystemError(call: Call.write.rawValue, path: "", code: fault.code)
    }
    let count = try inner.write(descriptor, bytes, at: offset)
    state.withLock { $0.counters.bytesWritten += count }
    return count
  }

  public func sync(_ descriptor: Int32) throws(SystemError) {
    try pass(.sync, descriptor: descriptor)
    try inner.sync(descriptor)
  }

  public func truncate(_ descriptor: Int32, to length: Int64) throws(SystemError) {
    try pass(.truncate, descriptor: descriptor)
    try inner.truncate(descriptor, to: length)
  }

  public func status(_ descriptor: Int32) throws(SystemError) -> FileStatus {
    try pass(.statusOfDescriptor, descriptor: descriptor)
    return try inner.status(descriptor)
  }

  public func lock(_ descriptor: Int32) throws(SystemError) -> Bool {
    try pass(.lock, descriptor: descriptor)
    return try inner.lock(descriptor)
  }

  public func status(_ path: String) throws(SystemError) -> FileStatus? {
    try pass(.statusOfPath, path)
    return try inner.status(path)
  }

  public func readLink(_ path: String) throws(SystemError) -> String {
    try pass(.readLink, path)
    return try inner.readLink(path)
  }

  public func rename(_ source: String, to target: String) throws(SystemError) {
    try pass(.rename, target)
    try inner.rename(source, to: target)
  }

  public func remove(_ path: String) throws(SystemError) {
    try pass(.remove, path)
    try inner.remove(path)
  }

  public func removeDirectory(_ path: String) throws(SystemError) {
    try pass(.removeDirectory, path)
    try inner.removeDirectory(path)
  }

  public func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) {
    try pass(.makeDirectory, path)
    try inner.makeDirectory(path, permissions: permissions)
  }

  public func list(_ path: String) throws(SystemError) -> [DirectoryEntry] {
    try pass(.list, path)
    return try inner.list(path)
  }

  public func syncDirectory(_ path: String) throws(SystemError) {
    try pass(.syncDirectory, path)
    try inner.syncDirectory(path)
  }

  public func setPermissions(_ path: String, _ permissions: UInt32) throws(SystemError) {
    try pass(.setPermissions, path)
    try inner.setPermissions(path, permissions)
  }

  public func touch(_ path: String) throws(SystemError) {
    try pass(.touch, path)
    try inner.touch(path)
  }
}
