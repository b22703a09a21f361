import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// A new key for what comes, while others still hold the old one.
@Suite struct RotationTests {
  private static func words(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

  /// Two devices that have synced; the repository has one slot.
  private func scene(passphrase: String? = nil) throws -> (Workbench, Repository, Repository) {
    let bench = try Workbench()
    let a = try bench.begin("a")
    if let passphrase { _ = try a.addSlot(passphrase: Self.words(passphrase)) }
    try a.use("claude", 1)
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    return (bench, a, b)
  }

  private func keyOfNewestHead(of device: Repository) throws -> KeyID {
    let name = try #require(try device.store.headNames().last { $0.device == device.deviceID })
    return try SealedHeader(decoding: try device.store.read(.head(name))).key
  }

  @Test func whatIsWrittenAfterARotationWaitsWhereTheKeyIsNotHeld() throws {
    let (_, a, b) = try scene()
    let rotation = try a.rotateKey(passphrases: [])
    #expect(rotation.number == 2)
    try a.use("claude", 2)
    _ = try a.push("shared")
    #expect(try keyOfNewestHead(of: a) == rotation.key)
    let waiting = try b.pull("shared")
    #expect(waiting.pending.map(\.key) == [rotation.key])
    #expect(try b.usageCount == 1)
    #expect(try b.keysNotHeld() == [rotation.key])
    #expect(try b.read { try $0.pendingLogs() }.map(\.key) == [rotation.key])
    // It goes on with what it holds, and the other reads that.
    try b.use("codex", 3)
    _ = try b.push("shared")
    _ = try a.pull("shared")
    #expect(try a.usageCount == 3)
    // The exported key opens the rest, and from then on it writes with it.
    let exported = try a.exportedKeys()
    #expect(exported.map(\.id) == [rotation.key])
    #expect(try b.addKeys(.keys(exported.map(\.root), a.id)) == [rotation.key])
    #expect(try b.pull("shared").pending == [])
    #expect(try b.usageCount == 3)
    #expect(try b.keysNotHeld() == [])
    try b.use("codex", 4)
    #expect(try keyOfNewestHead(of: b) == rotation.key)
  }

  /// Each time all is made ready anew: another process that changes slots again and again holds nobody up for ever.
  @Test func aChangeOfKeysThatNeverComesToBeEnds() throws {
    let (_, a, _) = try scene(passphrase: "secret")
    let slot = try #require(try a.store.names(in: .keys).first)
    let bytes = try a.store.read(slot)
    var attempts = 0
    #expect(throws: LockTimeout.self) {
      try a.changeKeys { _ in
        attempts += 1
        guard attempts < 1000 else { throw RunicError.wrongKey }
        if try a.store.contains(slot) { try a.store.remove(slot) } else { try a.store.write(bytes, to: slot) }
      } changing: { _, _ in
        Issue.record("nobody saw the change")
      }
    }
    #expect(attempts == 16)
  }

  @Test func twoRotationsAtOnceBothStand() throws {
    let (bench, a, b) = try scene()
    let first = try a.rotateKey(passphrases: [])
    let second = try b.rotateKey(passphrases: [])
    #expect((first.number, second.number) == (2, 2))
    try a.use("claude", 2)
    try b.use("codex", 3)
    try bench.settle([a, b])
    #expect(try a.usageCount == 2 && b.usageCount == 2)
    let (ofA, ofB) = (try a.exportedKeys(), try b.exportedKeys())
    #expect(try b.addKeys(.keys(ofA.map(\.root), a.id)) == [first.key])
    #expect(try a.addKeys(.keys(ofB.map(\.root), a.id)) == [second.key])
    try bench.settle([a, b])
    let winner = max(first.key, second.key)
    for device in [a, b] {
      #expect(try device.usageCount == 3)
      try device.use("gemini", 1)
      #expect(try keyOfNewestHead(of: device) == winner)
      #expect(try device.faults() == [])
    }
    // Both keys are needed by whoever comes new, and the next rotation covers both.
    try bench.settle([a, b])
    let both = try a.exportedKeys()
    #expect(Set(both.map(\.id)) == [first.key, second.key])
    let third = try a.rotateKey(passphrases: [])
    _ = try a.push("shared")
    #expect(try a.exportedKeys().map(\.id) == [third.key])
    let c = try Repository.clone(
      from: bench.path("shared"), named: "shared", to: bench.path("c"), deviceName: "c",
      unlock: .keys(try a.exportedKeys().map(\.root), a.id), environment: bench.environment)
    #expect(try c.pull("shared").pending == [])
    #expect(try c.state() == a.state())
  }

