import ObjectStore
import TestSupport
import Testing

@testable import runic

/// A folder of the real disk, since only that follows links.
private final class RealFolder {
  let path: String

  init() throws {
    path = "/tmp/runic-links-\(Hexadecimal.encode(RandomSource.system.bytes(8)))"
    try PosixFileSystem().makeDirectory(path, permissions: 0o700)
  }

  deinit { PosixFileSystem().removeLeftoverTree(path) }

  func link(_ name: String, to target: String) throws {
    _ = try Shell.run("ln -s '\(target)' '\(path)/\(name)'", limit: 100)
  }

  func machine(_ name: String) -> Machine {
    var machine = Machine(name: name, files: PosixFileSystem(), random: .system)
    machine.place = "\(path)/\(name)"
    return machine
  }

  func type(_ name: String) throws -> FileType? { try PosixFileSystem().status("\(path)/\(name)")?.type }
}

/// Repositories and remotes that lie behind a symbolic link, as on a second disk.
@Suite struct RepoLinkTests {
  @Test func aRepositoryBehindALinkIsTheRepository() throws {
    let folder = try RealFolder()
    try folder.link("a", to: "real")
    let a = folder.machine("a")
    try a.expect(.done, "init", "--name", "A", "--passphrase")
    #expect(try folder.type("a") == .symbolicLink && folder.type("real/device.json") == .file)
    for command in [
      ["remote", "add", "home", "\(folder.path)/tree"], ["config", "set", "sync.strategy", "manual"],
      ["record", "preferences", "theme=dark"], ["kind", "add", "foo", "--per-key"],
      ["device", "rename", "B"], ["push"], ["key", "rotate", "--no-slot"],
      ["remote", "rename", "home", "nas"], ["pull"], ["gc"], ["fsck"], ["remote", "remove", "nas"],
    ] {
      let run = a.run(command)
      #expect(run.status == .done, "\(command): \(run.err)")
    }
    #expect(a.run("doctor").out.contains("the key and all private files are yours alone"))
    #expect(a.run("init", "--json").json["error"]?["code"] == "repository-exists")
  }

  /// A link that was followed by nobody would lead past what lies above the real place.
  @Test func aLinkIntoASharedTreeIsSeenThrough() throws {
    let folder = try RealFolder()
    let a = folder.machine("a")
    try a.expect(.done, "init")
    try a.expect(.done, "remote", "add", "home", "\(folder.path)/tree")
    try folder.link("b", to: "tree/heads")
    #expect(folder.machine("b").run("init", "--json").json["error"]?["code"] == "shared-place")
  }

  @Test func aJoinLeavesTheLink() throws {
    let folder = try RealFolder()
    let a = folder.machine("a")
    try a.expect(.done, "init", "--passphrase")
    try a.expect(.done, "remote", "add", "home", "\(folder.path)/tree")
    try PosixFileSystem().makeDirectory("\(folder.path)/disk", permissions: 0o700)
    try folder.link("b", to: "disk/b")
    let b = folder.machine("b")
    try b.expect(.done, "init")
    try b.expect(.done, "join", "\(folder.path)/tree")
    #expect(try folder.type("b") == .symbolicLink)
    #expect(try b.open().id == a.open().id)
    #expect(try PosixFileSystem().list("\(folder.path)/disk").count == 2, "the new one and the former one")
  }

  @Test func aRemoteBehindALinkIsMade() throws {
    let folder = try RealFolder()
    for name in ["one", "two"] {
      try PosixFileSystem().makeDirectory("\(folder.path)/\(name)", permissions: 0o700)
      try folder.link("to-\(name)", to: name)
    }
    try folder.link("to-none", to: "none")
    let a = folder.machine("a")
    try a.expect(.done, "init")
    try a.expect(.done, "remote", "add", "one", "\(folder.path)/to-one")
    try a.expect(.done, "push", "one")
    try a.expect(.done, "remote", "set-url", "one", "\(folder.path)/one")
    try a.expect(.done, "pull", "one")
    // A drive that is not mounted is no empty folder.
    #expect(a.run("remote", "add", "none", "\(folder.path)/to-none").status != .done)
    #expect(try folder.type("none") == nil)
  }
}
