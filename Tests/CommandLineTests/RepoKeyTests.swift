import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

@testable import runic

@Suite struct RepoKeyTests {
  @Test func aSlotIsMadeListedAndWithdrawnEverywhere() throws {
    let world = try World()
    let (a, b) = try world.cloned()
    let first = try #require(try a.expect(.done, "key", "list", "--json").json["slots"]?.arrayValue?.first)
    #expect(first["usable"] == true)
    #expect(first["added"]?.textValue != nil)
    let made = try a.with("RUNIC_PASSPHRASE", "another").expect(.done, "key", "add", "--json").json["slot"]
    let slot = try #require(made?.textValue)
    try a.expect(.done, "push")
    try b.expect(.done, "pull")
    for folder in ["/mnt/share/keys", "/b/runic/store/keys"] {
      #expect(try world.disk.list(folder).count == 2)
    }
    try world.machine("c").with("RUNIC_PASSPHRASE", "another").expect(.done, "clone", "/mnt/share")

    #expect(a.run("key", "remove", "zzzz").status == .failed)
    #expect(a.run("key", "remove", String(slot.prefix(3))).status == .failed)
    let removed = try a.expect(.done, "key", "remove", String(slot.prefix(8)), "--json")
    #expect(removed.json["left"] == 1)
    #expect(try world.disk.list("/a/runic/store/keys").count == 1)
    try a.expect(.done, "push")
    #expect(try world.disk.list("/mnt/share/keys").map(\.name) == ["\(first["slot"]?.textValue ?? "").json"])
    try b.expect(.done, "sync")
    #expect(try world.disk.list("/b/runic/store/keys").count == 1)
    #expect(try b.expect(.done, "key", "list", "--json").json["slots"]?.arrayValue?.count == 1)
    let last = try a.expect(.done, "key", "remove", first["slot"]?.textValue ?? "")
    #expect(last.err.contains("key export"))
  }

  @Test func theFirstSlotReachesARemoteThatWasThereBefore() throws {
    let world = try World()
    let a = world.machine("a")
    try a.expect(.done, "init")
    try a.expect(.done, "remote", "add", "home", "/mnt/share")
    #expect(world.machine("b").run("clone", "/mnt/share").status == .wrongKey)
    try a.expect(.done, "key", "add")
    try a.expect(.done, "push")
    try world.machine("b").expect(.done, "clone", "/mnt/share")
  }
}

/// A file of the real disk, since passphrases are read past the test's own.
private final class RealFile {
  let path: String

  init(_ text: String) throws {
    let random = Hexadecimal.encode(RandomSource.system.bytes(8))
    path = "/tmp/runic-passphrase-\(random)"
    try PosixFileSystem().writeDurably(Array(text.utf8), to: path, by: path + ".new", permissions: 0o600)
  }

  deinit { PosixFileSystem().removeLeftover(path) }
}

@Suite struct RepoKeyRotationTests {
  @Test func aRotatedKeyIsTakenWithThePassphrase() throws {
    let world = try World()
    let (a, b) = try world.cloned()
    let wrong = a.with("RUNIC_PASSPHRASE", "wrong").run("key", "rotate")
    #expect(wrong.status == .wrongKey && wrong.err.contains("runic: hint: try again; "))
    let rotated = try a.expect(.done, "key", "rotate", "--json").json
    #expect(rotated["number"] == 2)
    #expect(rotated["slots"]?.arrayValue?.count == 1)
    #expect(rotated["left"] == [])
    let key = try #require(rotated["key"]?.textValue)
    try a.prefer("theme", "dark")
    try a.expect(.done, "push")
    let waiting = try b.expect(.done, "pull")
    #expect(waiting.err.split(separator: "\n").count { $0.contains("not held here") } == 1)
    #expect(waiting.err.contains(key.prefix(8)) && waiting.err.contains("runic key add"))
    #expect(b.run("pull", "--strict").status == .waiting)
    #expect(b.run("status").out.hasSuffix("next: 'runic key add', then 'runic pull'\n"))
    let doctor = b.run("doctor").out.split(separator: "\n")
    #expect(doctor.count { $0.contains("not held here") } == 1)
    #expect(doctor.contains("      cure: runic key add, then runic pull"))
    let status = try b.expect(.done, "status", "--json").json["pending"]?.arrayValue
    #expect(status?.first?["key"]?.textValue == key)
    #expect(b.with("RUNIC_PASSPHRASE", "wrong").run("key", "add").status == .wrongKey)
    #expect(try b.expect(.done, "key", "add", "--json").json["keys"] == [.text(key)])
    try b.expect(.done, "pull", "--strict")
    #expect(try b.preferences()?["theme"] == "dark")
    #expect(try b.expect(.done, "fsck", "--json").json["damage"] == [])
  }

