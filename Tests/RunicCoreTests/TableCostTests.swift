import ObjectStore
import RunicCore
import TestSupport
import Testing

/// What the table may cost, counted in calls and bytes.
@Suite struct TableCostTests {
  private func key(_ number: Int) -> [UInt8] {
    var random = SeededRandom(seed: UInt64(bitPattern: Int64(number)))
    return random.bytes(32)
  }

  /// Fills a table in bulk, as a rebuild of the index does.
  private func filled(_ count: Int, _ disk: any FileSystem) throws -> SortedTable {
    let table = try TableFixture.open(disk)
    try table.prepareForBulk()
    for start in stride(from: 0, to: count, by: 5000) {
      let numbers = start..<min(start + 5000, count)
      try table.commit(numbers.map { (key($0), .put(Array(repeating: 3, count: 40))) }, metadata: [])
    }
    try table.maintain()
    return table
  }

  @Test(arguments: [0, 1000, 100_000])
  func openingOneCommitAndOneLookupMakeABoundedNumberOfCallsWhateverTheSize(count: Int) throws {
    let disk = FaultyFileSystem(MemoryFileSystem())
    _ = try filled(count, disk)
    disk.resetCounters()
    let table = try TableFixture.open(disk)
    let runs = table.runCount
    #expect(runs <= 8)
    // Manifest, tail and each run: open, fstat, read.
    #expect(disk.counters.total <= 6 + 3 * runs)

    disk.resetCounters()
    try table.commit([(key(-1), .put([1]))], metadata: [1])
    // A list for leftovers and a write; in an empty folder also what makes the table.
    #expect(disk.counters.total <= (count == 0 ? 10 : 2))
    #expect(disk.counters.bytesWritten <= (count == 0 ? 160 : 70))

    disk.resetCounters()
    let wanted = count / 2
    #expect(try table.get(key(wanted))?.count == (count == 0 ? nil : 40))
    #expect(disk.counters.total <= 4 * runs)
    #expect(disk.counters.bytesRead <= 40_000 * runs)
  }

  @Test func aSingleCommitNeverRewritesMoreThanTheBudgetAndMaintenanceRestoresTheOrder() throws {
    let disk = FaultyFileSystem(MemoryFileSystem())
    let table = try TableFixture.open(disk)
    var most = 0
    var calls = 0
    let payload = [UInt8](repeating: 9, count: 6000)
    for number in 0..<2000 {
      disk.resetCounters()
      try table.commit([(key(number), .put(payload))], metadata: [])
      most = max(most, disk.counters.bytesRead)
      calls = max(calls, disk.counters.total)
    }
    // Old runs are read once, plus footer and manifest; with 64 KiB of new bytes that bounds the writes too.
    #expect(most <= 1 << 20 + 4096)
    #expect(most > 200_000, "the test must see a merge")
    #expect(calls <= 60)
    #expect(table.needsMaintenance)
    try table.maintain()
    #expect(!table.needsMaintenance)
    #expect(table.runCount <= 8)
    #expect(try table.get(key(1000)) == payload)
  }

  @Test func fillingInBulkWritesEveryByteOnlyAFewTimes() throws {
    let disk = FaultyFileSystem(MemoryFileSystem())
    let table = try filled(100_000, disk)
    // Once to the tail, once to its run, once when the runs are merged.
    #expect(disk.counters.bytesWritten < 4 * Int(table.byteCount))
    #expect(table.runCount <= 3)
  }

  @Test func aFilterSparesTheReadsForKeysThatAreNotThere() throws {
    let disk = FaultyFileSystem(MemoryFileSystem())
    let table = try filled(20_000, disk)
    try table.prepareForBulk()
    disk.resetCounters()
    for number in 1...1000 { #expect(try table.get(key(-number)) == nil) }
    #expect(disk.counters[.read] < 40)
    #expect(try table.get(key(77)) != nil)
  }

  @Test func manyLookupsReadLittleMoreThanTheFilter() throws {
    let disk = FaultyFileSystem(MemoryFileSystem())
    _ = try filled(20_000, disk)
    let table = try TableFixture.open(disk)
    disk.resetCounters()
    for number in 1...1000 { #expect(try table.get(key(-number)) == nil) }
    // Fourteen bits a key are 35,000 bytes: as much is read of blocks before the filter is loaded. One in 700 is a false
    // alarm.
    #expect(disk.counters.bytesRead <= 35_000 + 50_000 + 10 * 4096 + 16_384)
    #expect(try table.get(key(77)) != nil)
  }

  @Test func aFullScanReadsSequentiallyInLargePieces() throws {
    let disk = FaultyFileSystem(MemoryFileSystem())
    let table = try filled(50_000, disk)
    disk.resetCounters()
    var count = 0
    try table.scan { _, _ in
      count += 1
      return true
    }
    #expect(count == 50_000)
    #expect(disk.counters[.read] <= Int(table.byteCount) / (200 << 10) + table.runCount)
    disk.resetCounters()
    try table.scan(prefix: key(5)) { _, _ in true }
    #expect(disk.counters.bytesRead <= 40_000 * table.runCount)
  }
}
