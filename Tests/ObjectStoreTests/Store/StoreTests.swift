import ObjectStore
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

@Suite struct StoreTests {
  private static func object(_ bytes: [UInt8], of device: DeviceID) -> TreeName {
    .object(device, SHA256.hash(bytes))
  }

  @Test func aFileIsReadAsItWasWritten() throws {
    let bench = try LogBench()
    let bytes = [UInt8](repeating: 3, count: 5000)
    let name = Self.object(bytes, of: bench.device)
    #expect(try !bench.store.contains(name))
    try bench.store.write(bytes, to: name)
    #expect(try bench.store.contains(name))
    #expect(try bench.store.read(name) == bytes)
    #expect(try bench.store.objectNames(of: bench.device) == [SHA256.hash(bytes)])
    #expect(try bench.store.devices() == [bench.device])
    try bench.store.remove(name)
    try bench.store.remove(name)
    #expect(try !bench.store.contains(name))
  }

  @Test func bytesThatAreNotWhatTheNameSaysAreDamage() throws {
    let bench = try LogBench()
    let bytes = [UInt8](repeating: 3, count: 500)
    let name = Self.object(bytes, of: bench.device)
    try bench.store.write(bytes, to: name)
    let path = bench.store.path(name)
    for index in bytes.indices {
      var changed = bytes
      changed[index] ^= 0x10
      try bench.files.setContents(path, changed)
      #expect(throws: DamagedFile(name, .authentication), "byte \(index)") { try bench.store.read(name) }
    }
    for count in 0..<bytes.count {
      try bench.files.setContents(path, Array(bytes[..<count]))
      #expect(throws: DamagedFile(name, .authentication), "length \(count)") { try bench.store.read(name) }
    }
    try bench.store.write(bytes, to: name)
    #expect(try bench.store.read(name) == bytes, "written over")
  }

  @Test func whatIsNoPlainFileOrTooLongIsDamageToo() throws {
    let bench = try LogBench()
    let head = TreeName.head(HeadName(device: bench.device, sequence: 1, digest: SHA256.hash([])))
    try bench.files.setContents(bench.store.path(head), [UInt8](repeating: 0, count: Limits.headFile + 1))
    #expect(throws: DamagedFile(head, .length)) { try bench.store.read(head) }
    try bench.files.remove(bench.store.path(head))
    try bench.files.makeSymbolicLink(bench.store.path(head))
    #expect(throws: DamagedFile(head, .length)) { try bench.store.read(head) }
    #expect(try bench.store.headNames().isEmpty, "a link is no head")
    try bench.files.remove(bench.store.path(head))
    let error = #expect(throws: SystemError.self) { try bench.store.read(head) }
    #expect(error?.isMissing == true)
  }

  @Test func strangersAreNotListed() throws {
    let bench = try LogBench()
    let published = try bench.publish([LogBench.draft(1)])
    let path = bench.store.path(.head(published.name))
    try bench.files.setContents("\(path) (conflicted copy)", [1])
    try bench.files.setContents("/r/store/heads/.DS_Store", [1])
    try bench.files.setContents("/r/store/devices/.DS_Store", [1])
    try bench.files.setContents("/r/store/devices/\(bench.device.hex)/x.tmp", [1])
    #expect(try bench.store.headNames() == [published.name])
    #expect(try bench.store.objectNames(of: bench.device) == Set(published.head.objects.map(\.digest)))
    #expect(try bench.store.devices() == [bench.device])
  }

  @Test func headsAreListedByDeviceAndSequence() throws {
    let bench = try LogBench()
    var head: Head?
    for number in 1...20 { head = try bench.publish([LogBench.draft(number)], on: head).head }
    #expect(try bench.store.headNames().map(\.sequence) == Array(1...20))
  }

  @Test func allIsPrivateFromTheMomentItExists() throws {
    let folder = try TemporaryFolder()
    let system = PosixFileSystem()
    try system.makeDirectory("\(folder.path)/tmp", permissions: 0o700)
    let store = Store(
      root: "\(folder.path)/store", temporary: "\(folder.path)/tmp", fileSystem: system, random: .seeded(1))
    try store.create()
    let name = Self.object([1], of: DeviceID(from: .seeded(1)))
    try store.write([1], to: name)
    #expect(try system.status(store.path(name))?.permissions == 0o600)
    for folder in [TreeFolder.root, .keys, .heads, .devices, name.folder] {
      #expect(try system.status(store.path(folder))?.permissions == 0o700)
    }
  }

  @Test func anAdoptedFileIsMovedToItsPlace() throws {
    let bench = try LogBench()
    let name = Self.object([5], of: DeviceID(from: .seeded(44)))
    let path = bench.store.temporaryPath()
    try bench.files.setContents(path, [5])
    try bench.store.adopt(path, as: name)
    #expect(try bench.store.read(name) == [5])
    #expect(try bench.files.tree("/r/tmp").isEmpty)
  }

  @Test func temporaryNamesAreNeverTheSame() throws {
    let bench = try LogBench()
    #expect(Set((0..<100).map { _ in bench.store.temporaryPath() }).count == 100)
  }

  /// Every acknowledged commit outlives a fault at any call, a death there, and a power cut after either.
  @Test(arguments: [EIO, ENOSPC], [FaultyFileSystem.Persistence.once, .fromThenOn, .death])
  func whatWasPublishedOutlivesFaultsAndPowerCuts(code: Int32, persistence: FaultyFileSystem.Persistence)
    throws
  {
    var call = 0
    while true {
      call += 1
      var faulty: FaultyFileSystem?
      let bench = try LogBench(over: { files in
        let made = FaultyFileSystem(files)
        faulty = made
        return made
      })
      try bench.files.syncDirectory("/")
      try bench.files.syncDirectory("/r")
      faulty?.setFault(.init(call: call, code: code, persistence, tearsWrites: true))
      var newest: (name: HeadName, head: Head)?
      do {
        newest = try bench.publish([LogBench.draft(1)])
        newest = try bench.publish([LogBench.draft(2), LogBench.draft(3)], on: newest?.head)
      } catch is SystemError {
      } catch is DamagedFile {}
      guard let faults = faulty?.failures, faults > 0 else { break }
      faulty?.setFault(nil)
      let context = "call \(call), code \(code), \(persistence)"
      try Self.check(newest, in: bench.files.crash(.lastSynced), bench, context)
      let again = try bench.publish([LogBench.draft(9)], on: newest?.head)
      try Self.check(again, in: bench.files.crash(.lastSynced), bench, "\(context), and one more")
      #expect(bench.files.openDescriptors == 0, "\(context)")
      if persistence == .once { #expect(try bench.files.tree("/r/tmp").isEmpty, "\(context)") }
    }
    #expect(call > 20)
  }

  private static func check(
    _ newest: (name: HeadName, head: Head)?, in files: MemoryFileSystem, _ bench: LogBench, _ context: String
  ) throws {
    guard let newest else { return }
    let store = Store(root: "/r/store", temporary: "/r/tmp", fileSystem: files, random: .seeded(1))
    #expect(throws: Never.self, "\(context)") {
      let head = try store.head(newest.name, keys: bench.keys)
      for entry in head.objects {
        try store.object(entry, of: bench.device, keys: bench.keys).forEachCommit { _, _, _ in }
      }
    }
  }
}
