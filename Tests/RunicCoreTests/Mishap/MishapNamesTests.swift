import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Names of files at a remote that nobody signed: they are worth nothing, and cost little.
@Suite struct MishapNamesTests {
  private let bench: Workbench
  private let a: Repository
  private let b: Repository

  init() throws {
    bench = try Workbench()
    (a, b) = try bench.pair()
  }

  enum Sort: CaseIterable {
    /// Longer than a head may be: it is never fetched.
    case long
    /// Of a format that a later version may read.
    case newer
    /// Sealed for another place.
    case foreign
  }

  /// Puts a file under a head's name; answers its path.
  @discardableResult
  private func plant(
    _ sort: Sort, of device: DeviceID, sequence: Int64, at place: String = "shared"
  ) throws -> String {
    let newest = try #require(try b.store.headNames().last { $0.device == b.deviceID })
    var bytes = try bench.disk.contents(b.store.path(.head(newest)))
    switch sort {
    case .long: bytes = [UInt8](repeating: 0, count: Limits.headFile + 1)
    case .newer: bytes[9] = 2
    case .foreign: break
    }
    let digest = sort == .long ? SHA256.hash([1]) : SHA256.hash(bytes)
    let name = HeadName(device: device, sequence: sequence, digest: digest)
    let path = bench.path("\(place)/") + TreeName.head(name).path
    try bench.disk.setContents(path, bytes)
    return path
  }

  private func stranger(_ number: UInt64) -> DeviceID { DeviceID(from: .seeded(number)) }

  @Test(arguments: Sort.allCases)
  func unreadHeadsCountForNothing(_ sort: Sort) throws {
    for number in UInt64(1)...3 { try plant(sort, of: stranger(number), sequence: .max) }
    try plant(sort, of: a.deviceID, sequence: 1_000_000)
    try plant(sort, of: b.deviceID, sequence: 1_000_000)
    for _ in 0..<3 {
      _ = try a.pull("shared")
      #expect(try a.status().remotes.map(\.behind) == [0])
      #expect(try a.status().remotes.map(\.ahead) == [0])
      let seen = try a.examine(try a.configuration.remote("shared"))
      #expect(seen.behind == 0)
      #expect(seen.ahead == 0)
    }
    let before = try bench.disk.tree(bench.path("a"))
    _ = try a.pull("shared")
    #expect(try bench.disk.tree(bench.path("a")) == before, "a pull of nothing writes nothing")
  }

  @Test(arguments: Sort.allCases)
  func aNameThatWentIsNoRollback(_ sort: Sort) throws {
    let planted = try [a.deviceID, b.deviceID, stranger(1)].map {
      try plant(sort, of: $0, sequence: 1_000_000)
    }
    for _ in 0..<2 { _ = try a.pull("shared") }
    for path in planted { try bench.disk.remove(path) }
    for _ in 0..<3 {
      let outcome = try a.pull("shared")
      #expect(outcome.warnings.isEmpty)
      #expect(!outcome.foundDamage)
    }
    #expect(try a.status().warnings.isEmpty)
  }

  /// Nor does one hide what went.
  @Test(arguments: [Sort.long, .foreign])
  func aNameHidesNoRollback(_ sort: Sort) throws {
    let old = try bench.shared()
    try b.use("codex", 3)
    _ = try b.push("shared")
    _ = try a.pull("shared")
    try bench.replace("shared", by: old)
    try plant(sort, of: b.deviceID, sequence: 1_000_000)
    for pulls in 1...2 {
      let isNamed = try a.pull("shared").warnings.contains {
        if case .rolledBack(b.deviceID, _, _, _, pulls) = $0 { true } else { false }
      }
      #expect(isNamed, "pull \(pulls)")
    }
  }

  /// A device that has moved on to a newer format, and whose older heads went in the course of things.
  @Test func aLogOfANewerFormatIsPendingAndNotRolledBack() throws {
    let sequence = try #require(try b.store.headNames().last { $0.device == b.deviceID }).sequence
    try plant(.newer, of: b.deviceID, sequence: sequence + 1)
    for path in try bench.shared().keys where path.hasPrefix("heads/\(b.deviceID.hex)") {
      if case .head(let head)? = TreeName(path: path), head.sequence <= sequence {
        try bench.disk.remove(bench.path("shared/") + path)
      }
    }
    for _ in 0..<3 {
      let outcome = try a.pull("shared")
      #expect(outcome.warnings.isEmpty)
      #expect(outcome.pending.map(\.newerFormat) == [2])
    }
  }

