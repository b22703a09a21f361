import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// All histories of two devices of up to four steps, written as real logs: in whatever order their heads come to an
/// index, each of them again and again, it holds what the definition makes of the commits that have arrived.
@Suite struct MergeArrivalTests {
  @Test(arguments: MergeExhaustiveTests.settings)
  func everyOrderOfHeadsAndEveryRepetitionGivesTheDefinition(
    _ setting: MergeExhaustiveTests.Setting
  ) throws {
    var histories = 0
    var repeated = 0
    for steps in Self.sequences(upTo: 4) {
      guard let written = try WrittenHistory(steps, setting) else { continue }
      histories += 1
      for order in permutations(written.heads.count) {
        repeated += try written.check(order: order)
      }
    }
    #expect(histories > 100)
    #expect(repeated > 100, "too few objects held what was there already")
  }

  /// Changes of several records that name commits of any of them, as no device of ours writes them.
  @Test func anIndexIsTheSameWhateverIsSaidOfOtherRecordsCommits() throws {
    var differing = 0
    for seed in 0..<80 {
      let written = try StrangeHistory(seed: UInt64(seed))
      let indexes = try (0..<2).map { try written.index(seed: UInt64(seed * 2 + $0)) }
      #expect(try IndexCheck.areEqual(indexes[0], indexes[1]), "seed \(seed)")
      for name in StrangeHistory.names {
        let states = try indexes.map { try $0.keyed(name) }
        #expect(states[0]?.view == states[1]?.view, "seed \(seed)")
        if states[0] != states[1] { differing += 1 }
      }
    }
    #expect(differing > 10, "too few states depend on what came first")
  }

  private static func sequences(upTo length: Int) -> [[MergeExhaustiveTests.Step]] {
    guard length > 0 else { return [[]] }
    let shorter = sequences(upTo: length - 1)
    let longest = shorter.filter { $0.count == length - 1 }
    return shorter + longest.flatMap { steps in MergeExhaustiveTests.Step.allCases.map { steps + [$0] } }
  }
}

/// What two devices wrote in a few steps, each commit in a head of its own.
private struct WrittenHistory {
  private struct Machine {
    let identity: DeviceIdentity
    var state = KeyedState()
    var known: Set<Int> = []
    var head: Head?
    var clock: UInt64
  }

  private let store: Store
  private let keys: RepositoryKeys
  private(set) var heads: [Head] = []
  private var commits: [MadeChange] = []
  private var machines: [Machine]

  /// - Returns: nil where a step changes nothing, or nothing comes of the last one: a shorter history says it all.
  init?(_ steps: [MergeExhaustiveTests.Step], _ setting: MergeExhaustiveTests.Setting) throws {
    guard let last = steps.last, last.rawValue < MergeExhaustiveTests.Step.firstHears.rawValue else {
      return nil
    }
    let random = RandomSource.seeded(7)
    let disk = MemoryFileSystem()
    for folder in ["/store", "/tmp"] { try disk.makeDirectory(folder, permissions: 0o700) }
    for folder in ["heads", "devices"] { try disk.makeDirectory("/store/\(folder)", permissions: 0o700) }
    store = Store(root: "/store", temporary: "/tmp", fileSystem: disk, random: random)
    keys = try RepositoryKeys(
      root: random.secret(32), repository: RepositoryID(from: random))
    machines = [0, setting.ahead].map { clock in
      let key = SigningKey.generate(from: random)
      return Machine(identity: DeviceIdentity(key: key, name: "\(clock)", platform: ""), clock: clock)
    }
    for step in steps { guard try take(step, setting) else { return nil } }
  }

  private mutating func take(
    _ step: MergeExhaustiveTests.Step, _ setting: MergeExhaustiveTests.Setting
  ) throws -> Bool {
    let one = step.isFirst ? 0 : 1
    machines[one].clock += 1
    switch step {
    case .firstHears, .secondHears:
      let news = machines[1 - one].known.subtracting(machines[one].known)
      for number in news.sorted() { hear(number, by: one) }
      return !news.isEmpty
    case .firstWrites, .secondWrites:
      let value = setting.isAlike ? "\"same\"" : "\"\(one)-\(commits.count)\""
      try commit(
        .set(machines[one].state.write([key("a"): bytes(value)], kind: "k", id: bytes("i"))), by: one)
    case .firstDeletes, .secondDeletes:
      guard machines[one].state.shown != nil else { return false }
      let stamp = Stamp(rawValue: machines[one].clock)
      try commit(.delete(machines[one].state.delete(kind: "k", id: bytes("i"), stamp: stamp)), by: one)
    }
    return true
  }

  private mutating func commit(_ change: Change, by one: Int) throws {
    let stamp = machines[one].clock
    let writer = LogWriter(
      store: store, keys: keys, identity: machines[one].identity, base: machines[one].head)
    var encoded: [UInt8] = []
    var fingerprinter = Fingerprinter()
    try ChangeCodec.append(change, to: &encoded, using: &fingerprinter)
    try writer.append(CommitDraft(stamp: stamp, time: 5, changes: encoded))
    guard let head = try writer.publish(time: 5)?.head else { return }
    let context = CommitContext(
      hash: head.commit.hash, device: head.device, stamp: Stamp(rawValue: stamp), time: 5)
    machines[one].head = head
    heads.append(head)
    commits.append(MadeChange(context: context, change: change))
    hear(commits.count - 1, by: one)
  }

