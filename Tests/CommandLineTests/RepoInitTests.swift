import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import runic

@Suite struct RepoInitTests {
  @Test func privateFilesAreBornForTheirOwnerAlone() throws {
    let world = try World()
    let watched = FaultyFileSystem(world.disk)
    watched.startTrace()
    let a = Machine(name: "a", files: watched, random: world.random)
    try a.with("RUNIC_PASSPHRASE", "").expect(.failed, "init", "--passphrase")
    #expect(try world.disk.status("/a/runic") == nil, "without a passphrase nothing may be made")
    try a.expect(.done, "init", "--passphrase")
    let changed = watched.trace.filter { $0.call == .setPermissions }.map(\.path)
    #expect(changed.allSatisfy { $0 == "/a/runic" }, "a mode that is set later is set too late")
    #expect(try world.disk.status("/a/runic")?.permissions == 0o700)
    let entries = try world.disk.list("/a/runic")
    #expect(entries.contains { $0.name == "repository.key" })
    for entry in entries where entry.type == .file {
      #expect(try world.disk.status("/a/runic/\(entry.name)")?.permissions == 0o600, "\(entry.name)")
    }
  }

  @Test(arguments: [".stfolder", ".dropbox", ".sync"])
  func aPlaceThatASyncToolCoversIsRefused(_ sign: String) throws {
    let world = try World()
    try world.disk.makeFolders("/a/\(sign)")
    let before = try world.disk.tree()
    let run = world.machine("a").run("init")
    #expect(run.status == .failed)
    #expect(run.err.contains("/a/\(sign)"))
    #expect(try world.disk.tree() == before)
    #expect(try world.disk.status("/a/runic") == nil)
  }

  /// Keys do not belong where others look, and what lies there is not runic's to shut away.
  @Test(arguments: ["/mnt/share", "/mnt/share/sub/sub", "/a/runic/store", "/a/runic/store/x", "/mnt/things"])
  func aPlaceThatIsSharedOrTakenIsRefused(_ place: String) throws {
    let world = try World()
    _ = try world.shared()
    try world.disk.makeFolders("/mnt/things")
    try world.disk.setContents("/mnt/things/note.txt", [1])
    for folder in ["/mnt/share", "/mnt/things"] { try world.disk.setPermissions(folder, 0o2775) }
    let before = try world.disk.tree()
    var b = world.machine("b")
    b.place = place
    let commands = [["init"], ["init", "--passphrase"], ["clone", "/mnt/share"]]
    for command in commands {
      let run = b.run(command + ["--json"])
      #expect(run.status == .failed, "\(command)")
      let code = place == "/mnt/things" ? "place-taken" : "shared-place"
      #expect(run.json["error"]?["code"]?.textValue == code, "\(command)")
    }
    #expect(try world.disk.tree() == before)
    for folder in ["/mnt/share", "/mnt/things"] {
      #expect(try world.disk.status(folder)?.permissions == 0o2775)
    }
  }

  @Test func aFileIsNoPlaceForARepository() throws {
    let world = try World()
    try world.disk.setContents("/a/runic", [1])
    try world.disk.setPermissions("/a/runic", 0o644)
    #expect(world.machine("a").run("init", "--json").json["error"]?["code"] == "place-taken")
    #expect(try world.disk.status("/a/runic")?.permissions == 0o644)
  }

  @Test func whatACutOffInitLeftIsNoHindrance() throws {
    let world = try World()
    let a = world.machine("a")
    try a.expect(.done, "init")
    try world.disk.remove("/a/runic/device.json")
    try a.expect(.done, "init")
    try a.expect(.done, "record", "preferences", "x=1")
    try world.disk.remove("/a/runic/device.json")
    #expect(a.run("init").status == .failed, "it has been used")
    let gone = a.run("status")
    #expect(gone.status == .damaged && gone.err.contains("device.json' is missing"), "\(gone.err)")
    #expect(gone.err.contains("the 'store' beside it also serves"))
  }

  @Test func whatIsLeftOfARepositoryWithoutDeviceFileCanBeCloned() throws {
    let world = try World()
    let a = try world.shared()
    try world.disk.remove("/a/runic/device.json")
    let b = world.machine("b")
    try b.expect(.done, "clone", "\(a.root)/store")
    #expect(try b.preferences()?["theme"] == "dark")
  }

  @Test(arguments: ["", String(repeating: "x", count: 257)])
  func aDeviceIsCalledSomethingThatCanBeShown(_ name: String) throws {
    let world = try World()
    let a = try world.shared()
    let before = try world.disk.tree("/")
    for command in [["init", "--name"], ["clone", "/mnt/share", "--name"], ["device", "rename"]] {
      let machine = command[0] == "device" ? a : world.machine("b")
      let run = machine.run(command + [name])
      #expect(run.status == .usage, "\(command)")
      #expect(run.err.contains("1 to 256 bytes") && run.err.contains("hint: "), "\(command)")
    }
    #expect(try world.disk.tree("/") == before)
  }

  @Test func aSecondInitRefuses() throws {
    let a = try World().machine("a")
    try a.expect(.done, "init")
    let key = try a.expect(.done, "key", "export").out
    let run = a.run("init", "--json")
    #expect(run.status == .failed)
    #expect(run.json["error"]?["code"] == "repository-exists")
    #expect(try a.expect(.done, "key", "export").out == key)
  }

  @Test func withoutAPassphraseTheKeyIsNamed() throws {
    let world = try World()
    let run = try world.machine("a").expect(.done, "init")
    #expect(run.err.contains("runic key export"))
    let other = try world.machine("b").expect(.done, "init", "--passphrase", "--name", "laptop", "--json")
    #expect(!other.err.contains("key export"))
    #expect(other.json["deviceName"] == "laptop")
    #expect(other.json["repository"]?.textValue?.utf8.count == 32)
  }

  @Test func withoutARepositoryTheStatusSaysSo() throws {
    let a = try World().machine("a")
    for command in [["status"], ["pull"], ["fsck"], ["fsck", "--without-key"], ["key", "export"], ["gc"]] {
      let run = a.run(command)
      #expect(run.status == .noRepository, "\(command)")
      #expect(run.err.contains("runic init"), "\(command)")
    }
  }

  @Test func withoutARemoteNothingIsSynced() throws {
    let a = try World().machine("a")
    try a.expect(.done, "init")
    #expect(try a.expect(.done, "status").out.contains("nothing is synced"))
    for command in ["pull", "push", "sync", "diff"] {
      #expect(a.run(command).err.contains("runic remote add"), "\(command)")
    }
  }

  @Test func anotherProcessKeepsItBusy() throws {
    let world = try World()
    let a = world.machine("a")
    try a.expect(.done, "init")
    let other = try OpenFile(
      "/a/runic/lock", .openOrCreate(permissions: 0o600), in: world.disk)
    #expect(try world.disk.lock(other.descriptor))
    for command in [["config", "set", "sync.strategy", "manual"], ["device", "rename", "B"], ["gc"]] {
      #expect(a.run(command).status == .busy, "\(command)")
    }
  }
}
