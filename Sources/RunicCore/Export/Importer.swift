import CanonicalJSON
import ObjectStore

/// What an import found.
public struct ImportOutcome: Hashable, Sendable {
  /// How many records were offered.
  public internal(set) var records = 0
  /// How many of them brought something that was not known.
  public internal(set) var stored = 0
}

/// Brings records of another repository into this one as they were: with their stamps, devices and times.
///
/// Nothing that is here is replaced: where the two differ, the newer shows and the other is a conflict. A write
/// whose commit is known, here or from an earlier import, is not brought in again, whatever became of it since.
///
/// A commit changes a keyed record once, so several heads of a record go into several commits: those of many
/// records together, layer by layer.
public final class Importer {
  private static let batchLimit = 1 << 20

  private let transaction: Transaction
  private var plans: [ImportPlan] = []
  private var names: Set<RecordName> = []
  private var planned = 0
  private var outcome = ImportOutcome()

  public init(into transaction: Transaction) { self.transaction = transaction }

  /// - Throws: `RunicError.kindDeclaredTwice` for a declaration that contradicts the one that is here.
  public func add(_ record: ExportedRecord) throws {
    outcome.records += 1
    switch record {
    case .history(let history): if try add(history) { outcome.stored += 1 }
    case .keyed(let keyed): if try add(keyed) { outcome.stored += 1 }
    }
  }

  /// Writes what still waits.
  public func finish() throws -> ImportOutcome {
    try flush()
    return outcome
  }

  private func add(_ record: ExportedHistory) throws -> Bool {
    let name = RecordName(family: .history, kind: record.kind, id: record.id)
    let known = try transaction.index.history(name)
    if let known, !known.isSurpassed(by: record.payload, rank: record.rank) { return false }
    try transaction.append(
      HistoryAdd(
        kind: record.kind, id: record.id, payload: record.payload, rank: record.rank, stamp: record.stamp,
        origin: record.origin))
    return true
  }

  private func add(_ record: ExportedKeyed) throws -> Bool {
    guard !Exporter.privateKinds.contains(record.kind) else { throw RunicError.badKindName(record.kind) }
    let name = RecordName(family: .keys, kind: record.kind, id: record.id)
    if names.contains(name) { try flush() }
    let state = try transaction.index.keyed(name) ?? KeyedState()
    let plan = try ImportPlan(record, name, state) { commit in
      try state.origins.contains(commit) || transaction.index.place(of: commit) != nil
    }
    if plan.steps.isEmpty { return false }
    if record.kind == BuiltInName.kind { try Self.requireOneRule(record, plan, state) }
    plans.append(plan)
    names.insert(name)
    planned += plan.size
    if planned > Self.batchLimit { try flush() }
    return true
  }

  /// Refuses a declaration that has the records of a kind merge otherwise than those that are here: a record has keys
  /// or it is one whole, and what is written as the other is shown by neither side.
  private static func requireOneRule(
    _ record: ExportedKeyed, _ plan: ImportPlan, _ state: KeyedState
  ) throws {
    guard let here = rule(record.id, state.payload) else { return }
    for case .write(let write) in plan.steps where !write.isSettled {
      guard let there = rule(record.id, write.values[.whole] ?? nil), !there.mergesLike(here) else {
        continue
      }
      throw RunicError.kindDeclaredTwice(String(decoding: record.id, as: UTF8.self), here, there)
    }
  }

  private static func rule(_ name: [UInt8], _ declaration: [UInt8]?) -> Kind.Rule? {
    guard let declaration, let object = (try? JSONValue.parse(declaration))?.objectValue else { return nil }
    return Kind(declaredAs: name, by: object)?.rule
  }

  /// Writes the first step of every record, then the second of those that have one, and so on: a step may name
  /// the commits of those before it.
  private func flush() throws {
    var layer = 0
    while try write(layer: layer) { layer += 1 }
    (plans, names, planned) = ([], [], 0)
  }

  private func write(layer: Int) throws -> Bool {
    try transaction.closeCommit()
    var wroteAny = false
    for index in plans.indices where layer < plans[index].steps.count {
      let change = plans[index].change(layer, commits: transaction.commits)
      try transaction.append(to: plans[index].name) { _, _ in change }
      // The commit in the making will be the next one in the list.
      plans[index].places.append(transaction.commits.count)
      wroteAny = true
    }
    return wroteAny
  }
}
