import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import runic

@Suite struct RepoRemoteTests {
  @Test func aMissingOrEmptyPlaceBecomesTheTree() throws {
    let world = try World()
    let a = world.machine("a")
    try a.expect(.done, "init", "--passphrase")
    try world.disk.makeFolders("/mnt/empty")
    for place in ["/mnt/new/deep", "/mnt/empty"] {
      let name = place.hasSuffix("deep") ? "one" : "two"
      let run = try a.expect(.done, "remote", "add", name, place, "--json")
      #expect(run.json["url"] == .text(place))
      #expect(run.json["repository"] == a.run("status", "--json").json["repository"])
      #expect(try world.disk.list(place).map(\.name) == ["devices", "heads", "keys", "runic.json"])
      #expect(try world.disk.list("\(place)/keys").count == 1)
    }
    try a.expect(.done, "remote", "remove", "two")
    try a.expect(.done, "remote", "add", "again", "/mnt/empty")
    let names = try a.expect(.done, "remote", "list", "--json").lines.compactMap { $0["name"]?.textValue }
    #expect(names == ["one", "again"])
  }

  @Test func aPlaceThatIsOfNoUseIsRefused() throws {
    let world = try World()
    let (a, b) = (try world.shared(), world.machine("b"))
    for place in ["/mnt/share", "/mnt/share/"] {
      let run = a.run("remote", "add", "again", place)
      #expect(run.status == .failed && run.err.contains("'home'"), "\(run.err)")
    }
    let own = a.run("remote", "add", "self", "\(a.root)/store")
    #expect(own.status == .failed && own.err.contains("this repository itself"), "\(own.err)")
    #expect(try a.expect(.done, "remote", "list").out.split(separator: "\n").count == 1)
    // Another device's repository may be pulled from, and an address that nobody can look at is taken at its word.
    try b.expect(.done, "clone", "\(a.root)/store", "--name", "B")
    try b.expect(.done, "remote", "add", "away", "/nowhere/tree")
    #expect(b.run("remote", "add", "again", "/nowhere/tree/").status == .failed)
  }

  @Test func whatCannotBeWrittenThereIsToBeAddedAgain() throws {
    let world = try World()
    _ = try world.shared()
    let files = FaultyFileSystem(world.disk)
    let a = Machine(name: "a", files: files, random: world.random)
    // EROFS.
    files.setFault(FaultyFileSystem.Fault(call: 1, code: 30, .fromThenOn, only: [.makeDirectory]))
    let run = a.run("remote", "add", "stick", "/mnt/stick")
    #expect(run.status == .failed && run.err.contains("then add it again"), "\(run.err)")
    #expect(try !a.expect(.done, "remote", "list").out.contains("stick"))
  }

  @Test func aTreeWithoutItsMarkerIsMendedElsewhere() throws {
    let world = try World()
    let (a, b) = (try world.shared(), world.machine("b"))
    try world.disk.remove("/mnt/share/runic.json")
    try world.disk.rename("/mnt/share", to: "/mnt/other")
    for run in [a.run("remote", "add", "again", "/mnt/other"), b.run("clone", "/mnt/other")] {
      #expect(run.err.contains("'runic push --repair' puts it back, on a machine that has it"), "\(run.err)")
    }
  }

  @Test func whatIsEmptySaysSo() throws {
    let b = try World().machine("b")
    try b.expect(.done, "init")
    for command in [["remote", "list"], ["reflog"]] {
      let run = b.run(command)
      #expect(run.status == .done && run.out.isEmpty && run.err.hasPrefix("no "), "\(command): \(run.err)")
      #expect(b.run(command + ["--json"]).err.isEmpty)
    }
  }

