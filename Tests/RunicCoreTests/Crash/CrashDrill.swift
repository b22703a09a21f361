import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// How a call of the system goes wrong.
enum Blow: String, CaseIterable {
  case errorOnce, errorForGood, fullOnce, fullForGood, death

  private static let inputOutputError: Int32 = 5

  func fault(at call: Int) -> FaultyFileSystem.Fault {
    // Only what needs room fails for want of it.
    let writing: Set<FaultyFileSystem.Call> = [.open, .write, .sync, .truncate, .rename, .makeDirectory]
    return switch self {
    case .errorOnce: .init(call: call, code: Self.inputOutputError, tearsWrites: true)
    case .errorForGood: .init(call: call, code: Self.inputOutputError, .fromThenOn, tearsWrites: true)
    case .fullOnce: .init(call: call, code: FaultyFileSystem.noSpace, only: writing, tearsWrites: true)
    case .fullForGood:
      .init(call: call, code: FaultyFileSystem.noSpace, .fromThenOn, only: writing, tearsWrites: true)
    case .death: .death(at: call, tearsWrites: true)
    }
  }
}

/// A command that is struck at its n-th call, for every n, and what must hold after it.
struct CrashDrill {
  let start: MemoryFileSystem.Snapshot
  /// The command. Where it returns, it has acknowledged what it did.
  let act: (Workbench) throws -> Void
  /// What is wrong afterwards, on a disk that is well again.
  let problems: (Workbench, _ acknowledged: Bool) throws -> [String]

  init(
    _ prepare: (Workbench) throws -> Void, act: @escaping (Workbench) throws -> Void,
    problems: @escaping (Workbench, _ acknowledged: Bool) throws -> [String]
  ) throws {
    let bench = try Workbench()
    try prepare(bench)
    start = bench.disk.snapshot()
    self.act = act
    self.problems = problems
  }

  /// - Returns: how many calls the command makes.
  @discardableResult
  func run(_ blow: Blow) throws -> Int {
    var call = 0
    while true {
      call += 1
      let disk = MemoryFileSystem(start)
      let faulty = FaultyFileSystem(disk)
      let bench = try Workbench(faulty, seed: UInt64(call) &+ 10)
      faulty.setFault(blow.fault(at: call))
      let acknowledged = Self.succeeds { try act(bench) }
      if faulty.failures == 0 {
        #expect(acknowledged, "nothing failed")
        return call - 1
      }
      if disk.openDescriptors != 0 { Issue.record("\(blow) at call \(call): a descriptor is left open") }
      do {
        let found = try problems(try Workbench(disk, seed: UInt64(call) &+ 1_000_000), acknowledged)
        if found.isEmpty { continue }
        Issue.record("\(blow) at call \(call), acknowledged: \(acknowledged): \(found.prefix(4))")
      } catch {
        Issue.record("\(blow) at call \(call), acknowledged: \(acknowledged): \(error)")
      }
      faulty.setFault(nil)
      return call
    }
  }

  static func succeeds(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return true
    } catch { return false }
  }
}

/// What must hold of two devices and a folder after one of them was struck.
enum Aftermath {
  /// One more command, then a check here, a push, a check there, and the other device's pull.
  static func problems(
    _ bench: Workbench, struck: String = "a", other: String = "b", holding before: Repository.State = [:],
    counting amounts: Set<Int64> = []
  ) throws -> [String] {
    let device = try bench.open(struck)
    var problems = try missing(before, amounts, in: device)
    try device.use("after", 1)
    problems += try device.faults().map { "\(struck): \($0)" }
    _ = try device.push("shared")
    problems += try device.faultsOfRemote()
    let peer = try bench.open(other)
    _ = try peer.pull("shared")
    _ = try peer.push("shared")
    _ = try device.pull("shared")
    problems += try peer.faults().map { "\(other): \($0)" }
    if try device.state() != peer.state() { problems.append("the devices differ") }
    return problems
  }

  private static func missing(
    _ before: Repository.State, _ amounts: Set<Int64>, in device: Repository
  ) throws -> [String] {
    let state = try device.state()
    var problems = before.keys.filter { state[$0] == nil }.map {
      "gone: \(String(decoding: $0, as: UTF8.self))"
    }
    var found: Set<Int64> = []
    try device.read { snapshot in
      try snapshot.forEachRecord(of: "usage", .history) { record in
        if let amount = record.object["primaryUsed"]?.intValue { found.insert(amount) }
        return true
      }
    }
    problems += amounts.subtracting(found).sorted().map { "gone: reading \($0)" }
    return problems
  }
}