  @Test func aSlotWhosePassphraseIsNotGivenIsNamed() throws {
    let world = try World()
    let (a, _) = try world.cloned()
    let made = try a.with("RUNIC_PASSPHRASE", "another").expect(.done, "key", "add", "--json").json
    let slot = try #require(made["slot"]?.textValue)
    let rotated = try a.expect(.done, "key", "rotate")
    #expect(rotated.err.contains(slot))
    let alone = try a.expect(.done, "key", "rotate", "--no-slot")
    #expect(alone.err.contains("key export"))
  }

  @Test func aSlotOfAnOlderKeyIsMarked() throws {
    let world = try World()
    let (a, b) = try world.cloned()
    #expect(try !a.expect(.done, "key", "list").out.contains("before a rotation"))
    try a.expect(.done, "key", "rotate", "--no-slot")
    #expect(try a.expect(.done, "key", "list").out.contains("before a rotation"))
    let slots = try a.expect(.done, "key", "list", "--json").json["slots"]?.arrayValue
    #expect(slots?.map { $0["opensNewest"] } == [false])
    #expect(slots?.map { $0["usable"] } == [true])
    try a.expect(.done, "push")
    try b.expect(.done, "pull")
    let right = b.run("key", "add", "--json")
    #expect(right.status == .wrongKey && right.json["error"]?["code"] == "older-key")
    #expect(right.json["error"]?["hint"]?.textValue?.contains("key export") == true)
    #expect(
      b.with("RUNIC_PASSPHRASE", "wrong").run("key", "add", "--json").json["error"]?["code"] == "wrong-key")
    let path = try RealFile("fresh\n")
    let changed = try a.expect(.done, "key", "change-passphrase", "--new-passphrase-file", path.path)
    #expect(changed.err.contains("before the key was rotated"))
    try a.with("RUNIC_PASSPHRASE", "third").expect(.done, "key", "add")
    let again = a.with("RUNIC_PASSPHRASE", "third").run(
      "key", "change-passphrase", "--new-passphrase-file", path.path)
    #expect(again.status == .done && !again.err.contains("before the key was rotated"))
  }

  @Test func aKeyFileIsPutBackWithWhatWasExported() throws {
    let world = try World()
    let (a, _) = try world.cloned()
    let before = try world.disk.contents("/a/runic/repository.key")
    try a.expect(.done, "key", "rotate", "--no-slot")
    let exported = try RealFile(try a.expect(.done, "key", "export").out)
    let now = try world.disk.contents("/a/runic/repository.key")
    try a.prefer("theme", "light")
    for former in [before, nil, Array("junk".utf8)] {
      try world.disk.remove("/a/runic/repository.key")
      if let former { try world.disk.setContents("/a/runic/repository.key", former) }
      let refused = a.run("record", "preferences", "x=1")
      #expect(refused.status == (former == before ? .wrongKey : .damaged))
      #expect(refused.err.contains("repository.key") && refused.err.contains("runic key add"))
      if former == before {
        #expect(try a.expect(.done, "status").out.contains("next: 'runic key add' takes what"))
        #expect(a.run("doctor").out.contains("only 1 of the 2 keys"))
      }
      try a.expect(.done, "key", "add", "--key-file", exported.path)
      #expect(try world.disk.contents("/a/runic/repository.key") == now)
      try a.expect(.done, "record", "preferences", "x=1")
    }
    #expect(try a.preferences()?["theme"] == "light")
    // The slot's passphrase opens only what was there before: so much is put back, and the rest is named.
    try world.disk.remove("/a/runic/repository.key")
    let part = a.run("key", "add", "--json")
    #expect(part.status == .wrongKey && part.err.isEmpty && part.out.contains("keys-lost"))
  }

  /// A sync tool may bring heads before keys, and a file in part.
  @Test func aKeyWhoseFileHasNotArrivedIsNeitherHeldNorWrong() throws {
    let world = try World()
    let (a, b) = try world.cloned()
    try a.expect(.done, "key", "rotate")
    try a.prefer("theme", "light")
    try a.expect(.done, "push")
    let exported = try RealFile(try a.expect(.done, "key", "export").out)
    let names = try world.disk.list("/mnt/share/keys").map(\.name)
    let path = "/mnt/share/keys/" + (try #require(names.first { $0.hasPrefix("0000000000000002-") }))
    let whole = try world.disk.contents(path)
    for part in [nil, Array(whole.prefix(whole.count / 2))] {
      if part == nil { try world.disk.remove(path) }
      if let part { try world.disk.setContents(path, part) }
      #expect(try b.expect(.done, "pull").err.contains("which is not held here"))
      for flags in [[], ["--key-file", exported.path]] {
        let refused = b.run(["key", "add"] + flags)
        #expect(refused.status == .wrongKey && refused.out.isEmpty)
        #expect(refused.err.contains("has not arrived yet, or is damaged"))
        let clone = world.machine("c").run(["clone", "/mnt/share", "--json"] + flags)
        #expect(clone.status == .wrongKey && clone.json["error"]?["code"] == "key-file-absent")
      }
    }
    try world.disk.setContents(path, whole)
    try b.expect(.done, "key", "add", "--key-file", exported.path)
    #expect(try b.expect(.done, "key", "add", "--key-file", exported.path).out.contains("is held here"))
    try b.expect(.done, "pull", "--strict")
    #expect(try b.preferences()?["theme"] == "light")
    try world.machine("c").expect(.done, "clone", "/mnt/share")
  }

  @Test func aChangedPassphraseTakesTheOldOnesPlace() throws {
    let world = try World()
    let (a, _) = try world.cloned()
    let before = try a.expect(.done, "key", "list", "--json").json
    let path = try RealFile("fresh\n")
    let change = ["key", "change-passphrase", "--new-passphrase-file", path.path]
    #expect(a.with("RUNIC_PASSPHRASE", "wrong").run(change).status == .wrongKey)
    #expect(a.run(change).status == .done)
    #expect(try a.expect(.done, "key", "list", "--json").json != before)
    try a.expect(.done, "push")
    #expect(world.machine("c").run("clone", "/mnt/share").status == .wrongKey)
    try world.machine("d").with("RUNIC_PASSPHRASE", "fresh").expect(.done, "clone", "/mnt/share")
  }
}

