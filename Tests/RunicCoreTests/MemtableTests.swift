import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// The entries in memory, held against a dictionary.
@Suite struct MemtableTests {
  private func contents(_ cursor: MemoryCursor) -> [(key: [UInt8], value: StoredValue)] {
    var found: [(key: [UInt8], value: StoredValue)] = []
    while let entry = cursor.entry {
      found.append(([UInt8](entry.key), entry.stored))
      cursor.advance()
    }
    return found
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func holdsWhatADictionaryWouldHold(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var memtable = Memtable()
    var model: [[UInt8]: StoredValue] = [:]
    for _ in 0..<2000 {
      let key = random.bytes(random.below(24))
      let value = StoredValue(
        kind: [.full, .operand, .tombstone][random.below(3)], bytes: random.bytes(random.below(60)))
      let entry = StoredValue(kind: value.kind, bytes: value.kind == .tombstone ? [] : value.bytes)
      try memtable.apply(key, entry, combine: TableFixture.joined)
      model[key] = try model[key].map { try entry.over($0, key: key, combine: TableFixture.joined) } ?? entry
    }
    #expect(memtable.count == model.count)
    for (key, value) in model { #expect(memtable[key] == value) }
    #expect(memtable[[UInt8](repeating: 0, count: 30)] == nil)
    let sorted = model.keys.sorted { $0.lexicographicallyPrecedes($1) }
    #expect(contents(memtable.sorted()).map(\.key) == sorted)
    #expect(contents(memtable.sorted()).allSatisfy { model[$0.key] == $0.value })
    let length = model.reduce(0) { $0 + EntryView.headerLength + $1.key.count + $1.value.bytes.count }
    #expect(memtable.byteCount == length)
    let (low, high) = (sorted[sorted.count / 3], sorted[2 * sorted.count / 3])
    let inside = contents(memtable.image(KeyRange(start: low, end: high))).map(\.key)
    #expect(inside == Array(sorted[(sorted.count / 3)..<(2 * sorted.count / 3)]))
  }

  @Test func anImageStaysAsItWas() throws {
    var memtable = Memtable()
    for number in 0..<50 as Range<UInt8> {
      try memtable.apply([number], StoredValue(kind: .full, bytes: [number]), combine: TableFixture.joined)
    }
    let image = memtable.image(.all)
    for number in 0..<200 as Range<UInt8> {
      let bytes = [UInt8](repeating: number, count: 500)
      try memtable.apply([number], StoredValue(kind: .full, bytes: bytes), combine: TableFixture.joined)
    }
    #expect(contents(image).map(\.value.bytes) == (0..<50).map { [$0] })
  }

  @Test func whatIsTooLongIsRefusedAndChangesNothing() throws {
    var memtable = Memtable()
    try memtable.apply([1], StoredValue(kind: .full, bytes: [1]), combine: TableFixture.joined)
    #expect(throws: TableError.keyTooLong(65_536)) {
      try memtable.apply(
        [UInt8](repeating: 1, count: 65_536), StoredValue(kind: .full, bytes: []),
        combine: TableFixture.joined)
    }
    let long = StoredValue(kind: .operand, bytes: [2])
    #expect(throws: TableError.valueTooLong(EntryView.maximumValueLength + 1)) {
      try memtable.apply([1], long) { _, _, _ in
        [UInt8](repeating: 0, count: EntryView.maximumValueLength + 1)
      }
    }
    #expect(memtable.count == 1)
    #expect(memtable[[1]] == StoredValue(kind: .full, bytes: [1]))
  }

  @Test func isEmptyAgainAfterItWasCleared() throws {
    var memtable = Memtable()
    for round in 0..<3 as Range<UInt8> {
      for number in 0..<100 as Range<UInt8> {
        try memtable.apply([number], StoredValue(kind: .full, bytes: [round]), combine: TableFixture.joined)
      }
      #expect(memtable[[7]] == StoredValue(kind: .full, bytes: [round]))
      memtable.removeAll()
      #expect(memtable.isEmpty && memtable[[7]] == nil && memtable.byteCount == 0)
      #expect(contents(memtable.sorted()).isEmpty)
    }
  }
}