  @Test func aPassphraseOpensWhatComesAndTheOldOneNoMore() throws {
    let (bench, a, b) = try scene(passphrase: "old")
    let rotation = try a.rotateKey(passphrases: [Self.words("old")])
    #expect(rotation.slots.count == 1 && rotation.left == [])
    try a.use("claude", 2)
    _ = try a.push("shared")
    _ = try b.pull("shared")
    #expect(throws: RunicError.self) { try b.addKeys(.passphrase { Self.words("wrong") }) }
    #expect(try b.addKeys(.passphrase { Self.words("old") }) == [rotation.key])
    #expect(try b.pull("shared").pending == [])
    let (made, withdrawn) = try b.changePassphrase(from: Self.words("old"), to: Self.words("new"))
    #expect(made.count == 1 && withdrawn == rotation.slots)
    try bench.settle([b, a])
    func clone(_ passphrase: String, _ name: String) throws -> Repository {
      try Repository.clone(
        from: bench.path("shared"), named: "shared", to: bench.path(name), deviceName: name,
        unlock: .passphrase { Self.words(passphrase) }, environment: bench.environment)
    }
    #expect(throws: RunicError.self) { try clone("old", "c") }
    let c = try clone("new", "d")
    _ = try c.pull("shared")
    #expect(try c.usageCount == 2)
  }

