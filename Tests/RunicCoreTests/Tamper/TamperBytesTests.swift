import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Every byte of a shared folder changed, every file cut at every length, under the old name and a new one.
@Suite struct TamperBytesTests {
  private let scene: TamperScene

  init() throws { scene = try TamperScene() }

  @Test func aChangedByteIsAlwaysFoundAndNamedAndNeverShown() throws {
    var random = SeededRandom(seed: 5)
    for (path, bytes) in scene.files.sorted(by: { $0.key < $1.key }) {
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= UInt8.random(in: 1...255, using: &random)
        try expect(changed, at: path, naming: path, "seed 5, byte \(index) of \(path)")
      }
    }
  }

  @Test func aCutFileIsAlwaysFoundAndNamedAndNeverShown() throws {
    for (path, bytes) in scene.files.sorted(by: { $0.key < $1.key }) {
      for count in bytes.indices {
        try expect(Array(bytes[..<count]), at: path, naming: path, "\(count) bytes of \(path)")
      }
    }
  }

  @Test func aChangedOrCutFileUnderItsNewDigestIsFoundOrIgnored() throws {
    var random = SeededRandom(seed: 6)
    for (path, bytes) in scene.files.sorted(by: { $0.key < $1.key }) {
      guard let name = TreeName(path: path), name.digest != nil else { continue }
      for index in bytes.indices {
        var changed = bytes
        if index % 2 == 0 {
          changed[index] ^= UInt8.random(in: 1...255, using: &random)
        } else {
          changed.removeLast(bytes.count - index)
        }
        let bench = try scene.bench()
        let renamed = Self.rename(name, for: changed)
        try bench.disk.setContents(bench.path("shared/") + renamed.path, changed)
        if index % 3 > 0 { try bench.disk.remove(bench.path("shared/") + path) }
        let problems = try scene.problems(bench, naming: renamed.path)
        #expect(problems.isEmpty, "seed 6, byte \(index) of \(path)")
      }
    }
  }

  /// The name that other bytes would have in a file's place.
  private static func rename(_ name: TreeName, for bytes: [UInt8]) -> TreeName {
    let digest = SHA256.hash(bytes)
    return switch name {
    case .head(let head): .head(HeadName(device: head.device, sequence: head.sequence, digest: digest))
    case .object(let device, _): .object(device, digest)
    case .marker, .slot, .keyFile: name
    }
  }

  private func expect(_ bytes: [UInt8], at path: String, naming name: String, _ comment: Comment) throws {
    let bench = try scene.bench()
    try bench.disk.setContents(bench.path("shared/") + path, bytes)
    let problems = try scene.problems(bench, naming: name)
    #expect(problems.isEmpty, comment)
  }

  @Test func aDeviceThatHoldsADamagedFileWholeHealsIt() throws {
    let live = try scene.live(try scene.bench())
    for path in live.sorted() {
      let bench = try scene.bench()
      try bench.disk.setContents(bench.path("shared/") + path, [1, 2, 3])
      let a = try bench.open("a")
      let report = try a.check(remote: "shared")
      #expect(report.damage.map(\.path) == [path])
      #expect(try a.status().warnings.contains(.damaged(file: path)))
      let isHere = try a.store.contains(try #require(TreeName(path: path)))
      _ = try a.push("shared")
      if isHere {
        #expect(try bench.shared()[path] == scene.files[path])
        #expect(try a.check(remote: "shared").damage.isEmpty)
        #expect(try a.status().warnings.isEmpty)
        let novice = try bench.open("novice")
        _ = try novice.pull("shared")
        #expect(try novice.state() == scene.truth)
      }
    }
  }

  @Test func aCutFileOfALiveHeadIsHealedByItsWritersNextPush() throws {
    for path in try scene.live(try scene.bench()).sorted() where path.hasPrefix("devices/\(scene.a)") {
      let bench = try scene.bench()
      let bytes = try #require(scene.files[path])
      try bench.disk.setContents(bench.path("shared/") + path, Array(bytes.dropLast()))
      let a = try bench.open("a")
      try a.use("claude", 9)
      _ = try a.push("shared")
      let novice = try bench.open("novice")
      _ = try novice.pull("shared")
      #expect(try novice.state() == a.state())
    }
  }
}