  private mutating func hear(_ number: Int, by one: Int) {
    let commit = commits[number]
    machines[one].known.insert(number)
    machines[one].state.apply(commit.change, commit.context)
    machines[one].clock = max(machines[one].clock, commit.context.stamp.rawValue)
  }

  /// Brings the heads to an index in this order, after each one all earlier ones again.
  ///
  /// - Returns: how often a head brought an object with commits that were in already.
  func check(order: [Int]) throws -> Int {
    let environment = Environment(
      fileSystem: MemoryFileSystem(), clock: Clock(now: { 5 }, sleep: { _ in }), random: .seeded(9))
    let index = try Index(folder: "/index", environment: environment, mayErase: true)
    var arrived: Set<Int> = []
    var repeated = 0
    for (place, number) in order.enumerated() {
      let news = commits.indices.filter {
        commits[$0].context.device == heads[number].device && $0 <= number && !arrived.contains($0)
      }
      if !news.isEmpty, heads[number].commit.sequence > news.count { repeated += 1 }
      arrived.formUnion(news)
      for again in order[...place].reversed() {
        #expect(try index.apply(heads[again], from: store, keys: keys) == .whole)
        try expect(index, arrived, "\(order), head \(again) after \(number) of \(commits)")
      }
    }
    try index.save()
    let reopened = try Index(folder: "/index", environment: environment, mayErase: false)
    try expect(reopened, arrived, "\(order), reopened, of \(commits)")
    return repeated
  }

  private func expect(_ index: Index, _ arrived: Set<Int>, _ comment: Comment) throws {
    let wanted = definition(of: arrived.sorted().map { commits[$0] })
    let found = try index.keyed(RecordName(family: .keys, kind: "k", id: bytes("i")))
    #expect(found == wanted, comment)
  }
}

/// What three devices wrote about three records, each commit in a head of its own.
private struct StrangeHistory {
  static let names = ["x", "y", "z"].map { RecordName(family: .keys, kind: "k", id: bytes($0)) }

  private let store: Store
  private let keys: RepositoryKeys
  private var heads: [Head] = []

  init(seed: UInt64) throws {
    var generator = SeededRandom(seed: seed)
    let random = RandomSource.seeded(seed)
    let disk = MemoryFileSystem()
    for folder in ["/store/heads", "/store/devices", "/tmp"] { try disk.makeFolders(folder) }
    store = Store(root: "/store", temporary: "/tmp", fileSystem: disk, random: random)
    keys = try RepositoryKeys(root: random.secret(32), repository: RepositoryID(from: random))
    var machines = (0..<3).map { number in
      let key = SigningKey.generate(from: random)
      return (identity: DeviceIdentity(key: key, name: "\(number)", platform: ""), head: Head?.none)
    }
    for _ in 0..<12 {
      let one = Int.random(in: machines.indices, using: &generator)
      let changes = Self.names.filter { _ in generator.chance(50) }.map { change(of: $0, &generator) }
      var encoded: [UInt8] = []
      for change in changes {
        if !encoded.isEmpty { encoded.append(UInt8(ascii: ",")) }
        var fingerprinter = Fingerprinter()
        try ChangeCodec.append(change, to: &encoded, using: &fingerprinter)
      }
      let writer = LogWriter(
        store: store, keys: keys, identity: machines[one].identity, base: machines[one].head)
      let stamp = UInt64.random(in: 1...6, using: &generator)
      try writer.append(CommitDraft(stamp: stamp, time: 5, changes: encoded))
      guard let head = try writer.publish(time: 5)?.head else { continue }
      machines[one].head = head
      heads.append(head)
    }
  }

  private func change(of name: RecordName, _ generator: inout SeededRandom) -> Change {
    let generation = Int64.random(in: 1...2, using: &generator)
    let settles = some(&generator)
    if generator.chance(20) {
      return .delete(RecordDelete(kind: name.kind, id: name.id, generation: generation, settles: settles))
    }
    let value = bytes("\(Int.random(in: 0..<4, using: &generator))")
    let written = WrittenValue(value: value, replaces: some(&generator))
    return .set(
      RegisterWrite(
        kind: name.kind, id: name.id, generation: generation, writes: [key("a"): written], settles: settles))
  }

  /// Some of the commits so far, whatever they are about.
  private func some(_ generator: inout SeededRandom) -> [Digest] {
    heads.map(\.commit.hash).filter { _ in generator.chance(15) }.sorted()
  }

  /// An index to which all heads came, in an order of its own.
  func index(seed: UInt64) throws -> Index {
    var generator = SeededRandom(seed: seed)
    let environment = Environment(
      fileSystem: MemoryFileSystem(), clock: Clock(now: { 5 }, sleep: { _ in }), random: .seeded(9))
    let index = try Index(folder: "/index", environment: environment, mayErase: true)
    for head in heads.shuffled(using: &generator) {
      #expect(try index.apply(head, from: store, keys: keys) == .whole)
    }
    try index.save()
    return index
  }
}
