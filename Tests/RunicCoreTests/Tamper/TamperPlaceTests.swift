import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Files moved to other devices, repositories and positions, and files that another device with the key makes.
@Suite struct TamperPlaceTests {
  private let scene: TamperScene

  init() throws { scene = try TamperScene() }

  @Test func aFileInThePlaceOfAnotherIsFound() throws {
    let names = scene.files.keys.sorted()
    for source in names {
      for target in names where source != target {
        let bench = try scene.bench()
        try bench.disk.setContents(bench.path("shared/") + target, try #require(scene.files[source]))
        let problems = try scene.problems(bench, naming: target)
        #expect(problems.isEmpty, "\(source) in the place of \(target)")
      }
    }
  }

  /// The same bytes, under a name that fits their digest, at every place of another device and position.
  @Test func aFileUnderAnotherDevicesOrPositionsNameIsFoundOrIgnored() throws {
    for (path, bytes) in scene.files.sorted(by: { $0.key < $1.key }) where path != "runic.json" {
      for place in places(for: bytes) where place.path != path {
        let bench = try scene.bench()
        try bench.disk.setContents(bench.path("shared/") + place.path, bytes)
        let problems = try scene.problems(bench, naming: place.path)
        #expect(problems.isEmpty, "\(path) as \(place.path)")
      }
    }
  }

  private func places(for bytes: [UInt8]) -> [TreeName] {
    let digest = SHA256.hash(bytes)
    return [scene.a, scene.b].flatMap { device -> [TreeName] in
      [.object(device, digest)]
        + [1, 2, 3, 4, 5, .max].map { .head(HeadName(device: device, sequence: $0, digest: digest)) }
    }
  }

  @Test func filesOfAnotherRepositoryAreStrangers() throws {
    let bench = try scene.bench()
    let other = try bench.begin("other", remote: "elsewhere")
    try other.use("claude", 666)
    _ = try other.push("elsewhere")
    let foreign = try bench.shared("elsewhere")
    for (path, bytes) in foreign where path != "runic.json" {
      try bench.disk.makeDirectories(parent(of: bench.path("shared/") + path), permissions: 0o700)
      try bench.disk.setContents(bench.path("shared/") + path, bytes)
    }
    #expect(try scene.problems(bench, naming: nil).isEmpty)
    let report = try bench.open("novice").check(remote: "shared")
    #expect(report.damage.isEmpty)
    #expect(Set(foreign.keys).subtracting(["runic.json"]).isSubset(of: report.strangers))
    #expect(try bench.open("novice").pull("shared").warnings.isEmpty)
  }

  /// The same key in another repository: every purpose has keys of its own for each repository.
  @Test func aRepositoryWithTheSameKeyIsAnotherOne() throws {
    let bench = try scene.bench()
    let a = try bench.open("a")
    let keys = try RepositoryKeys(root: a.keys.newest.root, repository: RepositoryID(from: bench.random))
    #expect(keys.newest.id != a.keys.newest.id)
    for case .head(let name) in scene.files.keys.compactMap(TreeName.init(path:)) {
      let file = try #require(scene.files[TreeName.head(name).path])
      #expect(throws: FormatError.foreign) { try Head(decoding: file, name: name, keys: keys) }
    }
  }

  // MARK: - Made by another device

  @Test func aHeadThatAnotherDeviceSignsIsNamedAndNotTaken() throws {
    let bench = try scene.bench()
    let b = try bench.open("b")
    let newest = try #require(try b.store.headNames().last { $0.device == scene.a })
    let genuine = try b.store.head(newest, keys: b.keys)
    for (sequence, name) in [(genuine.commit.sequence, "renamed"), (genuine.commit.sequence + 1, "a")] {
      let forged = Head(
        repository: genuine.repository, publicKey: genuine.publicKey, name: name, platform: genuine.platform,
        commit: CommitName(sequence: sequence, hash: genuine.commit.hash), time: genuine.time + 1,
        objects: genuine.objects)
      let (headName, file) = try forged.encode(signedBy: b.identity.key, keys: b.keys, random: bench.random)
      #expect(headName.device == scene.a)
      let path = TreeName.head(headName).path
      try bench.disk.setContents(bench.path("shared/") + path, file)
      let outcome = try bench.open("novice").pull("shared")
      #expect(outcome.warnings.contains(.damaged(file: path)))
      #expect(try scene.problems(bench, naming: path).isEmpty)
      #expect(try bench.open("novice").read { $0.name(of: scene.a) } == "a")
      try bench.disk.remove(bench.path("shared/") + path)
    }
  }

  /// Another device has the key to seal objects with, and nothing lists them.
  @Test func anObjectThatAnotherDeviceSealsAgainIsNotTaken() throws {
    let bench = try scene.bench()
    let b = try bench.open("b")
    var writer = ObjectWriter()
    let line = CommitLine.encode(
      sequence: 1, previous: CommitLine.genesis(repository: b.id, device: scene.a), stamp: 1, time: 1,
      changes: [])
    let commit = CommitName(sequence: 1, hash: SHA256.hash(line))
    line.withUnsafeBytes { writer.append($0, as: commit) }
    let made = try writer.finish(device: scene.a, keys: b.keys, random: bench.random)
    let (entry, file) = try #require(made)
    let path = bench.path("shared/") + TreeName.object(scene.a, entry.digest).path
    try bench.disk.setContents(path, file)
    #expect(try scene.problems(bench, naming: nil).isEmpty)
    #expect(try bench.open("novice").state() == scene.truth)
  }

  /// A head of its own may list another device's object, but cannot make it its own.
  @Test func aHeadThatListsAnotherDevicesObjectBringsNothing() throws {
    let bench = try scene.bench()
    let a = try bench.open("a")
    let newest = try #require(try a.store.headNames().last { $0.device == scene.a })
    let genuine = try a.store.head(newest, keys: a.keys)
    let key = SigningKey.generate(from: bench.random)
    let thief = Head(
      repository: genuine.repository, publicKey: key.publicKey, name: "thief", platform: "",
      commit: genuine.commit,
      time: genuine.time, objects: genuine.objects)
    let (name, file) = try thief.encode(signedBy: key, keys: a.keys, random: bench.random)
    try bench.disk.setContents(bench.path("shared/") + TreeName.head(name).path, file)
    try bench.disk.makeDirectories(bench.path("shared/devices/\(key.publicKey.deviceID)"), permissions: 0o700)
    for entry in genuine.objects {
      let bytes = try #require(scene.files[TreeName.object(scene.a, entry.digest).path])
      let path = bench.path("shared/") + TreeName.object(key.publicKey.deviceID, entry.digest).path
      try bench.disk.setContents(path, bytes)
    }
    let novice = try bench.open("novice")
    let outcome = try novice.pull("shared")
    #expect(!outcome.warnings.isEmpty)
    // Of two files with one name the other comes with the next pull.
    for _ in 0..<3 { _ = try novice.pull("shared") }
    #expect(try novice.status().pending.map(\.device) == [thief.device])
    let seer = try bench.open("seer")
    for _ in 0..<3 { _ = try seer.pull("shared") }
    #expect(try seer.state() == scene.truth)
    _ = try seer.push("shared")
    #expect(try !seer.read { try $0.devices().contains { $0.id == thief.device && $0.commit != nil } })
    #expect(try novice.state() == scene.truth)
  }

  /// A device cannot take back what it has signed: the second history of its stands beside the first.
  @Test func aDeviceThatSignsItsHistoryAnewIsFoundForked() throws {
    let bench = try scene.bench()
    let b = try bench.open("b")
    try bench.fileSystem.makeDirectories(bench.path("attic"), permissions: 0o700)
    let store = Store(
      root: bench.path("shared"), temporary: bench.path("attic"), fileSystem: bench.fileSystem,
      random: bench.random)
    let writer = LogWriter(store: store, keys: b.keys, identity: b.identity, base: nil)
    for _ in 0..<3 { try writer.append(CommitDraft(stamp: 5, time: 5, changes: [])) }
    _ = try writer.publish(time: 5)
    let seer = try bench.open("seer")
    let outcome = try seer.pull("shared")
    #expect(outcome.foundDamage)
    #expect(outcome.warnings.contains(.forked(device: scene.b, name: "b")))
    #expect(try seer.state() == scene.truth)
    #expect(try !seer.pull("shared").foundDamage)
  }

  /// The log of a device whose first commit cannot be read has no branch, however often it is looked at.
  @Test func aFirstCommitThatIsRefusedBeginsNoBranch() throws {
    let bench = try scene.bench()
    let b = try bench.open("b")
    let key = SigningKey.generate(from: bench.random)
    let identity = DeviceIdentity(key: key, name: "evil", platform: "")
    let store = Store(
      root: bench.path("shared"), temporary: bench.path("attic"), fileSystem: bench.fileSystem,
      random: bench.random)
    try bench.fileSystem.makeDirectories(bench.path("attic"), permissions: 0o700)
    let writer = LogWriter(store: store, keys: b.keys, identity: identity, base: nil)
    try writer.append(CommitDraft(stamp: 5, time: 5, changes: Array(#"{"unheard":1}"#.utf8)))
    _ = try writer.publish(time: 5)
    let seer = try bench.open("seer")
    for _ in 0..<3 {
      let outcome = try seer.pull("shared")
      #expect(outcome.warnings.allSatisfy { if case .forked = $0 { false } else { true } })
    }
    let log = try seer.read { $0.index.logs[key.publicKey.deviceID] }
    #expect(log?.branches.isEmpty ?? true)
    #expect(try seer.state() == scene.truth)
  }

  /// A log of a new device in the shared folder: one commit that anybody reads, and an object with another.
  ///
  /// - Parameter change: makes the second object's file another one.
  private func addLog(
    _ bench: Workbench, _ changes: String, change: ([UInt8]) -> [UInt8] = { $0 }
  ) throws -> DeviceID {
    let keys = try bench.open("b").keys
    let key = SigningKey.generate(from: bench.random)
    let device = key.publicKey.deviceID
    var previous = CommitLine.genesis(repository: keys.repository, device: device)
    var objects: [ObjectEntry] = []
    try bench.fileSystem.makeDirectories(bench.path("shared/devices/\(device)"), permissions: 0o700)
    for (number, changes) in ["", changes].enumerated() {
      let line = CommitLine.encode(
        sequence: Int64(number + 1), previous: previous, stamp: 5, time: 5, changes: Array(changes.utf8))
      let commit = CommitName(sequence: Int64(number + 1), hash: SHA256.hash(line))
      var writer = ObjectWriter()
      line.withUnsafeBytes { writer.append($0, as: commit) }
      let made = try writer.finish(device: device, keys: keys, random: bench.random)
      let (entry, sealed) = try #require(made)
      let file = number == 0 ? sealed : change(sealed)
      objects.append(
        ObjectEntry(
          first: entry.first, last: entry.last, hash: entry.hash, inflated: entry.inflated,
          length: Int64(file.count), digest: SHA256.hash(file)))
      let name = TreeName.object(device, SHA256.hash(file))
      try bench.disk.setContents(bench.path("shared/") + name.path, file)
      previous = commit.hash
    }
    let head = Head(
      repository: keys.repository, publicKey: key.publicKey, name: "new", platform: "",
      commit: try #require(objects.last).lastCommit, time: 5, objects: objects)
    let (name, file) = try head.encode(signedBy: key, keys: keys, random: bench.random)
    try bench.disk.setContents(bench.path("shared/") + TreeName.head(name).path, file)
    return device
  }

  @Test func anObjectOfANewerFormatWaitsForANewerVersion() throws {
    let bench = try scene.bench()
    let device = try addLog(bench, "") { file in
      var file = file
      file[9] = 2
      return file
    }
    let seer = try bench.open("seer")
    for _ in 0..<2 {
      let outcome = try seer.pull("shared")
      #expect(outcome.warnings.isEmpty)
      let log = try #require(outcome.pending.first)
      #expect((log.device, log.have, log.need, log.newerFormat) == (device, 1, 2, 2))
      #expect(log.broken == nil)
    }
    #expect(try seer.status().warnings.isEmpty)
    let report = try seer.check()
    #expect(report.damage.isEmpty && report.pending.map(\.newerFormat) == [2])
    #expect(try seer.state() == scene.truth)
  }

  /// No other copy of such an object is any better: only the device that wrote it could do something.
  @Test func anObjectThatBreaksARuleIsNotBroughtAgain() throws {
    let bench = try scene.bench()
    let device = try addLog(bench, #"{"id":"i","kind":"k","set":{"a":1},"unheard":1}"#)
    let seer = try bench.open("seer")
    let rule = FormatError.content("unknown field")
    for _ in 0..<2 {
      let outcome = try seer.pull("shared")
      guard case .unreadable(device, "new", let path, rule)? = outcome.warnings.first else {
        Issue.record("\(outcome.warnings)")
        return
      }
      #expect(outcome.pending.map(\.broken) == [rule])
      #expect(try seer.readTrust().damaged.isEmpty)
      for report in [try seer.check(), try seer.check(remote: "shared")] {
        #expect(report.damage == [CheckReport.Damage(path: path, reason: .broken(rule))])
      }
      let trust = try seer.readTrust()
      #expect(trust.damaged.isEmpty && trust[remote: "shared"].damaged.isEmpty)
    }
    #expect(try seer.status().warnings.isEmpty)
    #expect(try seer.state() == scene.truth)
  }

  @Test func theNewestHeadReplacedByAnOldOneIsNamed() throws {
    for device in [scene.a, scene.b] {
      let bench = try scene.bench()
      let heads = try bench.disk.list(bench.path("shared/heads")).map(\.name).filter {
        $0.hasPrefix(device.hex)
      }
      let newest = try #require(heads.max())
      try bench.disk.remove(bench.path("shared/heads/") + newest)
      let seer = try bench.open("seer")
      let outcome = try seer.pull("shared")
      let isNamed = outcome.warnings.contains {
        if case .rolledBack(device, _, _, _, 1) = $0 { true } else { false }
      }
      #expect(isNamed)
      #expect(try seer.state() == scene.truth)
      _ = try seer.push("shared")
      #expect(try bench.shared()["heads/" + newest] == scene.files["heads/" + newest])
      #expect(try seer.pull("shared").warnings.isEmpty)
    }
  }
}
