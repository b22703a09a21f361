import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// What stays in a shared folder for readers that lag, and when what was replaced may leave it.
@Suite struct RetentionTests {
  private let bench: Workbench
  private let a: Repository

  init() throws {
    bench = try Workbench()
    a = try bench.begin("a")
  }

  private func objectsThere() throws -> Set<String> {
    Set(try bench.shared().keys.filter { $0.hasPrefix("devices/") })
  }

  private func headsThere() throws -> [String] {
    try bench.shared().keys.filter { $0.hasPrefix("heads/") }.sorted()
  }

  /// Records and pushes once; the head that then lies there.
  private func recordAndPush(_ amount: Int) throws -> Head {
    try a.use("claude", Int64(amount))
    _ = try a.push("shared")
    let newest = try #require(try a.store.headNames().last { $0.device == a.deviceID })
    return try a.store.head(newest, keys: a.keys)
  }

  /// The objects of a head that hold something after a commit.
  private func objects(of head: Head, after sequence: Int64 = 0) -> Set<String> {
    Set(head.objects.filter { $0.last > sequence }.map { TreeName.object(head.device, $0.digest).path })
  }

  /// Who had all up to eight pushes ago finds what it lacks, whichever head since then it got to see.
  @Test func whatAReaderThatLagsEightPushesLacksStays() throws {
    var heads: [Head] = []
    var most = 0
    for amount in 1...150 {
      heads.append(try recordAndPush(amount))
      let there = try objectsThere()
      let known = heads.dropLast(8).last?.commit.sequence ?? 0
      for head in heads.suffix(8) {
        #expect(objects(of: head, after: known).isSubset(of: there), "push \(amount)")
      }
      most = max(most, there.subtracting(objects(of: try #require(heads.last))).count)
    }
    #expect(most >= Limits.replacedObjects)
    // Those that the last push replaced leave with the next one at the earliest.
    #expect(most <= Limits.replacedObjects + 8)
  }

  @Test func theNewestFourHeadsStay() throws {
    var names: [String] = []
    for amount in 1...20 {
      _ = try recordAndPush(amount)
      let there = try headsThere()
      names.append(try #require(there.last))
      #expect(Set(names.suffix(Limits.heads)).isSubset(of: there), "push \(amount)")
      #expect(there.count <= Limits.heads + 1, "push \(amount)")
    }
  }

  @Test func nothingLeavesWhileAReplacementIsNotThereWhole() throws {
    for amount in 1...60 { _ = try recordAndPush(amount) }
    let live = objects(of: try recordAndPush(61))
    for (number, path) in live.sorted().enumerated() {
      let whole = try #require(try bench.shared()[path])
      try bench.disk.setContents(bench.path("shared/") + path, Array(whole.dropLast()))
      let before = try objectsThere()
      _ = try recordAndPush(62 + number)
      #expect(before.isSubset(of: try objectsThere()), "\(path) was cut")
    }
    _ = try recordAndPush(80)
    let listed = objects(of: try recordAndPush(81))
    #expect(try objectsThere().subtracting(listed).count <= Limits.replacedObjects + 8)
    #expect(try a.faultsOfRemote() == [])
  }

  /// Whichever call of a push fails, what it was to remove is removed by a later one.
  @Test func nothingStaysForEverThatAStruckPushWasToRemove() throws {
    let faulty = FaultyFileSystem(bench.disk)
    let struck = try Workbench(faulty, seed: 77)
    var failed = 0
    for amount in 1...240 {
      let device = try struck.open("a")
      try device.use("claude", Int64(amount))
      faulty.setFault(.init(call: amount, code: 5))
      do { _ = try device.push("shared") } catch { failed += 1 }
      faulty.setFault(nil)
    }
    #expect(failed > 100)
    for amount in 241...260 { _ = try recordAndPush(amount) }
    let live = objects(of: try recordAndPush(261))
    #expect(try headsThere().count <= Limits.heads + 1)
    #expect(try objectsThere().subtracting(live).count <= Limits.replacedObjects + 8)
  }

  @Test func theDecisionKeepsWhatIsLiveOrNotListedOrNew() {
    let written = (0..<40).map { SHA256.hash([UInt8($0)]) }
    let live: Set = [written[0], written[39]]
    let listed = Set(written).subtracting([written[1]])
    let old = SyncPlan.removable(written: written, live: live, listed: listed)
    #expect(old == Array(written[2..<(39 - Limits.replacedObjects)]))
    #expect(SyncPlan.removable(written: Array(written.prefix(16)), live: [], listed: listed).isEmpty)
  }
}