  @Test func aPassphraseThatOpensNoSlotRotatesNothing() throws {
    let (_, a, _) = try scene(passphrase: "old")
    let before = try a.store.names(in: .keys)
    #expect(throws: RunicError.self) { try a.rotateKey(passphrases: [Self.words("odl")]) }
    #expect(throws: RunicError.self) {
      try a.changePassphrase(from: Self.words("odl"), to: Self.words("new"))
    }
    #expect(try a.store.names(in: .keys) == before)
    #expect(a.keys.all.count == 1)
  }

  /// The keys last, also for a process that was at work meanwhile.
  @Test func anotherProcessOfTheDeviceTakesTheNewKeyUp() throws {
    let (bench, a, _) = try scene()
    let other = try bench.open("a")
    let rotation = try a.rotateKey(passphrases: [])
    try a.use("claude", 2)
    try other.use("claude", 3)
    #expect(try keyOfNewestHead(of: other) == rotation.key)
    #expect(try bench.open("a").keys.newest.id == rotation.key)
    #expect(try other.usageCount == 3)
  }

  /// The new key opens the old ones; a file made by somebody who has none of them brings nobody in.
  @Test func aForgedKeyFileOpensNothing() throws {
    let (bench, a, _) = try scene()
    let random = RandomSource.seeded(77)
    let stranger = try RepositoryKey(root: random.secret(32), number: 1, repository: a.id)
    let forged = try RepositoryKey(root: random.secret(32), number: 7, repository: a.id)
    let file = try KeyFile(adding: forged, to: RepositoryKeys(stranger), random: random)
    try bench.disk.setContents(bench.path("shared") + "/" + TreeName.keyFile(file.name).path, file.bytes)
    #expect {
      try Repository.clone(
        from: bench.path("shared"), named: "shared", to: bench.path("c"), deviceName: "c",
        unlock: .keys([forged.root], a.id), environment: bench.environment)
    } throws: { if case .wrongKey? = $0 as? RunicError { true } else { false } }
    #expect(try bench.join("d", of: a).keys.all.map(\.id) == a.keys.all.map(\.id))
    #expect(try a.pull("shared").pending == [])
  }

  // MARK: - Two at once

  /// Opened before another process of the device rotated: the key that this one makes must come after that one.
  @Test func aRotationThatAnotherOvertookStillMakesAFileThatOpens() throws {
    let (bench, a, _) = try scene()
    let late = try bench.open("a")
    let first = try a.rotateKey(passphrases: [])
    let second = try late.rotateKey(passphrases: [])
    #expect((first.number, second.number) == (2, 3))
    #expect(try late.exportedKeys().map(\.id) == [second.key])
    _ = try late.push("shared")
    let c = try Repository.clone(
      from: bench.path("shared"), named: "shared", to: bench.path("c"), deviceName: "c",
      unlock: .keys(try late.exportedKeys().map(\.root), a.id), environment: bench.environment)
    #expect(Set(c.keys.all.map(\.id)) == Set(late.keys.all.map(\.id)))
  }

  /// The same where the other one comes while a slot's passphrase is worked on.
  @Test func aRotationInTheMiddleOfAnotherIsSeen() throws {
    let (bench, a, _) = try scene(passphrase: "old")
    let late = try Self.open(bench, interruptedBy: { _ = try a.rotateKey(passphrases: []) })
    let second = try late.rotateKey(passphrases: [Self.words("old")])
    #expect(second.number == 3)
    #expect(try late.exportedKeys().map(\.id) == [second.key])
    #expect(try Set(late.slots().map(\.id)) == Set(second.slots))
  }

  @Test func aSlotThatARotationOvertookOpensTheNewKey() throws {
    let (bench, a, _) = try scene()
    let late = try Self.open(bench, interruptedBy: { _ = try a.rotateKey(passphrases: []) })
    let slot = try late.addSlot(passphrase: Self.words("pw"))
    let file = try KeySlot(decoding: try late.store.read(.slot(slot)), id: slot)
    #expect(file.key == a.keys.newest.id)
    #expect(try late.slots().map(\.id) == [slot])
  }

  /// Else the old passphrase would open what the rotation made.
  @Test func aChangeOfPassphraseThatARotationOvertookChangesItsSlotToo() throws {
    let (bench, a, _) = try scene(passphrase: "old")
    let rotate = { _ = try a.rotateKey(passphrases: [Self.words("old")]) }
    let late = try Self.open(bench, interruptedBy: rotate)
    let (made, _) = try late.changePassphrase(from: Self.words("old"), to: Self.words("new"))
    #expect(try late.slots().map(\.id) == made)
    #expect(throws: RunicError.self) {
      try late.changePassphrase(from: Self.words("old"), to: Self.words("other"))
    }
  }

  /// The device `a` for another process, where something happens as soon as that one makes anything ready.
  private static func open(
    _ bench: Workbench, interruptedBy body: @escaping () throws -> Void
  ) throws -> Repository {
    let source = RandomSource.seeded(99)
    nonisolated(unsafe) var next: (() throws -> Void)? = body
    let random = RandomSource { buffer in
      let interruption = next.take()
      do { try interruption?() } catch { Issue.record(error) }
      source.fill(buffer)
    }
    let environment = Environment(
      fileSystem: bench.fileSystem, clock: bench.clock.clock, random: random, lockWait: 1000)
    return try Repository.open(at: bench.path("a"), environment: environment)
  }

  // MARK: - Hostile folders

  /// Slots of keys that nobody has are put there, and key files that make them the newest.
  @Test(arguments: [(false, 1), (true, 3)])
  func forgedSlotsCrowdOutNoneOfTheRealKeys(isRotated: Bool, forgedKeys: Int) throws {
    let (_, a, _) = try scene(passphrase: "old")
    if isRotated { _ = try a.rotateKey(passphrases: [Self.words("old")]) }
    var found = try Self.keysFolder(of: a)
    let real = Self.slots(in: found)
    try Self.forge(keys: forgedKeys, slotsEach: 100, of: a, into: &found)
    let folder = KeyFolder(found, marker: try a.marker())
    #expect(Set(folder.slots.map(\.id)).isSuperset(of: real))
    #expect(folder.slots.count <= 128)
  }

  /// Key ids stand in the open: a file of another number may bear the id of a real key.
  @Test func aForgedFileOfARealKeyHidesNothing() throws {
    let (_, a, _) = try scene()
    let rotation = try a.rotateKey(passphrases: [])
    let random = RandomSource.seeded(79)
    let stranger = try RepositoryKey(root: random.secret(32), number: 1, repository: a.id)
    let other = try RepositoryKey(root: random.secret(32), number: 2, repository: a.id)
    let text = String(
      decoding: try KeyFile(adding: other, to: RepositoryKeys(stranger), random: random).bytes, as: UTF8.self)
    for number in Int64(3)..<20 {
      let forged = text.replacing(other.id.hex, with: rotation.key.hex)
        .replacing("\"number\":2", with: "\"number\":\(number)")
      try a.store.write(
        Array(forged.utf8), to: .keyFile(KeyFileName(number: number, key: rotation.key)))
    }
    let folder = try a.keyFolder()
    #expect(try folder.keys(with: a.keys.newest.root).map(\.number) == [2, 1])
    #expect(try a.exportedKeys().map(\.id) == [rotation.key])
  }

  private static func keysFolder(of device: Repository) throws -> [TreeName: [UInt8]] {
    var found: [TreeName: [UInt8]] = [:]
    for name in try device.store.names(in: .keys) { found[name] = try device.store.read(name) }
    return found
  }

  private static func slots(in found: [TreeName: [UInt8]]) -> Set<SlotID> {
    Set(found.keys.compactMap { if case .slot(let id) = $0 { id } else { nil } })
  }

  /// Adds key files of keys that are newer than any, with slots that look right.
  private static func forge(
    keys: Int, slotsEach: Int, of device: Repository, into found: inout [TreeName: [UInt8]]
  ) throws {
    let random = RandomSource.seeded(78)
    let stranger = try RepositoryKey(root: random.secret(32), number: 1, repository: device.id)
    let model = try #require(slots(in: found).first)
    let text = String(decoding: try #require(found[.slot(model)]), as: UTF8.self)
    let modelKey = try KeySlot(decoding: Array(text.utf8), id: model).key
    for number in 0..<keys {
      let key = try RepositoryKey(
        root: random.secret(32), number: 1000 + Int64(number), repository: device.id)
      let file = try KeyFile(adding: key, to: RepositoryKeys(stranger), random: random)
      found[.keyFile(file.name)] = file.bytes
      for _ in 0..<slotsEach {
        let id = SlotID(from: random)
        found[.slot(id)] = Array(
          text.replacing(model.hex, with: id.hex).replacing(modelKey.hex, with: key.id.hex).utf8)
      }
    }
  }
}