  /// As an earlier version has taken them down.
  @Test func numbersThatTrustHoldsOverflowNothing() throws {
    try a.write { transaction in
      for number in UInt64(1)...3 {
        let name = HeadName(device: stranger(number), sequence: .max, digest: SHA256.hash([]))
        transaction.trust[remote: "shared"].shown[name.device] = name
      }
    }
    #expect(try a.status().remotes.map(\.behind) == [.max])
    _ = try a.pull("shared")
    _ = try a.status()
  }

  @Test func aPushClearsARollbackOfOnesOwnThatNeverWas() throws {
    try a.write { transaction in
      let name = HeadName(device: a.deviceID, sequence: 1_000_000, digest: SHA256.hash([]))
      transaction.trust[remote: "shared"].shown[name.device] = name
    }
    #expect(try !a.pull("shared").warnings.isEmpty)
    try a.use("claude", 3)
    _ = try a.push("shared")
    #expect(try a.pull("shared").warnings.isEmpty)
    #expect(try a.status().remotes.map(\.isRolledBack) == [false])
    #expect(try a.status().remotes.map(\.behind) == [0])
  }

  // MARK: - Strangers

  /// The strangers that a device remembers.
  private func strangers() throws -> Set<HeadName> {
    let own = [a.deviceID, b.deviceID]
    return Set(try a.read { try $0.index.readHeads() }.keys.filter { !own.contains($0.device) })
  }

  private func bringNews(_ amount: Int64) throws {
    try b.use("codex", amount)
    _ = try b.push("shared")
    _ = try a.pull("shared")
  }

  @Test func strangersAreForgottenOnceTheirRemoteListsThemNoMore() throws {
    try bench.attach("other", to: a)
    _ = try a.push("other")
    let planted = try (UInt64(1)...5).map { try plant(.foreign, of: stranger($0), sequence: 1) }
    for number in UInt64(6)...7 { try plant(.foreign, of: stranger(number), sequence: 1, at: "other") }
    for name in ["shared", "other"] { _ = try a.pull(name) }
    #expect(try strangers().count == 7)
    for path in planted.prefix(3) { try bench.disk.remove(path) }
    try bringNews(10)
    #expect(try strangers().count == 4, "those of the other remote stay")
    try a.removeRemote("other")
    try bringNews(11)
    #expect(try strangers().count == 2)
  }

  @Test func noMoreStrangersAreRememberedThanABound() throws {
    for round in UInt64(0)..<4 {
      try a.write { transaction in
        let names = (0..<20).map {
          HeadName(device: stranger(round * 20 + $0), sequence: 1, digest: SHA256.hash([1]))
        }
        let listed = Dictionary(uniqueKeysWithValues: names.map { ($0, Int64(500)) })
        try transaction.index.remember(
          strangers: names, listed: listed, at: "shared", others: ["other"], limit: 16)
      }
      #expect(try strangers().count == 16)
    }
  }

  // MARK: - Damaged files

  /// What is held here can be mended, and is remembered in any case; of the rest a few are named.
  @Test func manyDamagedFilesFillNoTrust() throws {
    let held = try bench.shared().keys.filter {
      $0.hasPrefix("heads/\(b.deviceID.hex)") || $0.hasPrefix("devices/\(b.deviceID.hex)")
    }
    #expect(held.count >= 2)
    for path in held {
      let count = try bench.disk.contents(bench.path("shared/") + path).count
      try bench.disk.setContents(bench.path("shared/") + path, [UInt8](repeating: 0, count: count))
    }
    let folder = bench.path("shared/devices/\(b.deviceID.hex)/")
    for number in UInt64(0)..<500 {
      let name = HeadName(device: stranger(number), sequence: 1, digest: SHA256.hash([1]))
      try bench.disk.setContents(bench.path("shared/") + TreeName.head(name).path, [])
      try bench.disk.setContents(folder + SHA256.hash(Array("\(number)".utf8)).hex, [])
    }
    _ = try a.check(remote: "shared")
    try expectFew(holding: held)
    for _ in 0..<2 {
      _ = try a.pull("shared")
      try expectFew(holding: held)
    }
    _ = try a.push("shared", options: PushOptions(repair: true))
    try expectFew(holding: [])
    for path in held { #expect(try bench.shared()[path]?.contains { $0 != 0 } == true, "\(path) is mended") }
  }

  private func expectFew(holding held: [String], line: Int = #line) throws {
    let noted = try a.readTrust()[remote: "shared"].damaged
    #expect(Set(held).isSubset(of: noted), "line \(line)")
    #expect(noted.count <= held.count + 64 && noted.count >= 64, "line \(line): \(noted.count)")
  }
}
