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

/// What is asked of the real file system and of the one in memory alike.
@Suite struct FileSystemTests {
  enum Kind: CaseIterable { case real, memory }

  /// A file system and an empty folder in it, held while `body` runs.
  private func withFolder(_ kind: Kind, _ body: (any FileSystem, String) throws -> Void) throws {
    switch kind {
    case .real:
      let folder = try TemporaryFolder()
      try body(PosixFileSystem(), folder.path)
      withExtendedLifetime(folder) {}
    case .memory:
      let files = MemoryFileSystem()
      try files.makeDirectory("/d", permissions: 0o700)
      try body(files, "/d")
      #expect(files.openDescriptors == 0)
    }
  }

  private func code(_ body: () throws -> Void) -> Int32? {
    do { try body() } catch let error as SystemError { return error.code } catch { return -1 }
    return nil
  }

  @Test(arguments: Kind.allCases)
  func callsFailWithTheCodesOfTheirManualPages(kind: Kind) throws {
    try withFolder(kind) { system, folder in
      let (file, missing) = ("\(folder)/file", "\(folder)/missing")
      try system.writeSynced([1, 2, 3], to: file, permissions: 0o600)
      try system.makeDirectory("\(folder)/sub", permissions: 0o700)
      try system.writeSynced([], to: "\(folder)/sub/inner", permissions: 0o600)
      let cases: [(expected: Int32, call: () throws -> Void)] = [
        (ENOENT, { _ = try OpenFile(missing, .read, in: system) }),
        (ENOENT, { _ = try OpenFile(missing, .update, in: system) }),
        (EEXIST, { _ = try OpenFile(file, .create(permissions: 0o600), in: system) }),
        (EISDIR, { _ = try OpenFile("\(folder)/sub", .update, in: system) }),
        (ENOTDIR, { _ = try OpenFile("\(file)/x", .read, in: system) }),
        (ENOENT, { try system.remove(missing) }), (ENOENT, { try system.removeDirectory(missing) }),
        (ENOTEMPTY, { try system.removeDirectory("\(folder)/sub") }),
        (EEXIST, { try system.makeDirectory(file, permissions: 0o700) }),
        (ENOENT, { try system.makeDirectory("\(missing)/x", permissions: 0o700) }),
        (ENOENT, { try system.rename(missing, to: file) }),
        (EISDIR, { try system.rename(file, to: "\(folder)/sub") }),
        (ENOTDIR, { try system.rename("\(folder)/sub", to: file) }),
        (ENOENT, { _ = try system.list(missing) }),
        (ENOTDIR, { _ = try system.list(file) }), (ENOENT, { try system.syncDirectory(missing) }),
        (ENOENT, { try system.setPermissions(missing, 0o600) }), (ENOENT, { try system.touch(missing) }),
      ]
      for (row, item) in cases.enumerated() { #expect(code(item.call) == item.expected, "row \(row)") }
      #expect(try system.status(missing) == nil)
      #expect(try system.status("\(file)/x") == nil)
      #expect(try system.read(file, limit: 3) == [1, 2, 3], "untouched")
    }
  }

  @Test(arguments: Kind.allCases)
  func filesAreWhatWasWritten(kind: Kind) throws {
    try withFolder(kind) { system, folder in
      let path = "\(folder)/file"
      let file = try OpenFile(path, .create(permissions: 0o640), in: system)
      try file.write([1, 2, 3, 4], at: 2)
      #expect(try file.read(10, at: 0) == [0, 0, 1, 2, 3, 4])
      #expect(try file.read(2, at: 4) == [3, 4] && file.read(2, at: 6).isEmpty)
      #expect(try file.length() == 6)
      try system.truncate(file.descriptor, to: 3)
      try file.sync()
      #expect(try system.read(path, limit: 3) == [0, 0, 1])
      let status = try #require(try system.status(path))
      #expect(status.type == .file && status.length == 3 && status.permissions == 0o640)
      #expect(try system.status(file.descriptor).identity == status.identity)
      try system.setPermissions(path, 0o600)
      #expect(try system.status(path)?.permissions == 0o600)
      try system.makeDirectories("\(folder)/a/b/c", permissions: 0o700)
      try system.makeDirectories("\(folder)/a/b/c", permissions: 0o700)
      try system.rename(path, to: "\(folder)/a/moved")
      #expect(try system.list(folder) == [DirectoryEntry(name: "a", type: .directory)])
      #expect(try system.listIfPresent("\(folder)/none").isEmpty)
    }
  }

  @Test(arguments: Kind.allCases)
  func readsWholePlainFilesUpToALimit(kind: Kind) throws {
    try withFolder(kind) { system, folder in
      let path = "\(folder)/file"
      try system.writeSynced([1, 2, 3], to: path, permissions: 0o600)
      #expect(try system.read(path, limit: 3) == [1, 2, 3])
      #expect(throws: ReadError.refused(path: path)) { try system.read(path, limit: 2) }
      #expect(throws: ReadError.refused(path: folder)) { try system.read(folder, limit: 1 << 20) }
      #expect(try system.readIfPresent("\(folder)/none", limit: 3) == nil)
      #expect(throws: ReadError.self) { try system.readIfPresent(path, limit: 2) }
    }
  }

  @Test(.timeLimit(.minutes(1)))
  func linksPipesAndDevicesAreRefusedWithoutWaiting() throws {
    let folder = try TemporaryFolder()
    let system = PosixFileSystem()
    try system.writeSynced([1], to: "\(folder.path)/file", permissions: 0o600)
    try folder.makeSymbolicLink("\(folder.path)/link", to: "\(folder.path)/file")
    try folder.makePipe("\(folder.path)/pipe")
    for path in ["\(folder.path)/link", "\(folder.path)/pipe", "/dev/zero", "/dev/null"] {
      #expect(throws: ReadError.refused(path: path)) { try system.read(path, limit: 100) }
      #expect(throws: CopyError.refused, "\(path)") {
        try system.copy(path, to: "\(folder.path)/copy", limit: 100, permissions: 0o600)
      }
    }
    #expect(code { try system.writeSynced([2], to: "\(folder.path)/link", permissions: 0o600) } == EEXIST)
    #expect(try system.status("\(folder.path)/copy") == nil)
    #expect(try Set(system.list(folder.path).map(\.type)) == [.file, .symbolicLink, .other])
  }

