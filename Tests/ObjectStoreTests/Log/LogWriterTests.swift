import ObjectStore
import TestSupport
import Testing

@Suite struct LogWriterTests {
  @Test func nothingCountsBeforeItIsPublished() throws {
    let bench = try LogBench()
    let writer = bench.writer(nil)
    for number in 1...5 { try writer.append(LogBench.draft(number)) }
    #expect(try bench.store.headNames().isEmpty)
    #expect(try bench.files.tree("/r/store").isEmpty)
    let published = try #require(try writer.publish(time: 77))
    #expect(try bench.store.headNames() == [published.name])
    let head = try bench.store.head(published.name, keys: bench.keys)
    #expect(head == published.head)
    #expect((head.time, head.name, head.platform) == (77, "dévice 1", "Linux x86_64"))
    #expect(try bench.lines(of: head) == bench.lines((1...5).map { LogBench.draft($0) }))
    #expect(try bench.files.tree("/r/tmp").isEmpty)
    #expect(bench.files.openDescriptors == 0)
  }

  @Test func publishingNothingWritesNothing() throws {
    let bench = try LogBench()
    #expect(try bench.writer(nil).publish(time: 1) == nil)
    #expect(try bench.writer(nil).publish(time: 1, everything: true) == nil)
    let base = try bench.publish([LogBench.draft(1)]).head
    let before = try bench.files.tree("/r")
    #expect(try bench.writer(base).publish(time: 1, everything: true) == nil)
    #expect(try bench.files.tree("/r") == before)
  }

  @Test func anAppendedCommitIsNamedByItsLine() throws {
    let bench = try LogBench()
    let drafts = (1...3).map { LogBench.draft($0) }
    let writer = bench.writer(nil)
    let names = try drafts.map { try writer.append($0) }
    #expect(names.map(\.hash) == bench.lines(drafts).map { SHA256.hash($0) })
    #expect(names.map(\.sequence) == [1, 2, 3])
  }

  @Test func reopeningGoesOnWithTheChain() throws {
    let bench = try LogBench()
    let drafts = (1...40).map { LogBench.draft($0, count: 30 + $0 * 7 % 50) }
    var head: Head?
    for (index, draft) in drafts.enumerated() {
      let published = try bench.publish([draft], on: head)
      #expect(published.name.sequence == Int64(index) + 1)
      head = try bench.store.head(published.name, keys: bench.keys)
    }
    #expect(try bench.lines(of: try #require(head)) == bench.lines(drafts))
  }

  @Test(arguments: [40, 200])
  func aThousandCommitsOneByOneMakeFewObjects(count: Int) throws {
    let bench = try LogBench()
    let drafts = (1...1000).map { LogBench.draft($0, count: count) }
    var head: Head?
    for draft in drafts {
      let published = try bench.publish([draft], on: head)
      #expect(published.head.objects.count <= 12)
      #expect(!RollUp.isDue(sizes: published.head.objects.map(\.inflated)))
      head = published.head
    }
    #expect(try bench.lines(of: try #require(head)) == bench.lines(drafts), "byte for byte as first written")
  }

  @Test func aLogIsCutAtTheLimitOfAnObject() throws {
    let bench = try LogBench()
    // 20 MiB of commits that compress well, so that the test is quick.
    let blank = [UInt8](repeating: UInt8(ascii: " "), count: (1 << 20) + 1000)
    let drafts = (1...20).map { CommitDraft(stamp: 0, time: Int64($0), changes: blank) }
    let head = try bench.publish(drafts).head
    #expect(head.objects.count == 2)
    #expect(head.objects.allSatisfy { $0.inflated <= Int64(Limits.objectBody) })
    #expect(head.objects[0].inflated > Int64(Limits.objectBody - Limits.commit))
    #expect(try bench.lines(of: head).count == 20)
  }

