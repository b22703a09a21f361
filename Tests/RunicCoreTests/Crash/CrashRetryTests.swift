import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// A command that failed can be run again: of what it was to store nothing is there.
@Suite struct CrashRetryTests {
  private static func prepare(_ bench: Workbench) throws {
    let a = try bench.begin("a")
    try a.use("claude", 1)
    try a.prefer(["theme": "dark"])
  }

  /// The n-th call that needs room finds none, for every n.
  @Test func aRecordThatFailedForWantOfRoomIsNotThere() throws {
    var failed = 0
    let drill = try CrashDrill(Self.prepare) { bench in
      try bench.open("a").use("claude", 2)
    } problems: { bench, acknowledged in
      if !acknowledged { failed += 1 }
      let count = try bench.open("a").usageCount
      return count == (acknowledged ? 2 : 1) ? [] : ["\(count) readings"]
    }
    #expect(try drill.run(.fullOnce) > 3)
    #expect(failed > 0)
    let forGood = try drill.run(.fullForGood)
    #expect(forGood > 3)
  }

  /// A table that is found damaged while runs of it are put together, when the record counts already.
  @Test func aDamagedIndexStoresNothingTwice() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    for round in Int64(0)..<2 { try a.write { try Self.addMany(round, in: $0) } }
    // It lies in the tail: looking it up reads no run.
    try a.prefer(["theme": "dark"])
    let shown = try a.preferences.map {
      Fingerprint.of($0.canonicalBytes, family: .keys, kind: Kind.preferences.name)
    }
    let runs = try bench.disk.tree(a.layout.index).filter { $0.key.hasPrefix("run-") }
    #expect(!runs.isEmpty)
    for (name, bytes) in runs {
      var damaged = bytes
      damaged[bytes.count / 2] ^= 1
      try bench.disk.setContents(a.layout.index + "/" + name, damaged)
    }
    let late = try bench.open("a")
    let before = try #require(try late.store.headNames().last?.sequence)
    var calls = 0
    try late.write { transaction in
      calls += 1
      try transaction.patch(
        kind: .preferences, id: Array("user-preferences".utf8), Patch(set: ["theme": "light"]), if: shown)
      try Self.addMany(2, in: transaction)
    }
    #expect(calls == 1)
    // It was met, and the table dropped.
    #expect(try bench.fileSystem.status(late.layout.index + "/manifest") == nil)
    let after = try #require(try late.store.headNames().last?.sequence)
    #expect(after > before)
    #expect(try late.preferences?["theme"] == "light")
    #expect(try bench.open("a").usageCount == 3 * Self.many)
    #expect(try late.store.headNames().last?.sequence == after)
  }

  private static let many = 1500

  /// Readings, stored without looking whether they are there.
  private static func addMany(_ round: Int64, in transaction: Transaction) throws {
    var fingerprinter = Fingerprinter()
    for number in 0..<Int64(many) {
      let payload: JSONObject = ["primaryUsed": .integer(10_000 * round + number), "providerID": "claude"]
      let bytes = payload.canonicalBytes[...]
      let natural = try Kind.usage.naturalID(of: bytes, using: &fingerprinter)
      try transaction.append(HistoryAdd(kind: Kind.usage.name, natural: natural, payload: bytes))
    }
  }
}
