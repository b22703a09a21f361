import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Key files that are gone, or older than they should be.
@Suite struct KeyRestoringTests {
  private static func words(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

  /// A device that rotated its key and wrote on, whose key file is the one from before.
  private func scene() throws -> (bench: Workbench, KeyRotation, exported: [RepositoryKey]) {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.use("claude", 1)
    let before = try bench.disk.contents(a.layout.repositoryKey)
    let rotation = try a.rotateKey(passphrases: [])
    try a.use("claude", 2)
    _ = try a.push("shared")
    let exported = try a.exportedKeys()
    try bench.disk.setContents(a.layout.repositoryKey, before)
    return (bench, rotation, exported)
  }

  private func isLost(_ error: any Error) -> Bool {
    if case .keysLost(1, 2, nil)? = error as? RunicError { true } else { false }
  }

  @Test func anOlderKeyFileIsMendedWithTheExportedKey() throws {
    let (bench, rotation, exported) = try scene()
    let a = try bench.open("a")
    #expect { try a.use("claude", 3) } throws: { isLost($0) }
    // What is known is read, also after a check, which must not make an index anew that lacks the rest.
    for _ in 0..<2 {
      #expect(try bench.open("a").usageCount == 2)
      #expect(try bench.open("a").check().damage == [])
    }
    #expect(try a.keysNotHeld() == [rotation.key])
    #expect(try a.addKeys(.keys(exported.map(\.root), a.id)) == [rotation.key])
    for (number, device) in [a, try bench.open("a")].enumerated() {
      try device.use("claude", 3 + Int64(number))
      #expect(try device.pull("shared").warnings == [])
      #expect(try device.faults() == [])
    }
    #expect(try a.usageCount == 4)
    #expect(try a.keysNotHeld() == [])
  }

  @Test func whatWasLostIsNeverShownAsThere() throws {
    let (bench, _, _) = try scene()
    let a = try bench.open("a")
    try a.dropIndex()
    for _ in 0..<2 { #expect { try a.usageCount } throws: { isLost($0) } }
  }

  @Test func aProcessAtWorkTakesUpTheMendedFile() throws {
    let (bench, _, exported) = try scene()
    let (a, other) = (try bench.open("a"), try bench.open("a"))
    _ = try a.addKeys(.keys(exported.map(\.root), a.id))
    try other.use("claude", 3)
    #expect(try other.usageCount == 3)
  }

  @Test(arguments: [false, true])
  func aKeyFileThatIsGoneOrBrokenIsPutBack(isThere: Bool) throws {
    let (bench, rotation, exported) = try scene()
    let path = try bench.open("a").layout.repositoryKey
    try bench.disk.remove(path)
    if isThere { try bench.disk.setContents(path, Array("junk\n".utf8)) }
    #expect { try bench.open("a") } throws: {
      if case .badKeyFile(path)? = $0 as? RunicError { true } else { false }
    }
    let restored = try Repository.restoreKeys(
      at: bench.path("a"), unlock: .keys(exported.map(\.root), exported[0].repository),
      environment: bench.environment)
    #expect(restored.count == 2 && restored.last == rotation.key)
    #expect(try bench.disk.status(path)?.permissions == 0o600)
    let a = try bench.open("a")
    try a.use("claude", 3)
    #expect(try a.usageCount == 3 && a.faults() == [])
  }

  @Test func aPassphrasePutsItBackAndAWrongOneDoesNot() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    _ = try a.addSlot(passphrase: Self.words("right"))
    try a.use("claude", 1)
    try bench.disk.remove(a.layout.repositoryKey)
    func restore(_ passphrase: String) throws -> [KeyID] {
      try Repository.restoreKeys(
        at: bench.path("a"), unlock: .passphrase { Self.words(passphrase) }, environment: bench.environment)
    }
    #expect { try restore("wrong") } throws: {
      if case .wrongKey? = $0 as? RunicError { true } else { false }
    }
    #expect(try bench.disk.status(a.layout.repositoryKey) == nil)
    #expect(try restore("right") == [a.keys.newest.id])
    #expect(try bench.open("a").usageCount == 1)
  }

  /// The key that another device rotated in has its file at the remote alone.
  @Test func aRemoteHelpsToPutItBack() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.use("claude", 1)
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    try b.use("codex", 2)
    let rotation = try a.rotateKey(passphrases: [])
    _ = try a.push("shared")
    try bench.disk.remove(b.layout.repositoryKey)
    let exported = try a.exportedKeys()
    #expect(exported.map(\.id) == [rotation.key])
    let restored = try Repository.restoreKeys(
      at: bench.path("b"), unlock: .keys(exported.map(\.root), a.id), environment: bench.environment)
    #expect(restored == a.keys.all.map(\.id))
    #expect(try bench.open("b").pull("shared").pending == [])
  }

  @Test func whatOpensOnlyAnOlderKeyIsNotCalledWrong() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    _ = try a.addSlot(passphrase: Self.words("right"))
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    let old = try a.exportedKeys().map(\.root)
    _ = try a.rotateKey(passphrases: [])
    _ = try a.push("shared")
    _ = try b.pull("shared")
    func code(_ unlock: Unlock) -> String {
      do { return "\(try b.addKeys(unlock))" } catch { return "\(error)" }
    }
    #expect(code(.passphrase { Self.words("right") }) == "olderKey")
    #expect(code(.keys(old, a.id)) == "olderKey")
    #expect(code(.passphrase { Self.words("wrong") }) == "wrongKey")
    #expect(code(.keys([bench.random.secret(32)], a.id)) == "wrongKey")
    #expect(try a.slots().map(\.opensNewest) == [false])
    #expect(try b.slots().map(\.opensNewest) == [true])
  }

  // MARK: - Keys from a command

  /// A device whose key comes from a command, which prints what `printed` says.
  private func device(_ bench: Workbench, printing printed: String) throws -> Repository {
    var environment = bench.environment
    environment.keyCommand = { _ in Array(printed.utf8) }
    return try Repository.open(at: bench.path("a"), environment: environment)
  }

  private func hex(_ key: RepositoryKey) -> String { key.root.withUnsafeBytes { Hexadecimal.encode($0) } }

  @Test func aCommandMayPrintWhatIsExportedOrKept() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.use("claude", 1)
    let first = a.keys.newest
    try a.configure { try $0.set("key.command", to: "fetch") }
    for text in [hex(first), hex(first) + "\n", KeyString.encode(first), KeyString.encode(first) + "\n"] {
      #expect(try device(bench, printing: text).usageCount == 1, "\(text)")
    }
    try a.configure { try $0.unset("key.command") }
    _ = try a.rotateKey(passphrases: [])
    let kept = String(decoding: try bench.disk.contents(a.layout.repositoryKey), as: UTF8.self)
    try a.configure { try $0.set("key.command", to: "fetch") }
    for text in [
      KeyString.encode(a.keys.newest), kept, hex(first) + "\n" + hex(a.keys.newest),
      KeyString.encode(first) + "\n" + KeyString.encode(a.keys.newest) + "\n",
    ] {
      let device = try device(bench, printing: text)
      #expect(device.keys.all.map(\.id) == a.keys.all.map(\.id), "\(text)")
      #expect(device.keys.newest.number == 2, "\(text)")
      try device.requireAllKeys()
    }
    // Fewer than were held read, and write nothing that others could not go on from.
    for text in [hex(first), KeyString.encode(first)] {
      let device = try device(bench, printing: text)
      #expect { try device.use("claude", 2) } throws: {
        if case .keysLost(1, 2, "fetch")? = $0 as? RunicError { true } else { false }
      }
    }
    for text in ["", "no", KeyString.encode(first) + "x", String(hex(first).dropLast())] {
      #expect {
        try device(bench, printing: text)
      } throws: {
        if case .badConfiguration? = $0 as? RunicError { true } else { false }
      }
    }
  }

  /// More than the device counts, as a cut-off rotation leaves.
  @Test func aKeyFileIsKeptWhileTheCommandPrintsFewerKeys() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    let path = a.layout.repositoryKey
    let kept = try bench.disk.contents(path)
    let more = kept + Array("2 \(String(repeating: "5", count: 64))\n".utf8)
    try bench.disk.remove(path)
    try bench.disk.setContents(path, more)
    let one = String(decoding: kept, as: UTF8.self)
    #expect {
      try device(bench, printing: one).useKeyCommand("fetch")
    } throws: {
      if case .keysLost(1, 2, "fetch")? = $0 as? RunicError { true } else { false }
    }
    #expect(try bench.disk.contents(path) == more)
    #expect(try bench.open("a").configuration.keyCommand == nil)
    #expect(try device(bench, printing: String(decoding: more, as: UTF8.self)).useKeyCommand("fetch"))
    #expect(try bench.disk.status(path) == nil)
  }

  /// Wherever the change from the file to a command is cut off, the command or the file has the key.
  @Test(arguments: [true, false]) func noKeyIsLostWhereTheChangeIsCutOff(isPrinted: Bool) throws {
    for call in 1... {
      let bench = try Workbench()
      let a = try bench.begin("a")
      let faulty = FaultyFileSystem(bench.disk)
      let printed = isPrinted ? KeyString.encode(a.keys.newest) : ""
      func environment(_ files: any FileSystem) -> Environment {
        Environment(
          fileSystem: files, clock: bench.environment.clock, random: bench.environment.random,
          keyCommand: { _ in Array(printed.utf8) })
      }
      let repository = try Repository.open(at: bench.path("a"), environment: environment(faulty))
      faulty.setFault(.death(at: call))
      _ = try? repository.useKeyCommand("fetch")
      let isOver = faulty.failures == 0
      let again = try Repository.open(at: bench.path("a"), environment: environment(bench.disk))
      try again.useKeyFile()
      #expect(try bench.open("a").keys.all.map(\.id) == a.keys.all.map(\.id), "call \(call)")
      #expect(try bench.disk.status(a.layout.formerKey) == nil, "call \(call)")
      if isOver { break }
    }
  }

  @Test func aNewKeyIsTakenOnceTheCommandPrintsIt() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    let b = try bench.join("b", of: a)
    let first = KeyString.encode(a.keys.newest)
    try a.configure { try $0.set("key.command", to: "fetch") }
    try bench.disk.remove(a.layout.repositoryKey)
    let rotation = try b.rotateKey(passphrases: [])
    try b.use("codex", 1)
    _ = try b.push("shared")
    let old = try device(bench, printing: first)
    #expect(try old.pull("shared").pending.map(\.key) == [rotation.key])
    func isNotPrinted(_ error: any Error) -> Bool {
      if case .keyNotPrinted("fetch")? = error as? RunicError { true } else { false }
    }
    #expect { try old.addKeys(.passphrase { Self.words("never asked") }) } throws: { isNotPrinted($0) }
    let both = try device(bench, printing: first + "\n" + KeyString.encode(b.keys.newest))
    #expect(try both.addKeys(.passphrase { Self.words("never asked") }) == [rotation.key])
    #expect(try bench.disk.status(a.layout.repositoryKey) == nil, "the command keeps the keys")
    #expect(try both.pull("shared").pending == [])
    // From now on the newest opens all.
    let newest = try device(bench, printing: KeyString.encode(b.keys.newest))
    try newest.use("claude", 2)
    #expect(try newest.usageCount == 2)
    #expect { try newest.rotateKey(passphrases: []) } throws: {
      if case .keyFromCommand? = $0 as? RunicError { true } else { false }
    }
    try newest.useKeyFile()
    #expect(try bench.open("a").keys.all.map(\.id) == b.keys.all.map(\.id))
    _ = try bench.open("a").rotateKey(passphrases: [])
  }
}
