/// Several sources as one: in the order of the keys, each key once, entries of one key put together.
final class MergeCursor {
  private let sources: [any EntrySource]
  private let combine: SortedTable.Combine
  /// Nothing older lies below the sources: tombstones go, and what is left is whole.
  private let isBottom: Bool
  private var heads: [EntryView?]
  /// The source whose entry was given out last and must move before the next.
  private var given: Int?
  /// The source with the least key but one, as of the last full look: the next winner need only beat it.
  private var runnerUp: Int?
  private let scratch = RawBuffer()

  /// The sources stand newest first.
  init(_ sources: [any EntrySource], isBottom: Bool, combine: @escaping SortedTable.Combine) {
    self.sources = sources
    self.isBottom = isBottom
    self.combine = combine
    heads = sources.map(\.entry)
  }

  /// The next entry, good until the next call; nil at the end.
  func next() throws -> EntryView? {
    while let found = try step() {
      guard isBottom else { return found }
      if found.kind == .tombstone { continue }
      return EntryView(kind: .full, key: found.key, value: found.value)
    }
    return nil
  }

  private func step() throws -> EntryView? {
    if let moved = given {
      try advance(moved)
      // The common case: one large run whose next key is still below everyone else's.
      if let head = heads[moved], let rival = runnerUp, let other = heads[rival],
        compareBytes(head.key, other.key) < 0
      {
        return head
      }
      if let head = heads[moved], runnerUp == nil { return head }
    }
    return try choose()
  }

  private func advance(_ index: Int) throws {
    try sources[index].advance()
    heads[index] = sources[index].entry
  }

  /// Looks at all sources for the least key, the newest of equal ones, and the second.
  private func choose() throws -> EntryView? {
    var winner: Int?
    var isShared = false
    given = nil
    runnerUp = nil
    for index in heads.indices {
      guard let head = heads[index] else { continue }
      guard let best = winner, let least = heads[best] else {
        winner = index
        continue
      }
      let order = compareBytes(head.key, least.key)
      if order == 0 { isShared = true }
      if order < 0 {
        (winner, runnerUp, isShared) = (index, best, false)
      } else if let second = runnerUp, let other = heads[second] {
        if compareBytes(head.key, other.key) < 0 { runnerUp = index }
      } else {
        runnerUp = index
      }
    }
    guard let winner, let head = heads[winner] else { return nil }
    if isShared { return try fold(from: winner, head) }
    given = winner
    return head
  }

  /// Puts together all entries of the winner's key, and moves their sources on.
  private func fold(from winner: Int, _ head: EntryView) throws -> EntryView? {
    let key = [UInt8](head.key)
    var value = head.stored
    for index in winner..<heads.count {
      guard let other = heads[index], key.withUnsafeBytes({ compareBytes(other.key, $0) == 0 }) else {
        continue
      }
      if index != winner, value.kind == .operand {
        value = try value.over(other.stored, key: key, combine: combine)
      }
      try advance(index)
    }
    return value.withView(key) { view in
      scratch.reserve(view.key.count &+ view.value.count)
      let split = view.key.count
      let end = split &+ view.value.count
      UnsafeMutableRawBufferPointer(rebasing: scratch.bytes[..<split]).copyMemory(from: view.key)
      UnsafeMutableRawBufferPointer(rebasing: scratch.bytes[split..<end]).copyMemory(from: view.value)
      return EntryView(
        kind: view.kind, key: UnsafeRawBufferPointer(rebasing: scratch.bytes[..<split]),
        value: UnsafeRawBufferPointer(rebasing: scratch.bytes[split..<end]))
    }
  }
}
