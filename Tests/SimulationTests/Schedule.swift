import RunicCore
import TestSupport

/// What a schedule is like, decided by its seed before anything happens.
struct Schedule {
  /// Of a hundred schedules, how many have watchers.
  private static let watchingPart = 15

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
  /// Whether devices watch, and have settings files that follow records. These schedules have fewer events: whoever
  /// watches does much by himself.
  let watches: Bool

  init(seed: UInt64, using random: inout SeededRandom) {
    self.seed = seed
    founders = random.number(2...4)
    joiners = (random.chance(70) ? 5 : random.number(5...7)) - founders
    // Not of the numbers that everything else follows from.
    var other = SeededRandom(seed: seed ^ 0x7761_7463_6865_7273)
    watches = other.chance(Self.watchingPart)
    events = random.number(60...68) / (watches ? 2 : 1)
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

  /// One of several; `first` where there is no other.
  mutating func pick<Element>(_ first: Element, _ others: Element...) -> Element {
    let index = number(0...others.count)
    return index == 0 ? first : others[index - 1]
  }
}

/// What happens only to devices that watch.
enum WatchEventSort: CaseIterable {
  /// The user changes his file, makes a mess of it, makes it one that nobody may write, empties it, picks a side.
  case editFile, breakFile, lockFile, stripFile, answer
  /// The file is changed in the middle of a sync; the line ends; the disk is full; the process, or the machine, dies.
  case editMeanwhile, loseLine, fillDisk, kill, cutPower
  /// Some minutes without the machine; a folder that goes away; a hook that says no; other settings.
  case nap, outage, hook, configure, retrack

  var weight: Int {
    switch self {
    case .editFile: 40
    case .breakFile: 8
    case .lockFile: 4
    case .stripFile: 3
    case .answer: 5
    case .editMeanwhile: 12
    case .loseLine: 6
    case .fillDisk: 5
    case .kill: 10
    case .cutPower: 6
    case .nap: 6
    case .outage: 8
    case .hook: 9
    case .configure: 4
    case .retrack: 3
    }
  }

  static let all = allCases.flatMap { Array(repeating: $0, count: $0.weight) }
}
