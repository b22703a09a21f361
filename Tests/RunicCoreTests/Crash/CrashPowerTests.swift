import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// The power goes at every call: what a command acknowledged before is still there.
@Suite struct CrashPowerTests {
  private struct Acknowledged {
    var readings = 0
    var wasPushed = false
  }

  /// Readings one after the other, and what was acknowledged when the power went.
  private func record(on faulty: FaultyFileSystem, call: Int) throws -> Acknowledged {
    let bench = try Workbench(faulty, seed: UInt64(call))
    var acknowledged = Acknowledged()
    faulty.setFault(.death(at: call))
    _ = CrashDrill.succeeds {
      let a = try bench.begin("a")
      for amount in Int64(1)...3 {
        try a.use("claude", amount)
        acknowledged.readings += 1
      }
      _ = try a.push("shared")
      acknowledged.wasPushed = true
      try a.use("claude", 4)
      acknowledged.readings += 1
    }
    return acknowledged
  }

  @Test(arguments: [MemoryFileSystem.PowerCut.lastSynced, .namesBeforeContents])
  func afterAPowerCutEverythingAcknowledgedIsThere(_ model: MemoryFileSystem.PowerCut) throws {
    var call = 0
    while true {
      call += 1
      let disk = MemoryFileSystem()
      try disk.makeDirectory("/w", permissions: 0o700)
      try disk.syncDirectory("/")
      let faulty = FaultyFileSystem(disk)
      let acknowledged = try record(on: faulty, call: call)
      if faulty.failures == 0 { break }
      let bench = try Workbench(disk.crash(model), seed: UInt64(call) + 1_000_000)
      guard acknowledged.readings > 0 else { continue }
      let comment: Comment = "\(model) at call \(call), \(acknowledged)"
      let a = try bench.open("a")
      #expect(try a.usageCount >= acknowledged.readings, comment)
      if acknowledged.wasPushed {
        #expect(try a.faultsOfRemote().isEmpty, comment)
        let b = try bench.join("b", of: a)
        _ = try b.pull("shared")
        #expect(try b.usageCount >= 3, comment)
      }
      try a.use("after", 1)
      _ = try a.push("shared")
      #expect(try a.faults() + a.faultsOfRemote() == [], comment)
    }
    #expect(call > 150)
  }
}