  /// Rows: a path below the folder, and where it leads.
  @Test(arguments: [
    ("real/x", "real/x"), ("link", "real"), ("link/", "real"), ("link/none/x", "real/none/x"),
    ("real/./up", "real"), ("real/up/../real/inner", "real/inner"), ("link/inner/..", "real"),
    ("dangling", "nowhere"), ("dangling/x", "nowhere/x"), ("chain", "real"),
  ])
  func aPathIsFollowedToWhereItLeads(row: (String, String)) throws {
    let folder = try TemporaryFolder()
    let system = PosixFileSystem()
    let base = try system.resolved(folder.path)
    try system.makeDirectories("\(base)/real/inner", permissions: 0o700)
    try folder.makeSymbolicLink("\(base)/link", to: "real")
    try folder.makeSymbolicLink("\(base)/real/up", to: "../real")
    try folder.makeSymbolicLink("\(base)/chain", to: "\(base)/link")
    try folder.makeSymbolicLink("\(base)/dangling", to: "./nowhere")
    #expect(try system.resolved("\(base)/\(row.0)") == "\(base)/\(row.1)")
    try folder.makeSymbolicLink("\(base)/circle", to: "circle")
    #expect(code { _ = try system.resolved("\(base)/circle/x") } == ELOOP)
  }

  @Test(arguments: [("", ""), ("/", "/"), ("/..", "/"), (".", "."), ("a/..", "."), ("../x", "../x")])
  func aPathWithoutLinksIsMadePlain(row: (String, String)) throws {
    #expect(try MemoryFileSystem().resolved(row.0) == row.1)
  }

