import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport
import Testing

@testable import RunicCore
@testable import runic

@Suite struct RepoCheckTests {
  /// The files of the folder that machines share, by path.
  private static func files(_ world: World) throws -> [String: [UInt8]] { try world.disk.tree("/mnt/share") }

  /// Nothing brings it back by itself: a marker that came from anywhere would say which key is the right one.
  @Test func aMarkerThatIsGoneHereIsCopiedFromARemote() throws {
    let world = try World()
    let a = try world.shared()
    try world.disk.remove("/a/runic/store/runic.json")
    for command in [["fsck"], ["fsck", "--without-key"], ["pull"]] {
      let run = a.run(command)
      #expect(
        run.status == .damaged && run.err.contains("copy 'runic.json' there from a remote"), "\(run.err)")
    }
    try world.disk.setContents("/a/runic/store/runic.json", try world.disk.contents("/mnt/share/runic.json"))
    try a.expect(.done, "fsck")
  }

  @Test func aSoundRepositoryHasNoDamage() throws {
    let (a, b) = try World().cloned()
    try b.prefer("theme", "light")
    try b.expect(.done, "push")
    try a.expect(.done, "pull")
    for machine in [a, b] {
      let run = try machine.expect(.done, "fsck", "--json")
      #expect(run.json["damage"] == [])
      #expect(run.json["strangers"] == [])
      #expect(run.json["commits"] == 3)
      try machine.expect(.done, "fsck", "--without-key")
      try machine.expect(.done, "fsck", machine.name == "a" ? "home" : "origin")
    }
  }

  /// Everything in the folder has a digest that somebody knows: in its name, its key check, or its slot's record.
  @Test func everyChangedByteIsFoundAndNamed() throws {
    let world = try World()
    let repository = try world.shared().open()
    for (path, bytes) in try Self.files(world).sorted(by: { $0.key < $1.key }) {
      for index in stride(from: 0, to: bytes.count, by: 5) {
        var changed = bytes
        changed[index] ^= 1 << UInt8(index % 8)
        try world.disk.setContents("/mnt/share/\(path)", changed)
        #expect(Self.finds(path, by: repository), "byte \(index) of \(path)")
      }
      try world.disk.setContents("/mnt/share/\(path)", bytes)
    }
    #expect(try repository.check(remote: "home").damage == [])
  }

  @Test func everyCutIsFoundAndNamed() throws {
    let world = try World()
    let repository = try world.shared().open()
    for (path, bytes) in try Self.files(world).sorted(by: { $0.key < $1.key }) {
      for length in stride(from: 0, to: bytes.count, by: 7) {
        try world.disk.setContents("/mnt/share/\(path)", Array(bytes.prefix(length)))
        #expect(Self.finds(path, by: repository), "\(length) bytes of \(path)")
      }
      try world.disk.setContents("/mnt/share/\(path)", bytes)
    }
  }

  /// Whether a check names the file, or refuses the place because the marker is that of something else.
  private static func finds(_ path: String, by repository: Repository) -> Bool {
    do {
      return try repository.check(remote: "home").damage.contains { $0.path == path }
    } catch let error as RunicError {
      switch error {
      case .foreignRepository, .newerFormat: return path == "runic.json"
      default: return false
      }
    } catch { return false }
  }

  @Test func aChangedFileUnderItsNewNameIsFound() throws {
    let world = try World()
    let repository = try world.shared().open()
    for (path, bytes) in try Self.files(world).sorted(by: { $0.key < $1.key }) where path.contains("/") {
      guard let name = repository.name(ofPath: path), name.digest != nil else { continue }
      for index in stride(from: 0, to: bytes.count, by: 5) {
        var changed = bytes
        changed[index] ^= 1
        let forged = name.renamed(to: SHA256.hash(changed)).path
        try world.disk.remove("/mnt/share/\(path)")
        try world.disk.setContents("/mnt/share/\(forged)", changed)
        let report = try repository.check(remote: "home")
        let named = report.damage.map(\.path) + report.strangers + report.pending.map(\.path)
        #expect(named.contains(forged), "byte \(index) of \(path)")
        try world.disk.remove("/mnt/share/\(forged)")
        try world.disk.setContents("/mnt/share/\(path)", bytes)
      }
    }
  }

  @Test func filesInOthersPlacesAreStrangers() throws {
    let world = try World()
    let (a, b) = try world.cloned()
    try b.prefer("theme", "light")
    try b.expect(.done, "push")
    let device = try (a.open().deviceID.hex, b.open().deviceID.hex)
    let object = try #require(try world.disk.list("/mnt/share/devices/\(device.0)").first?.name)
    let bytes = try world.disk.contents("/mnt/share/devices/\(device.0)/\(object)")
    try world.disk.setContents("/mnt/share/devices/\(device.1)/\(object)", bytes)
    let head = try #require(
      try world.disk.list("/mnt/share/heads").first { $0.name.hasPrefix(device.0) }?.name)
    let moved = head.replacing(device.0, with: device.1)
    try world.disk.setContents(
      "/mnt/share/heads/\(moved)", try world.disk.contents("/mnt/share/heads/\(head)"))
    for stray in [
      ".DS_Store", "heads/\(head).sync-conflict-1", "keys/.nfs000", "devices/notes/x", "runic (1).json",
    ] {
      if stray.hasPrefix("devices/") { try world.disk.makeFolders("/mnt/share/devices/notes") }
      try world.disk.setContents("/mnt/share/\(stray)", [1])
    }
    let run = try a.expect(.done, "fsck", "home", "--json")
    let strangers = (run.json["strangers"]?.arrayValue ?? []).compactMap(\.textValue)
    #expect(
      strangers
        == [
          ".DS_Store", "devices/\(device.1)/\(object)", "devices/notes", "heads/\(head).sync-conflict-1",
          "heads/\(moved)", "keys/.nfs000", "runic (1).json",
        ].sorted())
    try a.expect(.done, "sync")
  }

  @Test func whatHasNotArrivedIsNoDamage() throws {
    let world = try World()
    let (a, b) = try world.cloned()
    try b.prefer("theme", "light")
    try b.expect(.done, "push")
    let folder = "/mnt/share/devices/\(try b.open().deviceID.hex)"
    let object = try #require(try world.disk.list(folder).first?.name)
    let bytes = try world.disk.contents("\(folder)/\(object)")
    try world.disk.remove("\(folder)/\(object)")
    let run = try a.expect(.done, "fsck", "home", "--json")
    #expect(run.json["pending"]?.arrayValue?.first?["path"]?.textValue?.hasSuffix(object) == true)
    try a.expect(.done, "pull")
    #expect(try a.expect(.waiting, "pull", "--strict", "--json").json["pending"]?.arrayValue?.count == 1)
    try a.expect(.done, "device", "retire", "B")
    try a.expect(.done, "pull", "--strict")
    try world.disk.setContents("\(folder)/\(object)", bytes)
    try a.expect(.done, "pull", "--strict")
    #expect(try a.preferences()?["theme"] == "light")
  }

  @Test func whatIsMissingThereAndHeldHereIsNamedWithItsCure() throws {
    let world = try World()
    let (a, b) = try world.cloned()
    try b.prefer("theme", "light")
    try b.expect(.done, "push")
    try a.expect(.done, "pull")
    let folder = "/mnt/share/devices/\(try b.open().deviceID.hex)"
    let object = try #require(try world.disk.list(folder).first?.name)
    try world.disk.remove("\(folder)/\(object)")
    let told = try a.expect(.done, "fsck", "home")
    #expect(told.out.contains("\(object), which this device holds"))
    #expect(told.err.contains("'runic push --repair home' brings back what is not on its way there"))
    let found = try a.expect(.done, "fsck", "home", "--json").json["pending"]?.arrayValue?.first
    #expect(found?["held"] == .bool(true))
    try a.expect(.done, "push", "--repair", "home")
    #expect(try a.expect(.done, "fsck", "home", "--json").json["pending"]?.arrayValue?.isEmpty == true)
  }

  @Test func aPullMendsWhatIsDamagedHere() throws {
    let world = try World()
    let (_, b) = try world.cloned()
    let device = try world.machine("a").open().deviceID.hex
    let path =
      "devices/\(device)/"
      + (try #require(try world.disk.list("/b/runic/store/devices/\(device)").first?.name))
    let bytes = try world.disk.contents("/b/runic/store/\(path)")
    try world.disk.setContents("/b/runic/store/\(path)", [UInt8](repeating: 0, count: bytes.count))
    let run = try b.expect(.damaged, "fsck", "--json")
    #expect(run.json["damage"]?.arrayValue?.first?["path"] == .text(path))
    #expect(try b.expect(.damaged, "fsck", "--without-key").out.contains(path))
    try b.expect(.done, "pull")
    #expect(try world.disk.contents("/b/runic/store/\(path)") == bytes)
    try b.expect(.done, "fsck")
  }

  @Test func aPushMendsWhatIsDamagedThere() throws {
    let world = try World()
    let a = try world.shared()
    for (path, bytes) in try Self.files(world) where path.contains("devices/") || path.contains("heads/") {
      try world.disk.setContents("/mnt/share/\(path)", [UInt8](repeating: 0, count: bytes.count))
      let found = try a.expect(.damaged, "fsck", "home")
      #expect(found.out.contains(path))
      #expect(found.err.contains("'runic push --repair home'"))
      try a.expect(.done, "push")
      #expect(try world.disk.contents("/mnt/share/\(path)") == bytes, "\(path)")
      try a.expect(.done, "fsck", "home")
    }
  }

  @Test func aRepairingPushPutsTheMarkerAndTheSlotsBack() throws {
    let world = try World()
    let a = try world.shared()
    let whole = try Self.files(world)
    let slot = try #require(whole.keys.first { $0.hasPrefix("keys/") })
    for path in ["runic.json", slot] {
      let zeros = [UInt8](repeating: 0, count: whole[path]?.count ?? 0)
      let long = [UInt8](repeating: 32, count: Limits.smallFile + 1)
      for bytes in [[], Array("{}".utf8), zeros, long, nil] {
        if let bytes {
          try world.disk.setContents("/mnt/share/\(path)", bytes)
        } else {
          try world.disk.remove("/mnt/share/\(path)")
        }
        let name = "\(path): \(bytes.map { "\($0.count) bytes" } ?? "gone")"
        if path == "runic.json" {
          let run = a.run("pull")
          #expect(run.status == (bytes == nil ? .failed : .damaged), "\(name)")
          #expect(run.err.contains("'runic push --repair'"), "\(name)")
        }
        let run = a.run("push", "--repair", "--json")
        #expect(run.json["mendedCount"] == 1, "\(name): \(run)")
        #expect(try Self.files(world) == whole, "\(name)")
        #expect(try a.expect(.done, "push", "--repair").out == "home: nothing to send\n", "\(name)")
      }
    }
    try world.disk.remove("/mnt/share/\(slot)")
    #expect(try a.expect(.done, "push", "--repair").out == "home: 1 file mended, nothing to send\n")
    try world.machine("c").expect(.done, "clone", "/mnt/share")
  }

  @Test func slotsAndKeyFilesOfANewerFormatAreNoDamage() throws {
    let world = try World()
    let a = try world.shared()
    let device = try a.open()
    let slot = try #require(try device.store.names(in: .keys).first)
    let text = String(decoding: try device.store.read(slot), as: UTF8.self)
    let id = try #require(slot.path.split(separator: "/").last?.prefix(32))
    let other = String(repeating: "7", count: 32)
    let named = text.replacing(id, with: other)
    let key = device.keys.newest.id.hex
    for (number, (path, text)) in [
      ("keys/\(other).json", named.replacing("\"format\":1", with: "\"format\":2")),
      ("keys/\(other).json", named.replacing("\"scrypt\"", with: "\"argon2id\"")),
      ("keys/\(other).json", named.replacing("131072", with: "262144")),
      ("keys/0000000000000009-\(key).json", #"{"format":2}"#),
    ].enumerated() {
      for tree in ["/mnt/share", "/a/runic/store"] {
        try world.disk.setContents("\(tree)/\(path)", Array(text.utf8))
      }
      for place in [[], ["home"]] {
        let run = a.run(["fsck"] + place)
        #expect(run.status == .done && run.out.contains("needs a newer runic: \(path)\n"), "\(text)")
        #expect(a.run(["fsck", "--json"] + place).json["newer"] == [.text(path)])
      }
      #expect(a.run("doctor").out.contains("; 1 key file needs a newer runic"))
      var b = world.machine("b")
      b.place = "/b/\(number)"
      try b.expect(.done, "clone", "/mnt/share")
      for tree in ["/mnt/share", "/a/runic/store"] { try world.disk.remove("\(tree)/\(path)") }
    }
  }

  @Test func aWrongIndexIsFoundAndMadeAnew() throws {
    let a = try World().shared()
    let name = RecordName(family: .keys, kind: BuiltInName.preferences, id: Array("user-preferences".utf8))
    try a.open().write { try $0.index.set(IndexKey.record(name), .remove) }
    #expect(try a.preferences() == nil)
    #expect(try a.expect(.damaged, "fsck", "--json").json["damage"]?.arrayValue?.first?["path"] == "index")
    #expect(try a.preferences()?["theme"] == "dark")
    try a.expect(.done, "fsck")
  }

  @Test func aMissingObjectOfItsOwnIsDamage() throws {
    let world = try World()
    let a = try world.shared()
    let folder = "/a/runic/store/devices/\(try a.open().deviceID.hex)"
    let objects = try world.disk.list(folder)
    for object in objects { try world.disk.remove("\(folder)/\(object.name)") }
    let run = try a.expect(.damaged, "fsck", "--json")
    let damage = (run.json["damage"]?.arrayValue ?? []).compactMap { $0["path"]?.textValue }
    #expect(
      Set(damage.compactMap { $0.split(separator: "/").last.map(String.init) }) == Set(objects.map(\.name)))
  }
}

extension Repository {
  /// The name that a path of the tree stands for.
  fileprivate func name(ofPath path: String) -> TreeName? {
    let parts = path.split(separator: "/").map(String.init)
    switch parts.first {
    case "heads": return TreeFolder.heads.entry(parts[1])
    case "devices": return DeviceID(hex: parts[1]).flatMap { TreeFolder.objects($0).entry(parts[2]) }
    default: return nil
    }
  }
}

extension TreeName {
  fileprivate func renamed(to digest: Digest) -> TreeName {
    switch self {
    case .head(let head): .head(HeadName(device: head.device, sequence: head.sequence, digest: digest))
    case .object(let device, _): .object(device, digest)
    case .marker, .slot, .keyFile: self
    }
  }
}