@Suite struct RepoDeviceTests {
  @Test func devicesAreListedRenamedAndRetired() throws {
    let (a, b) = try World().cloned()
    try b.expect(.done, "device", "rename", "tower")
    try b.expect(.done, "push")
    try a.expect(.done, "pull")
    let devices = try a.expect(.done, "device", "list", "--json").lines
    #expect(Set(devices.compactMap { $0["name"]?.textValue }) == ["A", "tower"])
    #expect(devices.filter { $0["current"] == true }.map { $0["name"] } == ["A"])
    let id = try b.open().deviceID.hex
    try a.expect(.done, "device", "retire", String(id.prefix(6)))
    let retired = try a.expect(.done, "device", "list", "--json").lines.filter { $0["retired"] == true }
    #expect(retired.map { $0["device"] } == [.text(id)])
    try a.expect(.done, "device", "retire", "tower", "--undo")
    #expect(try a.expect(.done, "device", "list", "--json").lines.allSatisfy { $0["retired"] == false })
    #expect(a.run("device", "retire", "nobody").status == .failed)
    #expect(a.run("device", "retire", "A", "--json").json["error"]?["code"] == "own-device")
    #expect(a.run("device", "rename", "").status == .usage)
  }

  @Test func theLogIsShownNewestFirst() throws {
    let (a, b) = try World().cloned()
    try b.prefer("theme", "light")
    try b.prefer("theme", "dim")
    try b.expect(.done, "push")
    try a.expect(.done, "pull")
    let log = try a.expect(.done, "reflog", "B", "--json").lines
    #expect(log.map { $0["sequence"] } == [2, 1])
    #expect(log.first?["heads"]?.arrayValue?.count == 1)
    #expect(try a.expect(.done, "reflog", "-n", "1", "--json").lines.count == 1)
    #expect(a.run("reflog", "nobody").status == .failed)
    let head = try #require(log.first?["heads"]?.arrayValue?.first?.textValue)
    let content = try a.expect(.done, "cat-object", head).json
    #expect(content["commit"]?["hash"] == log.first?["commit"])
    let object = try #require(content["objects"]?.arrayValue?.last?["sha256"]?.textValue)
    let commits = try a.expect(.done, "cat-object", String(object.prefix(12))).lines
    #expect(commits.last?["sequence"] == 2)
    #expect(commits.allSatisfy { $0["changes"]?.arrayValue?.isEmpty == false })
    #expect(a.run("cat-object", "0").status == .failed)
  }
}