  @Test func namesLastInAFolderBehindALink() throws {
    let folder = try TemporaryFolder()
    let system = PosixFileSystem()
    try system.makeDirectory("\(folder.path)/real", permissions: 0o700)
    try folder.makeSymbolicLink("\(folder.path)/link", to: "real")
    try system.syncDirectory("\(folder.path)/link")
    try folder.makeSymbolicLink("\(folder.path)/dangling", to: "nowhere")
    #expect(code { try system.syncDirectory("\(folder.path)/dangling") } == ENOENT)
  }

  @Test(arguments: [FaultyFileSystem.Persistence.once, .fromThenOn, .death])
  func aDurableWriteIsWholeOrNotThere(persistence: FaultyFileSystem.Persistence) throws {
    let (old, new) = ([UInt8](repeating: 1, count: 100), [UInt8](repeating: 2, count: 90))
    for isThere in [false, true] {
      var call = 0
      while true {
        call += 1
        let files = MemoryFileSystem()
        try files.makeFolders("/d")
        try files.syncDirectory("/")
        if isThere { try files.writeDurably(old, to: "/d/file", by: "/d/old", permissions: 0o600) }
        let faulty = FaultyFileSystem(files)
        faulty.setFault(.init(call: call, code: EIO, persistence, tearsWrites: true))
        let failure = code { try faulty.writeDurably(new, to: "/d/file", by: "/d/tmp", permissions: 0o600) }
        let context = "call \(call), \(persistence), over another: \(isThere)"
        let before: [UInt8]? = isThere ? old : nil
        for volume in [files, files.crash(.lastSynced), files.crash(.namesBeforeContents)] {
          let left = try volume.tree("/d")["file"]
          #expect(failure == nil ? left == new : left == new || left == before, "\(context)")
        }
        if faulty.failures == 0 { break }
        #expect(failure != nil, "\(context)")
        if persistence == .once { #expect(try files.status("/d/tmp") == nil, "\(context)") }
        #expect(files.openDescriptors == 0, "\(context)")
      }
      #expect(call == 6, "open, write, fsync, rename, fsync of the folder, and then none")
    }
  }

  @Test func aCopyThatFailsSaysOnWhichSideAndLeavesNothing() throws {
    var random = SeededRandom(seed: 8)
    let bytes = random.bytes(600_000)
    var call = 0
    while true {
      call += 1
      let files = MemoryFileSystem()
      try files.setContents("/source", bytes)
      let faulty = FaultyFileSystem(files)
      faulty.startTrace()
      faulty.setFault(.init(call: call, code: EIO, .once, tearsWrites: true))
      var side: CopyError?
      do { _ = try faulty.copy("/source", to: "/target", limit: bytes.count, permissions: 0o640) } catch {
        side = error
      }
      guard faulty.failures > 0 else {
        #expect(try files.contents("/target") == bytes)
        #expect(try files.status("/target")?.permissions == 0o640)
        break
      }
      let failed = try #require(faulty.trace.prefix { $0.call != .close }.dropFirst(call - 1).first)
      guard let side else {
        Issue.record("call \(call): no error")
        continue
      }
      switch side {
      case .source: #expect(failed.path == "/source", "call \(call)")
      case .target: #expect(failed.path == "/target", "call \(call)")
      case .refused: Issue.record("call \(call): refused")
      }
      #expect(try files.status("/target") == nil, "call \(call)")
      #expect(files.openDescriptors == 0)
    }
    #expect(call == 11, "two opens, a status, three pieces read and written, fsync, and then none")
    let files = MemoryFileSystem()
    try files.setContents("/source", bytes)
    #expect(throws: CopyError.refused) {
      try files.copy("/source", to: "/target", limit: bytes.count - 1, permissions: 0o640)
    }
  }

  static let parents: [(path: String, parent: String)] = [
    ("/a/b", "/a"), ("/a/b/", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("a/b", "a"), ("./a", "."),
    ("a/b//", "a"),
  ]

  @Test(arguments: parents.indices)
  func theParentIsThatOfDirname(row: Int) {
    #expect(parent(of: Self.parents[row].path) == Self.parents[row].parent, "row \(row)")
  }
}
