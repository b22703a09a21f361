import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

@testable import runic

@Suite struct RepoCloneTests {
  @Test func aCloneShowsWhatWasShared() throws {
    let (_, b) = try World().cloned()
    #expect(try b.preferences()?["theme"] == "dark")
    #expect(try b.expect(.done, "remote", "list", "--json").json["name"] == "origin")
  }

  @Test func aWrongPassphraseWritesNotOneByte() throws {
    let world = try World()
    _ = try world.shared()
    let before = try world.disk.tree()
    let run = world.machine("b").with("RUNIC_PASSPHRASE", "wrong").run("clone", "/mnt/share")
    #expect(run.status == .wrongKey)
    #expect(try world.disk.tree() == before)
    #expect(try world.disk.status("/b/runic") == nil)
  }

  /// Whichever list of the remote fails: nothing was made, or it is said how to go on with what was.
  @Test func aCloneThatEndsEarlySaysHowToGoOn() throws {
    let world = try World()
    _ = try world.shared()
    let start = world.disk.snapshot()
    var wentOn = 0
    for call in 1...20 {
      world.disk.restore(start)
      let faulty = FaultyFileSystem(world.disk)
      faulty.setFault(.init(call: call, code: 5, only: [.list]))
      let run = Machine(name: "b", files: faulty, random: world.random).run("clone", "/mnt/share")
      if faulty.failures == 0 { break }
      let b = world.machine("b")
      guard try world.disk.status("/b/runic/device.json") != nil else {
        try b.expect(.done, "clone", "/mnt/share")
        continue
      }
      if run.status != .done {
        #expect(run.err.contains("'runic pull' goes on"), "\(call): \(run.err)")
        wentOn += 1
        try b.expect(.done, "pull")
      }
      #expect(try b.preferences()?["theme"] == "dark", "\(call)")
    }
    #expect(wentOn > 0)
  }

  @Test func anEmptyPlaceAsksForNoPassphrase() throws {
    let world = try World()
    let b = world.machine("b").with("RUNIC_PASSPHRASE", nil)
    #expect(b.run("clone", "/mnt").status == .unreachable)
    #expect(b.run("clone", "/mnt/nothing").status == .unreachable)
    try world.disk.setContents("/mnt/other", [1])
    #expect(b.run("clone", "/mnt", "--json").json["error"]?["code"] == "not-a-repository")
  }

  /// Each is what lies in a slot's file; none may cost anything or hide the good one.
  @Test func badSlotsDoNotHideTheGoodOne() throws {
    let world = try World()
    _ = try world.shared()
    let name = try #require(try world.disk.list("/mnt/share/keys").first?.name)
    let good = try world.disk.contents("/mnt/share/keys/\(name)")
    let slot = String(decoding: good, as: UTF8.self)
    let hostile = [
      slot.replacing("\"N\":131072", with: "\"N\":1099511627776"),
      slot.replacing("\"r\":8", with: "\"r\":1073741824"),
      String(slot.prefix(40)), "", "{}", "not json", slot, String(repeating: "[", count: 60_000),
    ]
    for (index, text) in hostile.enumerated() {
      // Names that sort before the good one's.
      let id = "000000000000000000000000000000\(index < 10 ? "0" : "")\(index)"
      try world.disk.setContents("/mnt/share/keys/\(id).json", Array(text.utf8))
    }
    try world.disk.setContents("/mnt/share/keys/\(name).conflict", good)
    try world.machine("b").expect(.done, "clone", "/mnt/share")
    #expect(try world.disk.list("/b/runic/store/keys").map(\.name) == [name])
    try world.disk.remove("/mnt/share/keys/\(name)")
    let run = world.machine("c").run("clone", "/mnt/share")
    #expect(run.status == .wrongKey)
    #expect(run.err.contains("--key-file"))
  }

  @Test func anExportedKeyBringsEverythingBack() throws {
    let world = try World()
    let a = world.machine("a")
    try a.expect(.done, "init")
    try a.expect(.done, "remote", "add", "home", "/mnt/share")
    try a.prefer("theme", "dark")
    try a.expect(.done, "push")
    var text = Array("\n \(try a.expect(.done, "key", "export").out)  \n".utf8)
    let (repository, keys) = try KeyString.decode(&text)
    #expect(text.isEmpty)
    let b = world.machine("b")
    let clone = try Repository.clone(
      from: "/mnt/share", named: "origin", to: b.root, deviceName: "B", unlock: .keys(keys, repository),
      environment: b.environment)
    _ = try clone.pull("origin")
    #expect(try b.preferences()?["theme"] == "dark")
    #expect(try b.expect(.done, "key", "export").out == a.expect(.done, "key", "export").out)
  }

  @Test func aMistypedKeyIsRefused() throws {
    let a = try World().machine("a")
    try a.expect(.done, "init")
    let key = try a.expect(.done, "key", "export", "--json").json["key"]?.textValue ?? ""
    #expect(key.utf8.count == "runic-key-1-".utf8.count + 104)
    let digits = Array(key.utf8)
    for index in digits.indices {
      var wrong = digits
      wrong[index] = wrong[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      #expect(throws: RunicError.self) { try KeyString.decode(&wrong) }
    }
    for text in ["", " ", String(key.dropLast()), key + "0", key.uppercased(), "\(key) \(key)"] {
      var bytes = Array(text.utf8)
      #expect(throws: RunicError.self) { try KeyString.decode(&bytes) }
    }
  }

  @Test func aKeyOfAnotherRepositoryIsForeign() throws {
    let world = try World()
    _ = try world.shared()
    let c = world.machine("c")
    try c.expect(.done, "init")
    let keys = try c.open().repositoryKeys
    #expect(throws: RunicError.self) {
      try Repository.clone(
        from: "/mnt/share", named: "origin", to: "/b/runic", deviceName: nil,
        unlock: .key(keys.newest.root, keys.repository), environment: c.environment)
    }
    #expect(try world.disk.status("/b/runic") == nil)
  }

  @Test func aPlaceThatHoldsARepositoryIsRefused() throws {
    let world = try World()
    let a = try world.shared()
    let run = a.run("clone", "/mnt/share", "--json")
    #expect(run.json["error"]?["code"] == "repository-exists")
  }
}
