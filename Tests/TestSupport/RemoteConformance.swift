import ObjectStore

/// The contract of `Remote`, sentence by sentence: every kind of remote is run through all checks, each in a
/// fresh place. A check throws `ContractBroken` where a promise is not kept.
public struct RemoteConformance: Sendable, CustomStringConvertible {
  public let name: String
  public let run: @Sendable (any RemotePlace) throws -> Void
  public var description: String { name }

  public static let checks: [RemoteConformance] = reading + fetching + writing + making

  static let reading: [RemoteConformance] = [
    check("a missing place is unreachable") { bench in
      let reason = try bench.reason { _ = try bench.remote.marker() }
      try demand(reason == .unreachable, ".unreachable", "\(reason)")
    },
    check("an empty place is empty") { bench in
      try bench.place.makeEmpty()
      let reason = try bench.reason { _ = try bench.remote.marker() }
      try demand(reason == .empty, ".empty", "\(reason)")
    },
    check("what an interrupted create left is empty") { bench in
      for folder in ["keys", "heads", "devices"] { try bench.place.put(.folder, at: folder) }
      let slot = RemoteBench.slot(1)
      try bench.place.put(.file(slot.bytes), at: slot.name.path)
      try bench.place.put(.file([1]), at: ".runic-\(RemoteBench.mine.hex)-00")
      let reason = try bench.reason { _ = try bench.remote.marker() }
      try demand(reason == .empty, ".empty", "\(reason)")
    },
    check("a place with something else is no repository") { bench in
      try bench.place.put(.file([1]), at: "photo.jpg")
      let reason = try bench.reason { _ = try bench.remote.marker() }
      try demand(reason == .notARepository, ".notARepository", "\(reason)")
    },
    check("a tree that lost its marker is no repository") { bench in
      let head = RemoteBench.head(1)
      try bench.place.put(.file(head.bytes), at: head.name.path)
      for folder in ["keys", "devices"] { try bench.place.put(.folder, at: folder) }
      let reason = try bench.reason { _ = try bench.remote.marker() }
      try demand(reason == .notARepository, ".notARepository", "\(reason)")
    },
    check("the marker comes byte for byte, up to its limit") { bench in
      let bytes = [UInt8](repeating: 7, count: Limits.smallFile)
      try bench.place.put(.file(bytes), at: "runic.json")
      try demand(try bench.remote.marker() == bytes, "the marker's bytes", "others")
      try bench.place.put(.file(bytes + [7]), at: "runic.json")
      let length = try bench.remote.marker().count
      try demand(length > Limits.smallFile, "more bytes than a marker may have", "\(length)")
    },
    check("a marker that is no plain file is none") { bench in
      for thing in bench.place.oddities {
        try bench.place.put(thing, at: "runic.json")
        let reason = try bench.reason { _ = try bench.remote.marker() }
        try demand(reason == .notARepository, "\(thing): .notARepository", "\(reason)")
      }
    },
    check("slots come byte for byte; odd ones and larger ones are left out") { bench in
      try demand(try bench.remote.keys().isEmpty, "a missing folder has none", "some")
      let sizes = [0, 80, Limits.smallFile, Limits.smallFile + 1]
      for (number, size) in sizes.enumerated() {
        let bytes = [UInt8](repeating: UInt8(number), count: size)
        try bench.place.put(.file(bytes), at: RemoteBench.slot(UInt8(number)).name.path)
      }
      for (number, thing) in bench.place.oddities.enumerated() {
        try bench.place.put(thing, at: RemoteBench.slot(UInt8(10 + number)).name.path)
      }
      try bench.place.put(.file([1]), at: "keys/README")
      let slots = try bench.remote.keys().sorted { $0.value.count < $1.value.count }
      try demand(slots.map(\.value.count) == Array(sizes[..<3]), "three", "\(slots.map(\.value.count))")
      for (number, slot) in slots.enumerated() {
        try demand(slot.key == RemoteBench.slot(UInt8(number)).name, "under its id", "\(slot.key)")
        try demand(slot.value.allSatisfy { $0 == UInt8(number) }, "its bytes", "others")
      }
      try demand(try bench.place.local.list(bench.place.scratch).isEmpty, "no trace on this side", "some")
    },
    check("lists name and length of what the grammar knows, and nothing else") { bench in
      try bench.place.put(.file([1, 2]), at: "runic.json")
      let known = [RemoteBench.head(1), RemoteBench.object(2), RemoteBench.slot(3)]
      for item in known { try bench.place.put(.file(item.bytes), at: item.name.path) }
      for path in Self.strange { try bench.place.put(.file([9]), at: path) }
      let listed = try bench.remote.list([.root, .keys, .heads, .devices, .objects(RemoteBench.mine)])
      let expected = known.map { RemoteEntry(name: $0.name, length: Int64($0.bytes.count)) }
      let marker = RemoteEntry(name: .marker, length: 2)
      try demand(Set(listed) == Set(expected + [marker]), "the four files", "\(listed)")
      try demand(listed.count == 4, "each once", "\(listed.count)")
    },
    check("lists only the folders that were asked for") { bench in
      for item in [RemoteBench.head(1), RemoteBench.object(2), RemoteBench.slot(3)] {
        try bench.place.put(.file(item.bytes), at: item.name.path)
      }
      try demand(try bench.remote.list([.heads]).map(\.name) == [RemoteBench.head(1).name], "heads", "")
      try demand(try bench.remote.list([]).isEmpty, "nothing", "something")
    },
    check("a missing folder has no files") { bench in
      try bench.place.makeEmpty()
      let listed = try bench.remote.list([.keys, .heads, .objects(RemoteBench.other)])
      let strangers = try bench.remote.strangers(in: [.keys, .heads, .devices])
      try demand(listed.isEmpty && strangers.isEmpty, "nothing", "\(listed) \(strangers)")
      try demand(try bench.remote.devices().isEmpty, "no devices", "some")
    },
    check("a damaged file is listed as it lies") { bench in
      let object = RemoteBench.object(1)
      try bench.place.put(.file(Array(object.bytes[..<5])), at: object.name.path)
      let listed = try bench.remote.list([object.name.folder])
      try demand(listed == [RemoteEntry(name: object.name, length: 5)], "its true length", "\(listed)")
    },
    check("strangers are listed by path, and untouched") { bench in
      for path in Self.strange { try bench.place.put(.file([9]), at: path) }
      let head = RemoteBench.head(1)
      try bench.place.put(.file(head.bytes), at: head.name.path)
      let folders = [TreeFolder.root, .keys, .heads, .devices, .objects(RemoteBench.mine)]
      let listed = try bench.remote.strangers(in: folders)
      try demand(listed == Self.strange.sorted(), "\(Self.strange.sorted())", "\(listed)")
      try bench.remote.removeLeftovers(in: folders)
      let left = try bench.place.paths().filter { $0 != head.name.path }
      try demand(left == Self.strange.sorted(), "all still there", "\(left)")
    },
    check("what bears a file's name and is none is a stranger") { bench in
      for (number, thing) in bench.place.oddities.enumerated() {
        let head = RemoteBench.head(UInt8(number))
        try bench.place.put(thing, at: head.name.path)
        let listed = try bench.remote.list([.heads])
        try demand(listed.isEmpty, "\(thing) is not listed", "\(listed)")
        let strangers = try bench.remote.strangers(in: [.heads])
        try demand(strangers.contains(head.name.path), "\(thing) is a stranger", "\(strangers)")
      }
    },
    check("devices are those with a folder") { bench in
      try bench.place.put(.folder, at: "devices/\(RemoteBench.mine.hex)")
      try bench.place.put(.folder, at: "devices/\(RemoteBench.other.hex)")
      try bench.place.put(.folder, at: "devices/\(RemoteBench.other.hex) (copy)")
      try bench.place.put(.file([]), at: "devices/\(RemoteBench.repository.hex)")
      let devices = try bench.remote.devices()
      try demand(Set(devices) == [RemoteBench.mine, RemoteBench.other], "two", "\(devices)")
      try demand(devices.count == 2, "each once", "\(devices.count)")
    },
  ]

  /// Names that sync tools, other programs and other devices leave in a shared folder.
  static let strange: [String] = {
    let head = RemoteBench.head(5).name.path
    let object = RemoteBench.object(6).name.path
    return [
      ".DS_Store", "runic (conflicted copy).json", "heads/.nfs0000000012345", "heads/desktop.ini",
      "\(head) (conflicted copy)", "\(head).sync-conflict-20260101-000000-ABCDEFG", "\(object).part",
      "devices/.stfolder", "keys/README", "keys/.runic-\(RemoteBench.other.hex)-0011223344556677",
      "heads/.runic-\(RemoteBench.other.hex)-0011223344556677",
    ]
  }()

  static func check(
    _ name: String, _ body: @escaping @Sendable (RemoteBench) throws -> Void
  ) -> RemoteConformance {
    RemoteConformance(name: name) { try body(RemoteBench($0)) }
  }

  static func checkCreated(
    _ name: String, _ body: @escaping @Sendable (RemoteBench) throws -> Void
  ) -> RemoteConformance {
    RemoteConformance(name: name) { try body(try RemoteBench.created($0)) }
  }
}