  @Test func anotherRepositorysPlaceIsRefusedAndNotKept() throws {
    let world = try World()
    _ = try world.shared()
    let b = world.machine("b")
    try b.expect(.done, "init")
    let before = try world.disk.tree("/mnt")
    let run = b.run("remote", "add", "home", "/mnt/share")
    #expect(run.status == .failed)
    for id in [try b.open().id.hex, try world.machine("a").open().id.hex] { #expect(run.err.contains(id)) }
    #expect(try b.expect(.done, "remote", "list").out == "")
    try world.disk.setContents("/mnt/note.txt", [1])
    #expect(b.run("remote", "add", "home", "/mnt").status == .failed)
    #expect(b.run("remote", "add", "home", "host:path").status == .failed)
    #expect(b.run("remote", "add", "-x", "/mnt/new").status == .usage)
    #expect(try b.expect(.done, "remote", "list").out == "")
    try world.disk.remove("/mnt/note.txt")
    #expect(try world.disk.tree("/mnt") == before)
  }

  /// As a script types it whose variable is not set: the working directory was not meant.
  @Test func anEmptyAddressIsNoFolder() throws {
    let world = try World()
    let (a, b) = (try world.shared(), world.machine("b"))
    let before = try world.disk.tree("/")
    for command in [["remote", "add", "other", ""], ["remote", "set-url", "home", ""]] {
      #expect(a.run(command + ["--json"]).json["error"]?["code"] == "bad-address", "\(command)")
    }
    #expect(b.run("clone", "", "--json").json["error"]?["code"] == "bad-address")
    // The command line alone is at fault.
    for command in [
      ["clone", ""], ["clone", "ftp://x/y"], ["join", ""], ["remote", "add", "q", "ftp://x/y"],
      ["remote", "set-url", "home", "ftp://x/y"],
    ] {
      #expect((command[0] == "clone" ? b : a).run(command).status == .usage, "\(command)")
    }
    #expect(try world.disk.tree("/") == before)
  }

  @Test func aRemoteOutOfReachIsKeptUnchecked() throws {
    let world = try World()
    let a = world.machine("a")
    try a.expect(.done, "init")

    let typed = Machine(name: "a", files: Unmounted(world.disk, "/mnt"), random: a.random)
    let run = typed.run("remote", "add", "stick", "/mnt/usb")
    #expect(run.status == .unreachable)
    #expect(run.err.contains("remote check stick --create"))
    let kept = try a.expect(.done, "remote", "list", "--json").json
    #expect(kept["name"] == "stick")
    #expect(kept["repository"] == .null)
    #expect(a.run("remote", "check", "stick").status == .unreachable)
    #expect(try world.disk.status("/mnt/usb") == nil)
    try a.expect(.done, "remote", "check", "stick", "--create")
    #expect(try a.expect(.done, "remote", "list", "--json").json["repository"] == .text(try a.open().id.hex))
    try a.expect(.done, "push", "stick")
  }

  /// Sync tools drop empty folders.
  @Test func aTreeWithoutItsEmptyFoldersIsWhole() throws {
    let world = try World()
    let a = world.machine("a")
    try a.expect(.done, "init")
    try a.expect(.done, "remote", "add", "home", "/mnt/share")
    for folder in ["keys", "heads", "devices"] { try world.disk.removeDirectory("/mnt/share/\(folder)") }
    #expect(try a.expect(.done, "remote", "check", "home", "--json").json["writable"] == true)
    #expect(try world.disk.list("/mnt/share").map(\.name) == ["runic.json"])
    try a.expect(.done, "pull")
    try a.prefer("theme", "dark")
    try a.expect(.done, "push")
    try a.expect(.done, "fsck", "home")
  }

  @Test func aPushNeverMakesARepository() throws {
    let world = try World()
    let a = try world.shared()
    try a.prefer("theme", "light")
    try world.disk.rename("/mnt/share", to: "/mnt/elsewhere")
    for place in ["missing", "empty"] {
      if place == "empty" { try world.disk.makeFolders("/mnt/share") }
      let before = try world.disk.tree("/mnt")
      for command in ["push", "pull", "sync"] {
        let run = a.run(command)
        #expect(run.status == .unreachable, "\(command), \(place)")
        #expect(run.err.contains("mounted"), "\(command), \(place)")
      }
      #expect(try world.disk.tree("/mnt") == before)
    }
    #expect(try a.preferences()?["theme"] == "light")
    try world.disk.removeDirectory("/mnt/share")
    try world.disk.rename("/mnt/elsewhere", to: "/mnt/share")
    try a.expect(.done, "sync")
  }

  @Test func aSwappedPlaceIsRefused() throws {
    let world = try World()
    let a = try world.shared()
    let c = world.machine("c")
    try c.expect(.done, "init")
    try c.expect(.done, "remote", "add", "home", "/mnt/other")
    try world.disk.rename("/mnt/share", to: "/mnt/aside")
    try world.disk.rename("/mnt/other", to: "/mnt/share")
    let before = try world.disk.tree("/mnt")
    for command in ["push", "pull"] {
      let run = a.run(command, "--json")
      #expect(run.status == .failed)
      #expect(run.json["error"]?["code"] == "foreign-repository")
    }
    #expect(try world.disk.tree("/mnt") == before)
  }

  @Test func oneThatFailsDoesNotKeepTheOthersWaiting() throws {
    let world = try World()
    let a = try world.shared()
    try a.expect(.done, "remote", "add", "second", "/mnt/second")
    try a.prefer("theme", "light")
    try world.disk.rename("/mnt/share", to: "/mnt/away")
    let run = a.run("push", "--json")
    #expect(run.status == .unreachable)
    #expect(run.lines.map { $0["remote"] } == ["home", "second"])
    #expect(run.lines.first?["error"]?["code"] == "unreachable")
    #expect(run.lines.last?["pushedCount"]?.intValue ?? 0 > 0)
    try world.machine("b").expect(.done, "clone", "/mnt/second")
    #expect(try world.machine("b").preferences()?["theme"] == "light")
  }

  @Test func namesAndAddressesChange() throws {
    let world = try World()
    let a = try world.shared()
    #expect(a.run("remote", "add", "home", "/mnt/x").status == .failed)
    try a.expect(.done, "remote", "rename", "home", "nas")
    try world.disk.rename("/mnt/share", to: "/mnt/moved")
    try a.expect(.done, "remote", "set-url", "nas", "/mnt/moved")
    #expect(try a.expect(.done, "push", "nas", "--json").json["pushedCount"] == 0)
    let unknown = a.run("pull", "nax")
    #expect(unknown.status == .failed)
    #expect(unknown.err.contains("nas"))
    try a.expect(.done, "remote", "remove", "nas")
    #expect(try world.disk.status("/mnt/moved/runic.json") != nil)
    #expect(a.run("remote", "remove", "nas").status == .failed)
  }
}

/// A file system whose folder has gone, as a pulled stick's does.
struct Unmounted: FileSystem {
  private let inner: any FileSystem
  private let folder: String