  @Test func aCommitOverTheLimitIsRefusedAndTheRestGoesOn() throws {
    let bench = try LogBench()
    let writer = bench.writer(nil)
    try writer.append(LogBench.draft(1))
    let overhead = bench.line(CommitDraft(stamp: 0, time: 1, changes: []), 2, after: SHA256.hash([]))
      .count
    func blank(_ count: Int) -> CommitDraft {
      CommitDraft(stamp: 0, time: 1, changes: [UInt8](repeating: 32, count: count))
    }
    let over = blank(Limits.commit - overhead + 1)
    let error = #expect(throws: CommitTooLarge.self) { try writer.append(over) }
    #expect(error?.length == Limits.commit + 1)
    try writer.append(blank(Limits.commit - overhead))
    let head = try #require(try writer.publish(time: 1)).head
    #expect(try bench.lines(of: head).map(\.count).last == Limits.commit)
  }

  @Test func oneRecordWritesAtMostAMegabyteOfOldBytesAgain() throws {
    let bench = try LogBench()
    var head: Head?
    // Two commits of 700 KiB stay apart: both together are more than one record may write again.
    for number in 1...2 {
      head = try bench.publish([LogBench.draft(number, count: 700 << 10)], on: head).head
    }
    let faulty = FaultyFileSystem(bench.files)
    let counted = Store(root: "/r/store", temporary: "/r/tmp", fileSystem: faulty, random: .seeded(8))
    var greatest = 0
    for number in 3...30 {
      faulty.resetCounters()
      let writer = LogWriter(store: counted, keys: bench.keys, identity: bench.identity, base: head)
      try writer.append(LogBench.draft(number, count: 60 << 10))
      head = try #require(try writer.publish(time: 1)).head
      greatest = max(greatest, faulty.counters.bytesWritten)
    }
    #expect(greatest < Limits.rollUp + (80 << 10))
    #expect(greatest > 256 << 10, "the roll-up did something")
  }

  @Test(arguments: 1...4)
  func everythingSettlesTheRollUp(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let bench = try LogBench()
    var head: Head?
    var drafts: [CommitDraft] = []
    for number in 1...12 {
      drafts.append(LogBench.draft(number, count: Int.random(in: 100...900_000, using: &random)))
      head = try bench.publish([drafts[number - 1]], on: head).head
    }
    drafts.append(LogBench.draft(13, count: Int.random(in: 100...900_000, using: &random)))
    let settled = try bench.publish([drafts[12]], on: head, everything: true).head
    #expect(!RollUp.isDue(sizes: settled.objects.map(\.inflated)), "seed \(seed)")
    #expect(try bench.lines(of: settled) == bench.lines(drafts), "seed \(seed)")
  }

  @Test(arguments: ["gone", "damaged", "cut"], [false, true])
  func anOldObjectThatIsLostKeepsNobodyFromRecording(how: String, everything: Bool) throws {
    let bench = try LogBench()
    var head = try bench.publish([LogBench.draft(1, count: 9000)]).head
    head = try bench.publish([LogBench.draft(2, count: 4000)], on: head).head
    let lost = head.objects[1]
    let path = bench.store.path(.object(bench.device, lost.digest))
    switch how {
    case "gone": try bench.files.remove(path)
    case "damaged": try bench.files.setContents(path, [UInt8](repeating: 0, count: Int(lost.length)))
    default: try bench.files.setContents(path, Array(try bench.files.contents(path).dropLast()))
    }
    for number in 3...40 {
      head = try bench.publish([LogBench.draft(number, count: 3000)], on: head, everything: everything).head
    }
    #expect(head.commit.sequence == 40)
    #expect(head.objects[1] == lost, "still listed, for whoever holds it whole")
    #expect(head.objects.count < 12, "what came after it is rolled up")
  }

  @Test func aFailureThatIsNoDamageIsNotTakenForIt() throws {
    var faulty: FaultyFileSystem?
    let bench = try LogBench(over: { files in
      let made = FaultyFileSystem(files)
      faulty = made
      return made
    })
    let head = try bench.publish([LogBench.draft(1, count: 500)]).head
    faulty?.setFault(.init(call: 1, code: 5, .once, only: [.read]))
    #expect(throws: SystemError.self) { try bench.publish([LogBench.draft(2, count: 500)], on: head) }
  }
}
