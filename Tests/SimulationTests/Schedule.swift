import RunicCore
import TestSupport

/// What a schedule is like, decided by its seed before anything happens.
struct Schedule {
  let seed: UInt64
  /// Devices that are there from the start, and those that join later.
  let founders: Int
  let joiners: Int
  let events: Int
  let vices: RemoteVices
  /// One device that records and pushes far more than the others: its replaced objects leave the remotes.
  let hasBusyWriter: Bool
  /// How often, of a hundred events, devices sync.
  let syncs: Int

  init(seed: UInt64, using random: inout SeededRandom) {
    self.seed = seed
    founders = random.number(2...4)
    joiners = (random.chance(70) ? 5 : random.number(5...7)) - founders
    events = random.number(60...68)
    hasBusyWriter = random.chance(4)
    syncs = random.number(18...36)
    vices = RemoteVices(
      late: Double(random.number(0...60)) / 100, torn: Double(random.number(0...40)) / 100,
      twice: Double(random.number(0...30)) / 100, conflictCopies: Double(random.number(0...10)) / 100,
      outOfOrder: random.chance(80), delay: 1...random.number(2...40))
  }
}

/// A sort of event, and how often it comes among the others that are no sync.
enum EventSort: CaseIterable {
  case add, addMany, prefer, setAlert, setNote, delete, resolve, collect, jump, join, clone, save, restore
  case powerCut, forgetIndex, outage, fullDisk, sleep

  var weight: Int {
    switch self {
    case .add: 160
    case .addMany: 30
    case .prefer: 180
    case .setAlert: 120
    case .setNote: 60
    case .delete: 60
    case .resolve: 80
    case .collect: 12
    case .jump: 30
    case .join: 70
    case .clone: 7
    case .save: 14
    case .restore: 7
    case .powerCut: 10
    case .forgetIndex: 8
    case .outage: 10
    case .fullDisk: 14
    case .sleep: 6
    }
  }

  static let all = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
}

extension SeededRandom {
  mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }
  mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }

  /// One of several; `first` where there is no other.
  mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
    let index = number(0...others.count)
    return index == 0 ? first : others[index - 1]
  }
}
