import ObjectStore
import RunicCore
import TestSupport
import Testing

/// The table does what a dictionary does.
@Suite struct TableModelTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func randomCommitsReopeningsAndMergesLeaveWhatADictionaryHolds(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var fixture = try TableFixture()
    for step in 0..<400 {
      let batch = random.batch(keys: 120, values: seed % 2 == 0 ? 3000 : 400)
      try fixture.commit(batch, metadata: [UInt8](String(step).utf8))
      switch Int.random(in: 0..<40, using: &random) {
      case 0: try fixture.reopen()
      case 1: try fixture.table.maintain()
      case 2: try fixture.table.prepareForBulk()
      default: break
      }
      for (key, _) in batch {
        #expect(try fixture.table.get(key) == fixture.model[key], "seed \(seed), step \(step)")
      }
      guard step % 50 == 49 else { continue }
      #expect(try TableFixture.contents(fixture.table) == fixture.model, "seed \(seed), step \(step)")
      #expect(try fixture.table.isCurrent())
    }
    try fixture.table.maintain()
    #expect(!fixture.table.needsMaintenance)
    try fixture.reopen()
    #expect(fixture.table.metadata == fixture.metadata)
    #expect(try TableFixture.contents(fixture.table) == fixture.model, "seed \(seed)")
    #expect(try fixture.table.get([UInt8]("absent".utf8)) == nil)
  }

  @Test func aScanOfAPrefixOrRangeGivesExactlyItsKeys() throws {
    var fixture = try TableFixture()
    var random = SeededRandom(seed: 11)
    let keys: [[UInt8]] =
      [[], [0], [0xFF], [0xFF, 0xFF], [1, 0xFF], [1, 0xFF, 7], [2]]
      + (0..<3000).map { _ in random.bytes(3) }
    for part in stride(from: 0, to: keys.count, by: 100) {
      try fixture.commit(keys[part..<min(part + 100, keys.count)].map { ($0, .put([1] + $0)) })
      if part == 1500 { try fixture.table.maintain() }
    }
    let ordered = fixture.model.keys.sorted { $0.lexicographicallyPrecedes($1) }
    let edges: [[UInt8]] = [
      [], [0], [1], [1, 0xFF], [0x40], [0x40, 3], [0xFF], [0xFF, 0xFF], [0xFF, 0xFF, 0xFF],
    ]
    for edge in edges {
      var found: [[UInt8]] = []
      try fixture.table.scan(prefix: edge) { key, value in
        found.append([UInt8](key))
        return value.count == key.count + 1
      }
      #expect(found == ordered.filter { $0.starts(with: edge) }, "prefix \(edge)")
      for end in edges {
        let cursor = try fixture.table.cursor(from: edge, to: end)
        var count = 0
        while try cursor.next() != nil { count += 1 }
        let expected = ordered.filter {
          !$0.lexicographicallyPrecedes(edge) && $0.lexicographicallyPrecedes(end)
        }
        #expect(count == expected.count, "from \(edge) to \(end)")
      }
    }
  }

  @Test func aTombstoneHidesWhatIsOlderAlsoFromALaterMerge() throws {
    var fixture = try TableFixture()
    let key: [UInt8] = [7]
    try fixture.commit([(key, .put([1]))])
    try fixture.table.prepareForBulk()
    try spill(&fixture, 1)
    try fixture.commit([(key, .remove)])
    #expect(try fixture.table.get(key) == nil)
    try spill(&fixture, 2)
    #expect(try fixture.table.get(key) == nil)
    try fixture.commit([(key, .merge([2]))])
    #expect(try fixture.table.get(key) == [2])
    try spill(&fixture, 3)
    try fixture.commit([(key, .merge([3]))])
    #expect(fixture.table.runCount == 3)
    #expect(try fixture.table.get(key) == [2, 7, 3])
    #expect(try TableFixture.contents(fixture.table) == fixture.model)
    try fixture.table.maintain()
    #expect(fixture.table.runCount < 3)
    #expect(try fixture.table.get(key) == [2, 7, 3])
    try fixture.reopen()
    #expect(try TableFixture.contents(fixture.table) == fixture.model)
  }

  /// In bulk mode one commit over the limit makes a run of all that is in memory.
  private func spill(_ fixture: inout TableFixture, _ fill: UInt8) throws {
    try fixture.commit((0..<5).map { ([100, $0], .put(Array(repeating: fill, count: 2 << 20))) })
  }

  @Test func whenEverythingIsRemovedNoRunIsLeft() throws {
    var fixture = try TableFixture()
    let keys = (0..<2000).map { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    try fixture.commit(keys.map { ($0, .put(Array(repeating: 1, count: 100))) })
    #expect(fixture.table.runCount == 1)
    try fixture.commit(keys.map { ($0, .remove) } + [([1], .put(Array(repeating: 1, count: 70_000)))])
    try fixture.commit(
      [([1], .remove)] + (0..<100).map { _ in ([2], .put(Array(repeating: 0, count: 1000))) })
    try fixture.commit([([2], .remove)])
    try fixture.table.maintain()
    try fixture.reopen()
    #expect(try TableFixture.contents(fixture.table) == [:])
  }

  @Test func keysAndValuesBeyondTheLimitsAreRefusedAndChangeNothing() throws {
    var fixture = try TableFixture()
    try fixture.commit([([1], .put([1]))], metadata: [1])
    #expect(throws: TableError.keyTooLong(65_536)) {
      try fixture.table.commit(
        [([2], .put([2])), (Array(repeating: 0, count: 65_536), .put([]))], metadata: [2])
    }
    try fixture.commit([(Array(repeating: 3, count: 65_535), .put([3]))], metadata: [3])
    try fixture.table.commit([([4], nil), ([1], [9])], metadata: [4])
    #expect(try fixture.table.get([2]) == nil)
    #expect(try fixture.table.get([1]) == [1, 1, 9])
    #expect(try fixture.table.get(Array(repeating: 3, count: 65_535)) == [3])
    #expect(fixture.table.metadata == [4])
  }

  @Test func aReaderKeepsItsSnapshotWhileAWriterReplacesEveryFile() throws {
    let disk = MemoryFileSystem()
    var writer = try TableFixture(disk)
    var random = SeededRandom(seed: 5)
    for _ in 0..<60 { try writer.commit(random.batch(keys: 500, values: 2000)) }
    try writer.table.maintain()
    let past = writer.model
    let reader = try TableFixture.open(disk)
    let cursor = try writer.table.cursor()
    let names = try Set(disk.list(TableFixture.folder).map(\.name))
    for _ in 0..<300 { try writer.commit(random.batch(keys: 500, values: 2000)) }
    try writer.table.commit(
      (0..<200).map { ([9, $0], .put(Array(repeating: 1, count: 9000))) }, metadata: [])
    try writer.table.maintain()
    let replaced = try names.subtracting(disk.list(TableFixture.folder).map(\.name))
    #expect(replaced.count >= 2, "the test must see files go")
    #expect(try TableFixture.contents(reader) == past)
    for (key, value) in past { #expect(try reader.get(key) == value) }
    #expect(try !reader.isCurrent())
    var count = 0
    while try cursor.next() != nil { count += 1 }
    #expect(count == past.count)
  }
}
