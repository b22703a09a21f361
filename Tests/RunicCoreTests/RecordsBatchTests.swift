import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

@Suite struct RecordsBatchTests {
  private let fileSystem = MemoryFileSystem()

  private func repository() throws -> Repository {
    let environment = Environment(
      fileSystem: fileSystem, clock: Clock(now: { 1_788_696_000_000 }, sleep: { _ in }), random: .seeded(7),
      lockWait: 0)
    return try Repository.create(at: "/r", name: "laptop", passphrase: nil, environment: environment)
  }

  private func line(_ number: Int, padding: Int) -> [UInt8] {
    let text =
      #"{"accountEmail":"\#(String(repeating: "x", count: padding))","primaryUsed":\#(number),"providerID":"c"}"#
    return Array("\(text)\n".utf8)
  }

  /// Pieces of an odd length, so that lines are cut anywhere.
  private func pieces(_ bytes: [UInt8]) -> () throws -> [UInt8]? {
    var rest = bytes[...]
    return {
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(65_537) }
      return Array(rest.prefix(65_537))
    }
  }

  private func usage() -> BatchOptions { BatchOptions(kind: .usage) }

  @Test func moreThanFitsInMemoryIsRecordedAndNothingIsLeft() throws {
    let repository = try repository()
    let bytes = (0..<300).flatMap { line($0, padding: 20_000) }
    let outcome = try repository.record(linesOf: .stream(pieces(bytes)), usage())
    #expect(outcome.recorded == 300)
    #expect(try fileSystem.list("/r/tmp").isEmpty)
    var found: Set<Int64> = []
    try repository.read { snapshot in
      try snapshot.forEachRecord(of: BuiltInName.usage, .history) { record in
        found.insert(record.value(of: "primaryUsed")?.intValue ?? -1)
        return true
      }
    }
    #expect(found == Set(0..<300))
    let again = try repository.record(linesOf: .stream(pieces(bytes)), usage())
    #expect((again.recorded, again.unchanged) == (0, 300))
  }

  @Test func aBadLastLineOfALongBatchRefusesAllOfIt() throws {
    let repository = try repository()
    let bytes = (0..<300).flatMap { line($0, padding: 20_000) } + Array("{\"primaryUsed\":1}".utf8)
    let before = try repository.store.headNames()
    #expect {
      try repository.record(linesOf: .stream(pieces(bytes)), usage())
    } throws: { error in
      guard case RunicError.badLine(let number, _) = error else { return false }
      return number == 301
    }
    #expect(try repository.store.headNames() == before)
    try repository.read { snapshot in
      try snapshot.forEachRecord(of: BuiltInName.usage, .history) { _ in
        Issue.record("a record of a refused batch is there")
        return false
      }
    }
    // The next command finds nothing left of it.
    try repository.write { _ = try $0.record(["primaryUsed": 1, "providerID": "c"], kind: .usage) }
    #expect(try fileSystem.list("/r/tmp").isEmpty)
    #expect(try repository.store.objectNames(of: repository.deviceID).count == 1)
  }

  private func file(_ bytes: [UInt8]) -> BatchInput {
    .file(
      FileInput(length: Int64(bytes.count)) { count, offset in
        Array(bytes.dropFirst(Int(offset)).prefix(min(count, 65_537)))
      })
  }

  @Test func aFileIsReadWhereItLies() throws {
    let repository = try repository()
    let bytes = (0..<300).flatMap { line($0, padding: 20_000) }
    #expect(try repository.record(linesOf: file(bytes), usage()).recorded == 300)
    #expect(try fileSystem.list("/r/tmp").isEmpty)
    let again = try repository.record(linesOf: .stream(pieces(bytes)), usage())
    #expect((again.recorded, again.unchanged) == (0, 300))
  }

  /// The index is made anew in the middle of a batch: then all lines are read once more.
  @Test func aDamagedIndexCostsNoLineOfAFile() throws {
    let bytes = (0..<300).flatMap { line($0, padding: 20_000) }
    do {
      let repository = try repository()
      _ = try repository.record(linesOf: file(bytes), usage())
    }
    let run = try #require(try fileSystem.list("/r/index").first { $0.name.hasPrefix("run-") }).name
    var damaged = try fileSystem.read("/r/index/\(run)", limit: 64 << 20)
    for place in stride(from: 100, to: damaged.count / 2, by: 4096) { damaged[place] ^= 1 }
    try fileSystem.remove("/r/index/\(run)")
    do {
      let rewritten = try OpenFile("/r/index/\(run)", .create(permissions: 0o600), in: fileSystem)
      try rewritten.write(damaged, at: 0)
    }
    let environment = Environment(
      fileSystem: fileSystem, clock: Clock(now: { 1_788_696_000_000 }, sleep: { _ in }), random: .seeded(8),
      lockWait: 0)
    let repository = try Repository.open(at: "/r", environment: environment)
    let more = bytes + (300..<320).flatMap { line($0, padding: 20_000) }
    let outcome = try repository.record(linesOf: file(more), usage())
    #expect((outcome.recorded, outcome.unchanged) == (20, 300))
  }

  // MARK: - Patches of one record

  private let note = Kind("note", .perKey(key: nil))

  private func shown(_ repository: Repository) throws -> [[UInt8]?] {
    try repository.read { snapshot in
      try ["a", "b"].map { id in
        try snapshot.index.keyed(RecordName(family: .keys, kind: "note", id: Array(id.utf8)))?.payload
      }
    }
  }

  /// Devices that differ in some keys, so that the first of them shows conflicts.
  private func conflicting(_ bench: Workbench) throws -> Repository {
    let a = try bench.begin("a")
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    for device in [a, b] {
      try device.write { transaction in
        _ = try transaction.patch(
          kind: note, id: Array("a".utf8),
          Patch(set: ["k0": .string(JSONString(device.deviceName)), "k1": 1]))
      }
      _ = try device.pull("shared")
      _ = try device.push("shared")
    }
    _ = try a.pull("shared")
    #expect(try a.read { try $0.conflicts().count } == 1)
    try a.configure {
      try $0.setDefaults(JSONValue.parse(Array(#"{"k2":2}"#.utf8)).objectValue, ofKind: "note")
    }
    return a
  }

  /// Whatever lines follow one another, all is as if each were recorded by itself.
  @Test(arguments: 0..<60) func patchesOfARecordAddUpToTheSame(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let lines = (0..<12).map { _ in
      let id = random.below(4) == 0 ? "b" : "a"
      let members = Set((0...random.below(2)).map { _ in random.below(4) }).sorted().map { key in
        #""k\#(key)":\#([#""a""#, #""b""#, "1", "2"][random.below(4)])"#
      }
      return #"{"id":"\#(id)","payload":{\#(members.joined(separator: ","))}}"#
    }
    let (one, other) = (try Workbench(), try Workbench())
    let (together, apart) = (try conflicting(one), try conflicting(other))
    let outcome = try together.record(
      linesOf: file(Array(lines.joined(separator: "\n").utf8)), BatchOptions(kind: note))
    var (recorded, unchanged) = (0, 0)
    for line in lines {
      let single = try apart.record(linesOf: file(Array(line.utf8)), BatchOptions(kind: note))
      recorded += single.recorded
      unchanged += single.unchanged
    }
    #expect((outcome.recorded, outcome.unchanged) == (recorded, unchanged), "\(lines)")
    #expect(try shown(together) == shown(apart), "\(lines)")
    let conflicts = try [together, apart].map { device in
      try device.read { try $0.conflicts().map(\.key) }
    }
    #expect(conflicts[0] == conflicts[1], "\(lines)")
  }

  @Test func manyPatchesOfARecordAreFewCommits() throws {
    let repository = try repository()
    let lines = (0..<2000).map {
      #"{"id":"a","payload":{"key \#($0)":"\#(String(repeating: "x", count: 300))"}}"#
    }
    let bytes = Array(lines.joined(separator: "\n").utf8)
    #expect(try repository.record(linesOf: file(bytes), BatchOptions(kind: note)).recorded == 2000)
    let newest = try #require(try repository.store.headNames().last).sequence
    #expect(newest <= 4, "\(newest) commits")
    #expect(try repository.record(linesOf: file(bytes), BatchOptions(kind: note)).unchanged == 2000)
    let object = try repository.read {
      try $0.storedRecord(RecordName(family: .keys, kind: "note", id: [0x61]))
    }
    #expect(object?.object.count == 2000)
  }

  /// What a record has no room for is the fault of the line that brings it.
  @Test func theLineThatARecordHasNoRoomForIsNamed() throws {
    let repository = try repository()
    let lines = (0..<5).map {
      #"{"id":"a","payload":{"key \#($0)":"\#(String(repeating: "x", count: 300_000))"}}"#
    }
    var options = BatchOptions(kind: note)
    options.skipsBad = true
    let outcome = try repository.record(linesOf: file(Array(lines.joined(separator: "\n").utf8)), options)
    #expect((outcome.recorded, outcome.skipped) == (3, 2))
    #expect(outcome.examples.map(\.number) == [4, 5])
  }

  /// A fingerprint is of what stands there after the line before.
  @Test func aConditionHoldsForEachLine() throws {
    let repository = try repository()
    func record(_ text: String, _ options: BatchOptions) throws {
      _ = try repository.record(linesOf: file(Array(text.utf8)), options)
    }
    try record(#"{"id":"a","payload":{"x":1}}"#, BatchOptions(kind: note))
    var options = BatchOptions(kind: note)
    options.condition = Fingerprint.of(Array(#"{"x":1}"#.utf8), family: .keys, kind: "note")
    let two = #"{"id":"a","payload":{"x":2}}"# + "\n" + #"{"id":"a","payload":{"y":2}}"#
    #expect(throws: RunicError.self) { try record(two, options) }
  }

  @Test func nobodyWaitsForTheInputOfABatch() throws {
    let repository = try repository()
    var number = 0
    let outcome = try repository.record(
      linesOf: .stream({
        number += 1
        // Another command comes through while this one still reads.
        try repository.write {
          _ = try $0.record(["primaryUsed": .integer(Int64(-number)), "providerID": "other"], kind: .usage)
        }
        return number <= 3 ? line(number, padding: 700_000) : nil
      }), usage())
    #expect(outcome.recorded == 3)
  }

  @Test func everyCommitIsWalkedOnceInTheOrderOfItsLog() throws {
    let repository = try repository()
    for number in 0..<60 {
      try repository.write {
        _ = try $0.record(["primaryUsed": .integer(Int64(number)), "providerID": "c"], kind: .usage)
      }
    }
    try repository.read { snapshot in
      var sequences: [Int64] = []
      try snapshot.forEachCommit { commit in
        sequences.append(commit.commit.sequence)
        return true
      }
      #expect(sequences == Array(1...60))
      var few = 0
      try snapshot.forEachCommit { _ in
        few += 1
        return few < 5
      }
      #expect(few == 5)
    }
  }

  @Test func idsAndCommitsAreFoundByAnyUniquePrefix() throws {
    let repository = try repository()
    for number in 0..<40 {
      try repository.write {
        _ = try $0.record(["primaryUsed": .integer(Int64(number)), "providerID": "c"], kind: .usage)
      }
    }
    try repository.read { snapshot in
      var ids: [[UInt8]] = []
      try snapshot.forEachRecord(of: BuiltInName.usage, .history) { record in
        ids.append(record.name.id)
        return true
      }
      for id in ids {
        let text = String(decoding: id, as: UTF8.self)
        for length in [12, 13, 63, 64] {
          #expect(try snapshot.recordID(String(text.prefix(length)), kind: .usage) == id)
        }
        #expect(try snapshot.recordID(String(text.prefix(3)), kind: .usage) == Array(text.utf8.prefix(3)))
      }
      var hashes: [Digest] = []
      try snapshot.forEachCommit { commit in
        hashes.append(commit.commit.hash)
        return true
      }
      for hash in hashes {
        for length in [12, 13, 63, 64] {
          #expect(try snapshot.commit(String(hash.hex.prefix(length)))?.hash == hash)
        }
        #expect(try snapshot.commit(String(hash.hex.prefix(3))) == nil)
      }
    }
  }
}
