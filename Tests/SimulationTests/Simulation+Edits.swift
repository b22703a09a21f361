import CanonicalJSON
import ObjectStore
import TestSupport

@testable import RunicCore

extension Kind {
  /// A kind of the user's whose records are replaced as a whole.
  static let note = Kind("note", .lastWriterWins(key: nil))
}

extension Simulation {
  /// One edit, or some that are stored at once: then each of them counts as an event.
  func edit(_ device: SimulatedDevice, _ sort: EventSort) throws {
    try device.record { transaction in
      if sort == .addMany {
        for _ in 0..<random.number(3...12) { try transaction.addUsage(&random) }
      } else {
        try edit(transaction, sort)
      }
      for _ in 0..<random.number(0...2) {
        let other = random.editSort()
        note("  and \(other)")
        events += 1
        try edit(transaction, other)
      }
    }
  }

  private func edit(_ transaction: Transaction, _ sort: EventSort) throws {
    do {
      switch sort {
      case .add:
        if random.chance(50) {
          try transaction.addUsage(&random)
        } else {
          try transaction.addRequest(&random)
        }
      case .prefer: try transaction.patchPreferences(&random)
      case .setAlert: try transaction.patchAlert(&random)
      case .setNote: try transaction.patchNote(&random)
      case .delete: try transaction.deleteSomething(&random)
      default: try transaction.resolveSomething(&random)
      }
    } catch let error as RunicError {
      guard error.isRefusal else { throw error }
    }
  }
}

extension RunicError {
  /// An edit that makes no sense in the state that it met.
  fileprivate var isRefusal: Bool {
    switch self {
    case .unknownRecord, .notConflicting, .badField(_, _, .rule): true
    default: false
    }
  }
}

// MARK: - What people record

extension Transaction {
  /// Few enough that two devices record the same one now and then.
  func addUsage(_ random: inout SeededRandom) throws {
    try add(
      .usage,
      [
        "primaryUsed": .integer(Int64(random.number(0...40))),
        "providerID": random.pick("claude", "codex", "gemini"),
      ])
  }

  /// A natural key and ranks: of two that tell of one request, the fuller one wins.
  func addRequest(_ random: inout SeededRandom) throws {
    try add(
      .request,
      [
        "occurredAt": "2026-09-05T00:00:00Z", "outputTokens": .integer(Int64(random.number(0...3))),
        "providerID": "claude", "requestID": .string(JSONString("q\(random.number(0...9))")),
        "tool": random.pick("a", "b"),
      ])
  }

  private func add(_ kind: Kind, _ payload: JSONObject) throws {
    let bytes = payload.canonicalBytes
    var fingerprinter = Fingerprinter()
    try add(
      kind: kind, id: try kind.naturalID(of: bytes[...], using: &fingerprinter), payload: bytes[...])
  }

  func patchPreferences(_ random: inout SeededRandom) throws {
    var patch = Patch()
    for _ in 0..<random.number(1...2) {
      let (key, value): (JSONString, JSONValue) = random.pick(
        ("theme", random.pick("dark", "light", "blue")),
        ("refreshInterval", .integer(Int64(random.number(1...4)))),
        ("enabledProviders", .array(random.providers())), ("extra", .bool(random.chance(50))))
      if random.chance(20) { patch.unset.insert(key) } else { patch.set[key] = value }
    }
    for key in patch.unset { patch.set[key] = nil }
    try self.patch(kind: .preferences, id: Array("user-preferences".utf8), patch)
  }

  func patchAlert(_ random: inout SeededRandom) throws {
    let id: JSONString = random.pick("claude", "codex")
    var patch = Patch(set: ["providerID": .string(id)])
    if random.chance(60) { patch.set["warningThreshold"] = random.pick(0.5, 0.75, 0.8) }
    if random.chance(40) { patch.set["criticalThreshold"] = random.pick(0.85, 0.9, 0.95) }
    if random.chance(30) { patch.set["enabled"] = .bool(random.chance(50)) }
    if random.chance(30) { patch.set["notificationChannels"] = .array(random.providers()) }
    try self.patch(kind: .alert, id: id.utf8, patch)
  }

  func patchNote(_ random: inout SeededRandom) throws {
    let text = JSONValue.integer(Int64(random.number(0...5)))
    try patch(kind: .note, id: random.pick([0x61], [0x62]), Patch(set: ["text": text]))
  }

  func deleteSomething(_ random: inout SeededRandom) throws {
    let (kind, id): (Kind, String) = random.pick(
      (.alert, "claude"), (.alert, "codex"), (.note, "a"), (.note, "b"), (.preferences, "user-preferences"))
    try delete(kind: kind, id: Array(id.utf8))
  }

  func resolveSomething(_ random: inout SeededRandom) throws {
    let open = try snapshot.conflicts()
    guard !open.isEmpty else { return try patchPreferences(&random) }
    let conflict = open[random.number(0...open.count - 1)]
    guard let kind = KindRegistry.simulated(conflict.name.kind) else { return }
    let resolution: Resolution =
      conflict.concernsDelete
      ? random.pick(.keep, .delete)
      : random.pick(
        .ours, .theirs, .value(random.chance(30) ? nil : kind == .note ? ["text": 9] : 3),
        .device(conflict.others[0].device))
    try resolve(kind: kind, id: conflict.name.id, key: conflict.key, as: resolution)
  }

  /// What `gc` does of a log: the whole roll-up, in a commit without changes.
  func rollUpEverything() throws {
    rollsUpEverything = true
    try appendEmptyCommit()
  }
}

extension KindRegistry {
  fileprivate static func simulated(_ name: String) -> Kind? {
    [Kind.alert, .preferences, .note].first { $0.name == name }
  }
}

extension SeededRandom {
  fileprivate mutating func editSort() -> EventSort {
    pick(.add, .prefer, .prefer, .setAlert, .setNote, .delete, .resolve)
  }

  fileprivate mutating func providers() -> [JSONValue] {
    (["claude", "codex", "gemini"] as [JSONValue]).filter { _ in chance(60) }
  }
}
