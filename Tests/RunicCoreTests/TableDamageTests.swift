import ObjectStore
import RunicCore
import TestSupport
import Testing

/// What is torn or altered is found or does no harm: no wrong data, no trap.
@Suite struct TableDamageTests {
  private typealias State = [[UInt8]: [UInt8]]

  @Test func aTailCutAnywhereHoldsTheBatchesThatAreWhole() throws {
    let disk = MemoryFileSystem()
    var fixture = try TableFixture(disk)
    var random = SeededRandom(seed: 21)
    var states: [(length: Int, state: State, metadata: [UInt8])] = [(0, [:], [])]
    let tail = TableFixture.folder + "/tail-1"
    for step in 0..<12 {
      try fixture.commit(random.batch(keys: 8, values: 20), metadata: [UInt8(step)])
      states.append((try disk.contents(tail).count, fixture.model, fixture.metadata))
    }
    let whole = try disk.contents(tail)
    for length in 0...whole.count {
      for padding in [0, 40] {
        try disk.setContents(tail, Array(whole[..<length]) + Array(repeating: 0, count: padding))
        // Zeros may happen to be what was cut off.
        let kept = length + whole[length...].prefix { padding > 0 && $0 == 0 }.count
        guard let expected = states.last(where: { $0.length <= kept }) else { continue }
        let table = try TableFixture.open(disk)
        #expect(table.metadata == expected.metadata, "cut at \(length)")
        #expect(try TableFixture.contents(table) == expected.state, "cut at \(length)")
        try table.commit([([1, 2, 3], .put([4]))], metadata: [99])
        let again = try TableFixture.open(disk)
        #expect(again.metadata == [99], "cut at \(length)")
        #expect(try TableFixture.contents(again) == expected.state.merging([[1, 2, 3]: [4]]) { $1 })
      }
    }
  }

  @Test func aFrameThatWasCutDoesNotComeBackWhenAnotherIsWrittenOverItsBeginning() throws {
    let disk = MemoryFileSystem()
    let tail = TableFixture.folder + "/tail-1"
    let table = try TableFixture.open(disk)
    try table.commit([([1], .put([1]))], metadata: [1])
    try table.commit([([2], .put([2]))], metadata: [2])
    let second = try disk.contents(tail).count
    try table.commit([([3], .put([3]))], metadata: [3])
    let whole = try disk.contents(tail)
    // The second frame is torn, the third is intact behind it: the next commit is as long as the second.
    var torn = whole
    torn[second - 1] ^= 1
    try disk.setContents(tail, torn)
    try TableFixture.open(disk).commit([([4], .put([4]))], metadata: [4])
    var stale = try disk.contents(tail)
    #expect(stale.count == second)
    #expect(try TableFixture.contents(TableFixture.open(disk)) == [[1]: [1], [4]: [4]])
    // Even where the end was not cut off, the chain of checks refuses the old frame.
    stale += whole[second...]
    try disk.setContents(tail, stale)
    #expect(try TableFixture.open(disk).metadata == [4])
  }

  @Test func everyFlippedByteIsFoundOrHarmless() throws {
    let disk = MemoryFileSystem()
    var fixture = try TableFixture(disk)
    var random = SeededRandom(seed: 31)
    try fixture.commit((0..<60).map { ([$0], .put(random.bytes(90))) }, metadata: [1])
    try fixture.table.prepareForBulk()
    try fixture.commit([([7], .put(Array(repeating: 7, count: 70_000)))])
    try fixture.table.maintain()
    let past = fixture.model
    try fixture.commit([([200], .put([1])), ([3], .remove)], metadata: [2])
    let present = fixture.model
    var found = 0
    for (name, bytes) in try disk.tree(TableFixture.folder) {
      let path = TableFixture.folder + "/" + name
      // The long value is all alike and the small ones are too: some of their bytes stand for the rest.
      let positions = bytes.indices.filter {
        bytes.count < 10_000 || $0 < 300 || $0 > bytes.count - 700
          || $0 % ($0 < 6000 || $0 > bytes.count - 6000 ? 7 : 397) == 0
      }
      for position in positions {
        var altered = bytes
        altered[position] ^= 1 << UInt8(position % 8)
        try disk.setContents(path, altered)
        do {
          let table = try TableFixture.open(disk)
          let contents = try TableFixture.contents(table)
          #expect(contents == present || contents == past, "\(name), byte \(position)")
          for key: [UInt8] in [[0], [30], [59], [7]] {
            #expect(try table.get(key) == present[key], "\(name), byte \(position)")
          }
          try table.prepareForBulk()
          for (key, value) in contents ?? [:] {
            #expect(try table.get(key) == value, "\(name), byte \(position)")
          }
        } catch is TableError { found += 1 }
      }
      try disk.setContents(path, bytes)
    }
    #expect(found > 2000)
    #expect(try TableFixture.contents(TableFixture.open(disk)) == present)
  }

  @Test func aCutOrMissingOrExchangedFileIsDamageAndDestroyMakesRoom() throws {
    let disk = MemoryFileSystem()
    var fixture = try TableFixture(disk)
    try fixture.table.prepareForBulk()
    for fill in 1...2 as ClosedRange<UInt8> {
      try fixture.commit((0..<5).map { ([$0], .put(Array(repeating: fill, count: 2 << 20))) })
    }
    let good = disk.snapshot()
    let names = try disk.list(TableFixture.folder).map(\.name)
    let runs = names.filter { $0.hasPrefix("run-") }.map { TableFixture.folder + "/" + $0 }
    #expect(runs.count == 2)
    for name in names {
      let path = TableFixture.folder + "/" + name
      let bytes = try disk.contents(path)
      for length in [0, 1, 63, 64, bytes.count / 2, bytes.count - 1] where length < bytes.count && length >= 0
      {
        try disk.setContents(path, Array(bytes[..<length]))
        #expect(throws: TableError.damaged(file: name), "cut at \(length)") { try TableFixture.open(disk) }
      }
      try disk.remove(path)
      if name != "manifest" { #expect(throws: TableError.self) { try TableFixture.open(disk) } }
      disk.restore(good)
    }
    let (first, second) = (try disk.contents(runs[0]), try disk.contents(runs[1]))
    try disk.setContents(runs[0], second)
    try disk.setContents(runs[1], first)
    #expect(throws: TableError.self) { try TableFixture.open(disk) }

    try SortedTable.destroy(folder: TableFixture.folder, fileSystem: disk)
    #expect(try disk.list(TableFixture.folder).isEmpty)
    let table = try TableFixture.open(disk)
    try table.commit([([1], .put([1]))], metadata: [5])
    #expect(try TableFixture.contents(TableFixture.open(disk)) == [[1]: [1]])
  }

  @Test func filesLeftWithoutAManifestAreNotTakenForATable() throws {
    let disk = MemoryFileSystem()
    try TableFixture.open(disk).commit([([1], .put([1]))], metadata: [1])
    try disk.remove(TableFixture.folder + "/manifest")
    let table = try TableFixture.open(disk)
    #expect(table.metadata.isEmpty)
    try table.commit([([2], .put([2]))], metadata: [2])
    #expect(try TableFixture.contents(TableFixture.open(disk)) == [[2]: [2]])
  }
}
