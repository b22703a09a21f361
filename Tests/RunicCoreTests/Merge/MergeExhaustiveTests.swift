import ObjectStore
import Testing

@testable import RunicCore

/// All histories of two devices of up to five steps: every order of their commits, and so every subset first,
/// gives the state that the definition gives for what has arrived.
@Suite struct MergeExhaustiveTests {
  enum Step: Int, CaseIterable {
    case firstWrites, secondWrites, firstDeletes, secondDeletes, firstHears, secondHears

    var isFirst: Bool { rawValue.isMultiple(of: 2) }
  }

  /// How the clocks stand and whether both write the same value.
  struct Setting: CustomTestStringConvertible, Sendable {
    let ahead: UInt64
    let isAlike: Bool
    var testDescription: String {
      "second clock ahead by \(ahead), \(isAlike ? "equal" : "different") values"
    }
  }

  static let settings = [
    Setting(ahead: 0, isAlike: false), Setting(ahead: 0, isAlike: true), Setting(ahead: 2, isAlike: false),
  ]

  @Test(arguments: settings) func everyOrderGivesTheDefinition(_ setting: Setting) {
    var histories = 0
    var wrong: [String] = []
    forEachHistory(of: 5, setting) { commits in
      histories += 1
      // One wrong history says enough; a wrong rule breaks thousands.
      guard wrong.isEmpty else { return }
      wrong = Orders(commits).firstWrong()
    }
    #expect(wrong == [])
    #expect(histories > 500)
  }

  /// One of the two devices, whose clock counts its own and others' commits.
  private struct Machine {
    var state = KeyedState()
    var known: Set<Int> = []
    var clock: UInt64
  }

  private func forEachHistory(of length: Int, _ setting: Setting, _ body: ([MadeChange]) -> Void) {
    var steps: [Step] = []
    func extend(_ machines: [Machine], _ commits: [MadeChange]) {
      if let last = steps.last, last.rawValue < Step.firstHears.rawValue { body(commits) }
      guard steps.count < length else { return }
      for step in Step.allCases {
        var (machines, commits) = (machines, commits)
        guard take(step, &machines, &commits, setting) else { continue }
        steps.append(step)
        extend(machines, commits)
        steps.removeLast()
      }
    }
    extend([Machine(clock: 0), Machine(clock: setting.ahead)], [])
  }

  /// Whether the step changed anything: one that does not only repeats a shorter history.
  private func take(
    _ step: Step, _ machines: inout [Machine], _ commits: inout [MadeChange], _ setting: Setting
  ) -> Bool {
    let one = step.isFirst ? 0 : 1
    machines[one].clock += 1
    let stamp = machines[one].clock
    let change: Change
    switch step {
    case .firstHears, .secondHears:
      let news = machines[1 - one].known.subtracting(machines[one].known)
      for number in news.sorted() { hear(number, commits[number], &machines[one]) }
      return !news.isEmpty
    case .firstWrites, .secondWrites:
      let value = setting.isAlike ? "same" : "\(one)-\(commits.count)"
      change = .set(machines[one].state.write([key("a"): bytes(value)], kind: "k", id: [1]))
    case .firstDeletes, .secondDeletes:
      guard machines[one].state.shown != nil else { return false }
      change = .delete(machines[one].state.delete(kind: "k", id: [1], stamp: Stamp(rawValue: stamp)))
    }
    // Hashes that sort otherwise than the commits were made.
    let hash = "\((commits.count * 7 + 3) % 10)\(one)"
    commits.append(
      MadeChange(context: context(hash, device: UInt8(one + 1), stamp: stamp), change: change))
    hear(commits.count - 1, commits[commits.count - 1], &machines[one])
    return true
  }

  private func hear(_ number: Int, _ commit: MadeChange, _ machine: inout Machine) {
    machine.known.insert(number)
    machine.state.apply(commit.change, commit.context)
    machine.clock = max(machine.clock, commit.context.stamp.rawValue)
  }
}

/// Walks through all orders of some commits, each prefix once.
private final class Orders {
  private let commits: [MadeChange]
  private var definitions: [UInt: KeyedState] = [:]
  private var wrong: [String] = []

  init(_ commits: [MadeChange]) { self.commits = commits }

  /// What is wrong first, or nothing.
  func firstWrong() -> [String] {
    extend(KeyedState(), KeyedState(), arrived: 0)
    return wrong
  }

  /// `exact` is told what has arrived and must equal the definition in all its parts; `plain` is not, and must
  /// show the same.
  private func extend(_ exact: KeyedState, _ plain: KeyedState, arrived: UInt) {
    let wanted = definition(arrived)
    if exact != wanted { wrong.append("state after \(arrived) of \(commits)") }
    if plain.view != wanted.view { wrong.append("view after \(arrived) of \(commits)") }
    guard wrong.isEmpty else { return }
    for (number, commit) in commits.enumerated() where arrived & (1 << number) == 0 {
      var (exact, plain) = (exact, plain)
      exact.apply(commit.change, commit.context) { hash in
        self.commits.indices.contains { arrived & (1 << $0) != 0 && self.commits[$0].context.hash == hash }
      }
      plain.apply(commit.change, commit.context)
      extend(exact, plain, arrived: arrived | 1 << number)
    }
  }

  private func definition(_ arrived: UInt) -> KeyedState {
    if let known = definitions[arrived] { return known }
    let present = commits.indices.filter { arrived & (1 << $0) != 0 }.map { commits[$0] }
    let made = RunicCoreTests.definition(of: present)
    definitions[arrived] = made
    return made
  }
}
