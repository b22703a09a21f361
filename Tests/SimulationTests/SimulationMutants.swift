import ObjectStore
import Synchronization
import Testing

@testable import RunicCore

/// An engine that breaks one law. The simulation must notice each of them.
enum Mutant: String, CaseIterable, CustomTestStringConvertible {
  /// What arrives last is shown.
  case winnerByArrival
  /// Nothing is ever superseded.
  case replacedIgnored
  /// No edit outlives a delete.
  case deleteAlwaysWins
  /// One clock that is years ahead takes all others along.
  case followsFarClocks
  /// Some commits are lost when objects become one.
  case rollUpDropsACommit
  /// An edit of a tracked file replaces also what its editor never saw.
  case editReplacesTheUnseen

  var testDescription: String { rawValue }

  /// The laws under which every device of a schedule lives.
  var laws: EngineLaws {
    var laws = EngineLaws.standard
    switch self {
    case .winnerByArrival:
      let arrivals = Arrivals()
      laws.reading = { arrivals.stamped($0) }
    case .replacedIgnored: laws.reading = { $0.replacingNothing }
    case .deleteAlwaysWins: laws.reading = { $0.winningDelete }
    case .followsFarClocks: laws.tolerance = .max
    case .rollUpDropsACommit: laws.keptInRollUp = { $0.sequence % 5 != 3 }
    case .editReplacesTheUnseen:
      laws.replacedByEdit = { base, now in
        Dictionary(uniqueKeysWithValues: base.keys.map { ($0, now.heads(of: $0).map(\.commit)) })
      }
    }
    return laws
  }

  /// What a schedule may fail with: words of the laws that it breaks, and no others.
  var broken: [String] {
    switch self {
    case .winnerByArrival: [" differ: "]
    // What a device settles is open again at once, so it settles it with every pull.
    case .replacedIgnored: ["syncing does not end", " does not come to rest"]
    case .deleteAlwaysWins: [" is not what its commits say"]
    case .followsFarClocks: [" followed a far-off clock: "]
    // Readers find the chain broken before the schedule ends, or its writer does.
    case .rollUpDropsACommit: [" lost the commit ", " cannot read ", "DamagedFile(", "content(\"chain\")"]
    case .editReplacesTheUnseen: [" replaces what its editor never saw: "]
    }
  }

  private final class Arrivals: Sendable {
    private let count = Mutex<UInt64>(1 << 40)

    func stamped(_ change: Change) -> Change {
      guard case .set(let write) = change else { return change }
      let stamp = count.withLock { count in
        count += 1
        return Stamp(rawValue: count)
      }
      return .set(write.with(writes: write.writes, stamp: stamp))
    }
  }
}

extension Change {
  fileprivate var replacingNothing: Change {
    guard case .set(let write) = self else { return self }
    let writes = write.writes.mapValues { WrittenValue(value: $0.value, replaces: []) }
    return .set(write.with(writes: writes, stamp: write.stamp))
  }

  fileprivate var winningDelete: Change {
    guard case .delete(let delete) = self else { return self }
    return .delete(
      RecordDelete(
        kind: delete.kind, id: delete.id, generation: delete.generation, settles: delete.settles,
        stamp: .greatest, origin: delete.origin))
  }
}

extension RegisterWrite {
  fileprivate func with(writes: [RegisterKey: WrittenValue], stamp: Stamp?) -> RegisterWrite {
    RegisterWrite(
      kind: kind, id: id, generation: generation, writes: writes, settles: settles,
      isResolution: isResolution, stamp: stamp, origin: origin)
  }
}