@Suite struct RepoConfigTests {
  @Test func settingsAreChecked() throws {
    let a = try World().shared()
    #expect(a.run("config", "get", "sync.strategy").status == .failed)
    try a.expect(.done, "config", "set", "sync.strategy", "manual")
    #expect(try a.expect(.done, "config", "get", "sync.strategy").out == "manual\n")
    #expect(try a.expect(.done, "config", "list", "--json").out == "{\"sync.strategy\":\"manual\"}\n")
    for (key, value) in [
      ("sync.strategy", "newest"), ("remote.home.timeout", "0"), ("remote.home.timeout", "x"),
      ("sync.strat", "manual"),
    ] {
      #expect(a.run("config", "set", key, value).status == .usage, "\(key)")
    }
    #expect(a.run("config", "set", "sync.strategi", "manual").err.contains("sync.strategy"))
    #expect(a.run("config", "set", "remote.other.timeout", "5").status == .failed)
    try a.expect(.done, "config", "set", "remote.home.timeout", "5")
    try a.expect(.done, "config", "unset", "sync.strategy")
    #expect(try a.expect(.done, "config", "list").out == "remote.home.timeout=5\n")
  }

  @Test func aSettingByHandThatSaysNothingIsNamed() throws {
    let world = try World()
    let a = try world.shared()
    try a.expect(.done, "config", "set", "sync.strategy", "manual")
    let before = String(decoding: try world.disk.contents("/a/runic/config.json"), as: UTF8.self)
    let written = before.replacing(#""manual""#, with: #""newest","hooks.timeuot":5,"hooks.timeout":5"#)
    try world.disk.setContents("/a/runic/config.json", Array(written.utf8))
    #expect(try a.expect(.done, "config", "get", "hooks.timeout").out == "5\n")
    for key in ["hooks.timeuot", "sync.strategy"] {
      #expect(a.run("doctor").out.contains("'\(key)' counts as not set"))
      try a.expect(.done, "config", "unset", key)
    }
    #expect(!a.run("doctor").out.contains("counts as not set"))
    #expect(try a.expect(.done, "config", "list").out == "hooks.timeout=5\n")
  }

  @Test func aKeyCommandThatDoesNotOpenTheRepositoryIsTakenBack() throws {
    let a = try World().machine("a")
    try a.expect(.done, "init")
    #expect(a.run("config", "set", "key.command", "echo no").status == .usage)
    #expect(a.run("config", "set", "key.command", "exit 3").status == .failed)
    let zeros = String(repeating: "0", count: 64)
    #expect(a.run("config", "set", "key.command", "echo \(zeros)").status == .wrongKey)
    #expect(try a.expect(.done, "config", "list").out == "")
    let key = try a.open().repositoryKeys.newest.root.withUnsafeBytes { Hexadecimal.encode($0) }
    try a.expect(.done, "config", "set", "key.command", "echo \(key)")
    try a.expect(.done, "status")
  }

  @Test func aKeyCommandTakesThePlaceOfTheFile() throws {
    let world = try World()
    let a = try world.shared()
    let key = try a.expect(.done, "key", "export").out.split(separator: "\n").joined()
    let path = "/a/runic/repository.key"
    let kept = try world.disk.contents(path)
    #expect(a.run("config", "set", "key.command", "false").status == .failed)
    #expect(try world.disk.contents(path) == kept)
    let set = try a.expect(.done, "config", "set", "key.command", "echo \(key)")
    #expect(set.out.contains("repository.key, whose keys it prints, is removed"))
    #expect(try world.disk.list("/a/runic").allSatisfy { !$0.name.hasPrefix("repository.key") })
    #expect(try !a.expect(.done, "config", "set", "key.command", "echo  \(key)").out.contains("removed"))
    #expect(!a.run("doctor").out.contains("in clear"))

    // What an earlier version left, or a broken one.
    for (text, isRemoved) in [(kept, true), (Array("junk".utf8), false)] {
      try world.disk.setContents(path, text)
      #expect(a.run("doctor").out.contains("'\(path)' holds keys in clear"))
      try a.expect(.done, "config", "set", "key.command", "echo \(key)")
      #expect(try (world.disk.status(path) == nil) == isRemoved)
    }
  }

  @Test func aKeyCommandPrintsWhatIsExported() throws {
    let world = try World()
    let (a, b) = try world.cloned()
    let old = try a.expect(.done, "key", "export").out.split(separator: "\n").joined()
    try a.expect(.done, "key", "rotate")
    let new = try a.expect(.done, "key", "export").out.split(separator: "\n").joined()
    let fewer = a.run("config", "set", "key.command", "echo \(old)", "--json")
    #expect(fewer.status == .wrongKey && fewer.json["error"]?["code"] == "keys-lost")
    #expect(try a.expect(.done, "config", "list").out == "")
    #expect(try world.disk.status("/a/runic/repository.key") != nil)
    try a.expect(.done, "config", "set", "key.command", "echo \(new)")
    try a.expect(.done, "record", "preferences", "x=1")
    try a.expect(.done, "push")

    try b.expect(.done, "config", "set", "key.command", "echo \(old)")
    try b.expect(.done, "pull")
    #expect(try b.expect(.done, "status").out.contains("next: let key.command print the new key as well"))
    #expect(b.run("doctor").out.contains("cure: let key.command print the new key as well"))
    let notYet = b.run("key", "add")
    #expect(notYet.status == .wrongKey && notYet.err.contains("runic key export"))
    try b.expect(.done, "config", "set", "key.command", "echo \(old); echo \(new)")
    try b.expect(.done, "key", "add")
    #expect(try b.expect(.done, "pull", "--strict").status == .done)
    #expect(try b.expect(.done, "get", "preferences", "user-preferences", "x").out == "1\n")
  }

  @Test func aKeyCommandIsTakenBackIntoTheFile() throws {
    let world = try World()
    let a = try world.shared()
    let key = try a.expect(.done, "key", "export").out.split(separator: "\n").joined()
    let kept = try world.disk.contents("/a/runic/repository.key")
    try a.expect(.done, "config", "set", "key.command", "echo \(key)")
    #expect(a.run("key", "rotate").err.contains("config unset key.command"))
    try a.expect(.done, "config", "unset", "key.command")
    #expect(try world.disk.contents("/a/runic/repository.key") == kept)
    try a.expect(.done, "key", "rotate")

    // Also where the command is of no use any more: what was exported is, then.
    let exported = try RealFile(try a.expect(.done, "key", "export").out)
    var file: RealFile? = try RealFile(try a.expect(.done, "key", "export").out)
    try a.expect(.done, "config", "set", "key.command", "cat \(file?.path ?? "")")
    file = nil
    #expect(a.run("status").status == .failed)
    let unset = try a.expect(.done, "config", "unset", "key.command")
    #expect(unset.err.contains("repository.key' is missing") && unset.err.contains("runic key add"))
    try a.expect(.done, "key", "add", "--key-file", exported.path)
    try a.expect(.done, "status")
  }

  @Test func anotherRepositorysKeyFileIsPutRight() throws {
    let world = try World()
    let a = try world.shared()
    let kept = try world.disk.contents("/a/runic/repository.key")
    try world.disk.remove("/a/runic/repository.key")
    try world.disk.setContents(
      "/a/runic/repository.key", Array((String(repeating: "7", count: 64) + "\n").utf8))
    let run = a.run("status")
    #expect(run.status == .wrongKey && run.err.contains("hint: 'runic key add' puts it back"), "\(run.err)")
    try a.expect(.done, "key", "add")
    #expect(try world.disk.contents("/a/runic/repository.key") == kept)
  }
}
