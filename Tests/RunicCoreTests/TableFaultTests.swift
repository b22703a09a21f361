import ObjectStore
import RunicCore
import TestSupport
import Testing

/// The n-th call fails, for every n: the table opens and holds the commits up to some point, the last at least.
@Suite struct TableFaultTests {
  private typealias State = [[UInt8]: [UInt8]]

  /// Commits that make runs, merge them, and maintain; what each leaves is noted before it is begun.
  private struct Story {
    var batches: [[(key: [UInt8], change: SortedTable.Change)]] = []
    var states: [State] = [[:]]

    init() {
      var random = SeededRandom(seed: 41)
      for step in 0..<14 {
        var batch = random.batch(keys: 12, values: 200)
        // Every third makes a run, the ones between go to the tail.
        if step % 3 == 2 {
          batch.append(([UInt8(step % 2)], .put(Array(repeating: UInt8(step), count: 66_000))))
        }
        var state = states[states.count - 1]
        TableFixture.apply(batch, to: &state)
        batches.append(batch)
        states.append(state)
      }
    }

    /// Goes on after errors, as a program would; the number of commits that were acknowledged.
    func run(_ disk: any FileSystem, stopsAtError: Bool) -> Int {
      var acknowledged = 0
      guard let table = try? TableFixture.open(disk) else { return 0 }
      for (index, batch) in batches.enumerated() {
        do {
          try table.commit(batch, metadata: [UInt8(index + 1)])
          acknowledged = index + 1
          if index == 9 { try table.maintain() }
        } catch {
          if stopsAtError || table.metadata.first.map(Int.init) ?? 0 <= index { return acknowledged }
        }
      }
      return acknowledged
    }
  }

  private func check(_ disk: MemoryFileSystem, _ story: Story, atLeast: Int, _ comment: Comment) throws {
    #expect(disk.openDescriptors == 0, comment)
    let table = try TableFixture.open(disk)
    let count = table.metadata.first.map(Int.init) ?? 0
    #expect(count >= atLeast, comment)
    #expect(try TableFixture.contents(table) == story.states[count], comment)
    try table.commit([([77], .put([1]))], metadata: [UInt8(count)])
    try table.maintain()
    let again = try TableFixture.open(disk)
    #expect(try TableFixture.contents(again) == story.states[count].merging([[77]: [1]]) { $1 }, comment)
    let names = try disk.list(TableFixture.folder).map(\.name)
    #expect(names.count == again.runCount + 2, "\(comment): leftovers in \(names)")
  }

  @Test(arguments: [false, true])
  func afterAFailedCallTheTableHoldsEveryAcknowledgedCommit(tearsWrites: Bool) throws {
    let story = Story()
    let kinds: [FaultyFileSystem.Persistence] = [.once, .fromThenOn, .death]
    for kind in kinds {
      var call = 0
      while true {
        call += 1
        let disk = MemoryFileSystem()
        let faulty = FaultyFileSystem(disk)
        faulty.setFault(.init(call: call, code: 5, kind, tearsWrites: tearsWrites))
        let acknowledged = story.run(faulty, stopsAtError: kind != .once)
        if faulty.failures == 0 { break }
        try check(disk, story, atLeast: acknowledged, "\(kind) at call \(call)")
      }
      #expect(call > 60, "the story must make enough calls")
    }
  }

  /// A run that is long enough to be written on a thread of its own tells of what went wrong there.
  @Test func aDiskThatFillsUnderALongRunIsAnError() throws {
    let batch: [(key: [UInt8], change: SortedTable.Change)] = (0..<3000).map { number in
      let value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1000)
      return (Array("\(number)".utf8), .put(value))
    }
    var call = 0
    while true {
      call += 1
      let disk = MemoryFileSystem()
      try TableFixture.open(disk).commit([([1], .put([1]))], metadata: [1])
      let faulty = FaultyFileSystem(disk)
      let table = try TableFixture.open(faulty)
      faulty.setFault(.init(call: call, code: 28, .fromThenOn, only: [.write]))
      do {
        try table.commit(batch, metadata: [2])
        #expect(faulty.failures == 0)
      } catch let error as SystemError {
        #expect(error.code == 28)
      }
      if faulty.failures == 0 { break }
      let again = try TableFixture.open(disk)
      #expect(again.metadata == [1])
      #expect(try TableFixture.contents(again) == [[1]: [1]])
    }
    #expect(call > 10, "the run must be written in many pieces")
  }

  @Test func afterAPowerCutTheTableHoldsSomePrefixOrKnowsThatItIsDamaged() throws {
    let story = Story()
    var (whole, refused) = (0, 0)
    for model in [MemoryFileSystem.PowerCut.lastSynced, .namesBeforeContents] {
      var call = 0
      while true {
        call += 1
        let disk = MemoryFileSystem()
        let faulty = FaultyFileSystem(disk)
        faulty.setFault(.death(at: call))
        _ = story.run(faulty, stopsAtError: true)
        if faulty.failures == 0 { break }
        let after = disk.crash(model)
        do {
          try check(after, story, atLeast: 0, "\(model) at call \(call)")
          whole += 1
        } catch is TableError {
          refused += 1
          try SortedTable.destroy(folder: TableFixture.folder, fileSystem: after)
          try check(after, story, atLeast: 0, "\(model) at call \(call), destroyed")
        }
      }
    }
    #expect(whole > 50 && refused > 50, "\(whole) whole, \(refused) refused")
  }

  @Test func aCombineThatThrowsLeavesTheTableAsItWas() throws {
    struct Refused: Error {}
    let table = try SortedTable(folder: "/t", fileSystem: MemoryFileSystem()) { _, _, _ in throw Refused() }
    try table.commit([([1], .put([1]))], metadata: [1])
    #expect(throws: Refused.self) {
      try table.commit([([2], .put([2])), ([1], .merge([3]))], metadata: [2])
    }
    #expect(try table.get([2]) == nil)
    #expect(try table.get([1]) == [1])
    #expect(table.metadata == [1])
  }
}
