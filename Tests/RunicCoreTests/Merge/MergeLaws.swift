import TestSupport
import ObjectStore

@testable import RunicCore

/// A merge on trial. The real one is `KeyedState`; the others are wrong on purpose, so that the checks are
/// seen to catch what they are for.
protocol MergeUnderTest {
  init()
  mutating func apply(_ change: Change, _ context: CommitContext)
  var known: KeyedState { get }
  var view: KeyedView { get }
}

extension KeyedState: MergeUnderTest {
  var known: KeyedState { self }
  mutating func apply(_ change: Change, _ context: CommitContext) {
    apply(change, context, hasArrived: { _ in false })
  }
}

/// What must hold of every merge.
enum MergeLaw: String, CaseIterable {
  case arrivalNeverShows
  case incrementalIsTheDefinition
  case editWinsOverWhatItSaw
  case editSettlesItsRegisters
  case deleteDeletesWhatItSaw
  case changeSettlesWhatItKnew
  case resolutionsEnd
}

/// What a schedule met, so that a run can say that it met everything.
enum MergeEvent: String, CaseIterable {
  case conflict, hiddenEdit, overruledDelete, generations, clone, resolution, broughtIn, farClock
}

/// Random edits, deletes, clones, resolutions and deliveries of any subset in any order.
struct MergeSchedule<Merge: MergeUnderTest> {
  private struct Machine {
    var id: DeviceID
    var merge = Merge()
    var clock = HybridClock()
    var known: Set<Int> = []
    let skew: Int64
    let strategy: MergeStrategy
  }

  private static var day: Int64 { HybridClock.tolerance }

  private(set) var commits: [MadeChange] = []
  private(set) var broken: Set<MergeLaw> = []
  private(set) var met: Set<MergeEvent> = []
  private var machines: [Machine] = []
  private var generator: SeededRandom
  private var now: Int64 = 1_000_000_000_000

  init(seed: UInt64) {
    generator = SeededRandom(seed: seed)
    for number in 0..<Int.random(in: 2...5, using: &generator) { addMachine(number) }
    for _ in 0..<Int.random(in: 3...30, using: &generator) { step() }
    checkOrders()
    checkResolutionsEnd()
    look()
  }

  private mutating func addMachine(_ number: Int) {
    let skews: [Int64] = [0, 0, -5000, 300, 400 * Self.day]
    let skew = skews.randomElement(using: &generator) ?? 0
    let strategy = MergeStrategy.allCases.randomElement(using: &generator) ?? .lastWriterWins
    machines.append(Machine(id: device(UInt8(number + 1)), skew: skew, strategy: strategy))
  }