  init(_ inner: any FileSystem, _ folder: String) { (self.inner, self.folder) = (inner, folder) }

  private func check(_ path: String, _ call: String) throws(SystemError) {
    // EIO
    if path.hasPrefix(folder) { throw SystemError(call: call, path: path, code: 5) }
  }

  func open(_ path: String, _ mode: OpenMode) throws(SystemError) -> Int32 {
    try check(path, "open")
    return try inner.open(path, mode)
  }
  func close(_ descriptor: Int32) { inner.close(descriptor) }
  func read(
    _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int { try inner.read(descriptor, into: buffer, at: offset) }
  func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int64
  ) throws(SystemError) -> Int { try inner.write(descriptor, bytes, at: offset) }
  func sync(_ descriptor: Int32) throws(SystemError) { try inner.sync(descriptor) }
  func truncate(_ descriptor: Int32, to length: Int64) throws(SystemError) {
    try inner.truncate(descriptor, to: length)
  }
  func status(_ descriptor: Int32) throws(SystemError) -> FileStatus { try inner.status(descriptor) }
  func lock(_ descriptor: Int32) throws(SystemError) -> Bool { try inner.lock(descriptor) }
  func status(_ path: String) throws(SystemError) -> FileStatus? {
    try check(path, "lstat")
    return try inner.status(path)
  }
  func readLink(_ path: String) throws(SystemError) -> String {
    try check(path, "readlink")
    return try inner.readLink(path)
  }
  func rename(_ source: String, to target: String) throws(SystemError) {
    try check(target, "rename")
    try inner.rename(source, to: target)
  }
  func remove(_ path: String) throws(SystemError) {
    try check(path, "unlink")
    try inner.remove(path)
  }
  func removeDirectory(_ path: String) throws(SystemError) {
    try check(path, "rmdir")
    try inner.removeDirectory(path)
  }
  func makeDirectory(_ path: String, permissions: UInt32) throws(SystemError) {
    try check(path, "mkdir")
    try inner.makeDirectory(path, permissions: permissions)
  }
  func list(_ path: String) throws(SystemError) -> [DirectoryEntry] {
    try check(path, "opendir")
    return try inner.list(path)
  }
  func syncDirectory(_ path: String) throws(SystemError) {
    try check(path, "fsync")
    try inner.syncDirectory(path)
  }
  func setPermissions(_ path: String, _ permissions: UInt32) throws(SystemError) {
    try inner.setPermissions(path, permissions)
  }
  func touch(_ path: String) throws(SystemError) { try inner.touch(path) }
}