  private mutating func step() {
    now += Int64.random(in: 0...10, using: &generator)
    let one = machines.indices.randomElement(using: &generator) ?? 0
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<45: machines[one].merge.view.shown != nil && generator.chance(20) ? delete(one) : write(one)
    case 45..<50 where machines.count < 7:
      machines.append(machines[one])
      met.insert(.clone)
    case 50..<60: resolve(one)
    default: deliver(to: one)
    }
  }

  private mutating func write(_ one: Int) {
    let before = Self.registers(machines[one].merge.view.shown)
    var values: [RegisterKey: [UInt8]?] = [:]
    let keys: [RegisterKey] = [.whole, key("a"), key("b"), key("c")]
    for key in keys.shuffled(using: &generator).prefix(Int.random(in: 1...2, using: &generator)) {
      // Few values, so that equal ones meet.
      values[key] = .some(generator.chance(15) ? nil : bytes("v\(Int.random(in: 0..<40, using: &generator))"))
    }
    let isBroughtIn = generator.chance(10)
    let origin = Origin(
      device: device(99), deviceName: bytes("elsewhere"), time: now - Self.day, commit: digest("outside"))
    let change = machines[one].merge.known.write(
      values, kind: "k", id: [1], origin: isBroughtIn ? origin : nil)
    if isBroughtIn { met.insert(.broughtIn) }
    commit(.set(change), by: one)
    let view = machines[one].merge.view
    let after = Self.registers(view.shown)
    for key in Set(before.keys).union(values.keys) {
      let wanted: [UInt8]? = if let written = values[key] { written } else { before[key] }
      if after[key] != wanted { broken.insert(.editWinsOverWhatItSaw) }
    }
    for case .differing(let key, _, _) in view.conflicts where values[key] != nil {
      broken.insert(.editSettlesItsRegisters)
    }
  }

  private mutating func delete(_ one: Int) {
    let stamp = machines[one].clock.tick(now: now + machines[one].skew)
    let change = machines[one].merge.known.delete(kind: "k", id: [1], stamp: stamp)
    commit(.delete(change), by: one, stamp: stamp)
    if machines[one].merge.view.shown != nil { broken.insert(.deleteDeletesWhatItSaw) }
  }

  private mutating func resolve(_ one: Int) {
    let machine = machines[one]
    let known = machine.merge.known
    let made = known.resolutions(under: machine.strategy, isOwn: { $0 == machine.id }, kind: "k", id: [1])
    for write in made {
      commit(.set(write), by: one)
      met.insert(.resolution)
    }
    if made.isEmpty, generator.chance(30), known.isKnown {
      commit(.set(known.keep(kind: "k", id: [1])), by: one)
    }
  }

  private mutating func commit(_ change: Change, by one: Int, stamp: Stamp? = nil) {
    let stamp = stamp ?? machines[one].clock.tick(now: now + machines[one].skew)
    let hash = "\(UInt32.random(in: 0...(.max), using: &generator))-\(commits.count)"
    let context = CommitContext(hash: digest(hash), device: machines[one].id, stamp: stamp, time: now)
    commits.append(MadeChange(context: context, change: change))
    receive(commits.count - 1, by: one)
    let waiting = machines[one].merge.view.conflicts.contains { conflict in
      if case .differing = conflict { false } else { true }
    }
    if waiting { broken.insert(.changeSettlesWhatItKnew) }
  }

  private mutating func receive(_ number: Int, by one: Int) {
    guard machines[one].known.insert(number).inserted else { return }
    let commit = commits[number]
    machines[one].merge.apply(commit.change, commit.context)
    let far = machines[one].clock.follow([commit.context.stamp], now: now + machines[one].skew)
    if !far.isEmpty { met.insert(.farClock) }
  }

  private mutating func deliver(to one: Int) {
    let other = machines.indices.randomElement(using: &generator) ?? 0
    let known = machines[other].known.sorted().shuffled(using: &generator)
    for number in known.prefix(Int.random(in: 0...known.count, using: &generator)) {
      receive(number, by: one)
    }
  }

  private mutating func checkOrders() {
    let wanted = definition(of: commits)
    var first: KeyedView?
    for _ in 0..<3 {
      var merge = Merge()
      for commit in commits.shuffled(using: &generator) { merge.apply(commit.change, commit.context) }
      if merge.view != wanted.view { broken.insert(.incrementalIsTheDefinition) }
      if merge.view != first ?? merge.view { broken.insert(.arrivalNeverShows) }
      first = merge.view
    }
  }

  /// Everyone gets everything, resolves, and again: after two rounds nobody has anything to add.
  private mutating func checkResolutionsEnd() {
    guard broken.isEmpty else { return }
    for round in 0..<3 {
      for one in machines.indices {
        for number in commits.indices { receive(number, by: one) }
      }
      for one in machines.indices {
        let machine = machines[one]
        for write in machine.merge.known.resolutions(
          under: machine.strategy, isOwn: { $0 == machine.id }, kind: "k", id: [1])
        {
          if round == 2 { broken.insert(.resolutionsEnd) }
          commit(.set(write), by: one)
        }
      }
    }
    let views = machines.map(\.merge.view)
    if views.contains(where: { $0 != views.first }) { broken.insert(.arrivalNeverShows) }
  }

  private mutating func look() {
    let state = definition(of: commits)
    if state.newestGeneration > 1 { met.insert(.generations) }
    for conflict in state.conflicts {
      switch conflict {
      case .differing: met.insert(.conflict)
      case .hiddenEdit: met.insert(.hiddenEdit)
      case .overruledDelete: met.insert(.overruledDelete)
      }
    }
  }

  /// The registers that show a value.
  private static func registers(_ shown: ShownRecord?) -> [RegisterKey: [UInt8]] {
    guard let shown else { return [:] }
    var registers: [RegisterKey: [UInt8]] = [:]
    registers[.whole] = shown.whole
    for member in shown.registers { registers[.key(member.key)] = member.value }
    return registers
  }
}
