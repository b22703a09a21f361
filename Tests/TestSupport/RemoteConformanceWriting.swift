import ObjectStore

extension RemoteConformance {
  static let fetching: [RemoteConformance] = [
    checkCreated("fetches byte for byte, in one batch") { bench in
      let samples = [RemoteBench.head(1), RemoteBench.object(2, of: RemoteBench.other), RemoteBench.slot(3)]
      for item in samples { try bench.place.put(.file(item.bytes), at: item.name.path) }
      let fetched = try bench.fetch(samples.map(\.name) + [.marker])
      for item in samples { try demand(fetched[item.name] == item.bytes, "its bytes", item.name.path) }
      try demand(fetched[.marker] == Array("marker\n".utf8), "the marker", "another")
    },
    checkCreated("fetches more than one piece") { bench in
      var random = SeededRandom(seed: 1)
      let bytes = random.bytes(700_001)
      let name = TreeName.object(RemoteBench.mine, SHA256.hash(bytes))
      try bench.remote.add([try bench.file(name, bytes)])
      try demand(try bench.place.contents(name.path) == bytes, "the bytes there", "others")
      try demand(try bench.fetch([name])[name] == bytes, "the bytes back", "others")
    },
    checkCreated("leaves out what is missing, and goes on") { bench in
      let there = RemoteBench.head(2)
      try bench.place.put(.file(there.bytes), at: there.name.path)
      let absent = RemoteBench.object(3, of: RemoteBench.other).name
      let fetched = try bench.fetch([RemoteBench.head(1).name, absent, there.name])
      try demand(fetched == [there.name: there.bytes], "only that one", "\(fetched.keys)")
    },
    checkCreated("leaves out what is no plain file, and goes on") { bench in
      let things = bench.place.oddities
      let odd = things.indices.map { RemoteBench.head(UInt8($0)).name }
      for (name, thing) in zip(odd, things) { try bench.place.put(thing, at: name.path) }
      let there = RemoteBench.head(9)
      try bench.place.put(.file(there.bytes), at: there.name.path)
      let fetched = try bench.fetch(odd + [there.name])
      try demand(fetched == [there.name: there.bytes], "only that one", "\(fetched.keys)")
    },
    checkCreated("leaves out what is longer than its sort may be") { bench in
      let (fits, over) = (RemoteBench.head(1).name, RemoteBench.head(2).name)
      try bench.place.put(.file([UInt8](repeating: 1, count: Limits.headFile)), at: fits.path)
      try bench.place.put(.file([UInt8](repeating: 1, count: Limits.headFile + 1)), at: over.path)
      let fetched = try bench.fetch([over, fits])
      try demand(fetched.keys.map { $0 } == [fits], "only the one at the limit", "\(fetched.keys)")
    },
    checkCreated("hands over damaged bytes as they are") { bench in
      let object = RemoteBench.object(1)
      try bench.place.put(.file([]), at: object.name.path)
      let fetched = try bench.fetch([object.name])
      try demand(fetched == [object.name: []], "an empty file", "\(fetched)")
    },
  ]

  static let writing: [RemoteConformance] = [
    checkCreated("adds what is missing, and says so") { bench in
      let samples = [RemoteBench.object(1), RemoteBench.object(2), RemoteBench.head(3), RemoteBench.slot(4)]
      let written = try bench.remote.add(samples.map { try bench.file($0) })
      try demand(written == samples.map(\.name), "all four", "\(written)")
      let paths = try bench.paths()
      try demand(paths == samples.map(\.name.path).sorted(), "no other file stays", "\(paths)")
      for item in samples {
        try demand(try bench.place.contents(item.name.path) == item.bytes, "its bytes", item.name.path)
      }
      try demand(try bench.remote.devices() == [RemoteBench.mine], "the device's folder", "")
    },
    checkCreated("adds once") { bench in
      let file = try bench.file(RemoteBench.object(1))
      try bench.remote.add([file])
      let again = try bench.remote.add([file])
      try demand(again.isEmpty, "nothing written", "\(again)")
      try demand(try bench.paths().count == 1, "one file", "\(try bench.paths())")
    },
    checkCreated("leaves a file of full length as it is, whatever it holds") { bench in
      let object = RemoteBench.object(1)
      let foreign = [UInt8](repeating: 0xee, count: object.bytes.count)
      try bench.place.put(.file(foreign), at: object.name.path)
      let written = try bench.remote.add([try bench.file(object)])
      try demand(written.isEmpty, "nothing written", "\(written)")
      try demand(try bench.place.contents(object.name.path) == foreign, "left", "overwritten")
    },
    checkCreated("a file of another length counts as absent") { bench in
      let object = RemoteBench.object(1)
      for length in [0, 1, object.bytes.count - 1, object.bytes.count + 1] {
        try bench.place.put(.file([UInt8](repeating: 1, count: length)), at: object.name.path)
        let written = try bench.remote.add([try bench.file(object)])
        try demand(written == [object.name], "length \(length): written", "\(written)")
        try demand(try bench.place.contents(object.name.path) == object.bytes, "whole", "\(length)")
      }
    },
    checkCreated("a link or a pipe in a file's place is replaced, not followed") { bench in
      for (number, thing) in bench.place.oddities.filter({ $0 != .folder }).enumerated() {
        let object = RemoteBench.object(UInt8(number))
        try bench.place.put(thing, at: object.name.path)
        let written = try bench.remote.add([try bench.file(object)])
        try demand(written == [object.name], "\(thing): written", "\(written)")
        try demand(try bench.place.contents(object.name.path) == object.bytes, "\(thing): whole", "")
      }
    },
    checkCreated("a folder in a file's place is an error, and stays") { bench in
      guard bench.place.oddities.contains(.folder) else { return }
      let object = RemoteBench.object(1)
      try bench.place.put(.folder, at: object.name.path)
      try bench.place.put(.file([1]), at: object.name.path + "/inside")
      let reason = try bench.reason { try bench.remote.add([try bench.file(object)]) }
      try demand(reason == .failed, ".failed", "\(reason)")
      let left = try bench.paths()
      try demand(left == [object.name.path + "/inside"], "as it was", "\(left)")
    },
    checkCreated("replaces a damaged file of full length") { bench in
      let head = RemoteBench.head(1)
      try bench.place.put(.file([UInt8](repeating: 0, count: head.bytes.count)), at: head.name.path)
      try bench.remote.replace([try bench.file(head)])
      try demand(try bench.place.contents(head.name.path) == head.bytes, "whole", "damaged")
      try demand(try bench.paths() == [head.name.path], "nothing beside it", "\(try bench.paths())")
    },
    checkCreated("replaces a damaged marker, and makes one that is gone") { bench in
      let head = RemoteBench.head(1)
      try bench.place.put(.file(head.bytes), at: head.name.path)
      let whole = Array("marker\n".utf8)
      let marker = try bench.file(.marker, whole)
      for length in [whole.count, 0, whole.count + 1] {
        try bench.place.put(.file([UInt8](repeating: 0, count: length)), at: TreeName.marker.path)
        try bench.remote.replace([marker])
        try demand(try bench.place.contents(TreeName.marker.path) == whole, "whole", "length \(length)")
      }
      try bench.remote.remove([.marker])
      let reason = try bench.reason { _ = try bench.remote.marker() }
      try demand(reason == .notARepository, ".notARepository", "\(reason)")
      try bench.remote.create([marker])
      try demand(try bench.remote.marker() == whole, "the marker", "another")
      try demand(try bench.place.contents(head.name.path) == head.bytes, "the head as it was", "another")
    },
    checkCreated("replaces what is missing") { bench in
      let object = RemoteBench.object(1, of: RemoteBench.other)
      try bench.remote.replace([try bench.file(object)])
      try demand(try bench.place.contents(object.name.path) == object.bytes, "there", "missing")
    },
    checkCreated("a file of this side that is missing, or of another length, is never sent") { bench in
      let object = RemoteBench.object(1)
      let file = try bench.file(object)
      let longer = LocalFile(name: file.name, path: file.path, length: file.length + 1)
      let missing = LocalFile(name: file.name, path: file.path + "-missing", length: file.length)
      for wrong in [longer, missing] {
        for send in [{ try bench.remote.add([$0]) }, { try bench.remote.replace([$0]) }] as [Send] {
          let reason = try bench.reason { try send(wrong) }
          try demand(reason == .failed, ".failed", "\(reason)")
        }
      }
      try demand(try bench.paths().isEmpty, "nothing there", "\(try bench.paths())")
    },
    checkCreated("removes what is named and nothing else") { bench in
      let samples = (1...4).map { RemoteBench.object($0) } + [RemoteBench.head(5), RemoteBench.head(6)]
      try bench.remote.add(samples.map { try bench.file($0) })
      try bench.place.put(.file([1]), at: samples[0].name.path + ".bak")
      try bench.remote.remove([samples[0].name, samples[4].name])
      let left = samples[1...3].map(\.name.path) + [samples[5].name.path, samples[0].name.path + ".bak"]
      try demand(try bench.paths() == left.sorted(), "\(left)", "\(try bench.paths())")
    },
    checkCreated("removing what is not there is no error") { bench in
      let there = RemoteBench.object(2)
      try bench.remote.add([try bench.file(there)])
      let absent = [RemoteBench.head(1).name, RemoteBench.object(1, of: RemoteBench.other).name]
      try bench.remote.remove(absent + [there.name])
      try demand(try bench.paths().isEmpty, "those after it are removed", "\(try bench.paths())")
    },
    checkCreated("leftovers of this side go, those of others stay") { bench in
      let folders = [TreeFolder.root, .keys, .heads, .objects(RemoteBench.mine)]
      func leftovers(_ device: DeviceID) -> [String] {
        folders.map { ($0.path.isEmpty ? "" : $0.path + "/") + ".runic-\(device.hex)-00112233" }
      }
      let all = leftovers(RemoteBench.mine) + leftovers(RemoteBench.other)
      for path in all { try bench.place.put(.file([1]), at: path) }
      let head = RemoteBench.head(1)
      try bench.remote.add([try bench.file(head)])
      try bench.remote.removeLeftovers(in: [.heads])
      let one = try bench.paths().filter { $0.contains(RemoteBench.mine.hex + "-00112233") }
      try demand(one.count == 3, "only in the folders named", "\(one)")
      try bench.remote.removeLeftovers(in: folders)
      let left = (leftovers(RemoteBench.other) + [head.name.path]).sorted()
      try demand(try bench.paths() == left, "\(left)", "\(try bench.paths())")
    },
    checkCreated("trying to write leaves nothing") { bench in
      let head = try bench.file(RemoteBench.head(1))
      try bench.remote.add([head])
      try bench.remote.tryWriting()
      try demand(try bench.paths() == [head.name.path], "as it was", "\(try bench.paths())")
    },
    checkCreated("publishes and removes in one") { bench in
      let old = [RemoteBench.head(1), RemoteBench.object(2)]
      try bench.remote.add(try old.map { try bench.file($0) })
      let new = [RemoteBench.head(3), RemoteBench.slot(4)]
      let files = try new.map { try bench.file($0) }
      let absent = RemoteBench.object(9).name
      let written = try bench.remote.publish(files, replacing: [], removing: old.map(\.name) + [absent])
      try demand(written == new.map(\.name), "both", "\(written)")
      try demand(try bench.paths() == new.map(\.name.path).sorted(), "only the new", "\(try bench.paths())")
    },
    checkCreated("a look brings the marker, all heads, and the bytes of new ones") { bench in
      let samples = [RemoteBench.head(1), RemoteBench.head(2), RemoteBench.head(3)]
      try bench.remote.add(try samples.map { try bench.file($0) })
      guard case .head(let kept) = samples[0].name else { return }
      let known = KnownHeads(contains: { $0 == kept }, lengths: { [kept: Int64(samples[0].bytes.count)] })
      let target = "\(bench.place.scratch)/look"
      try bench.place.local.makeDirectories(target, permissions: 0o700)
      let sight = try bench.remote.look(known: known) { target }
      try demand(sight.marker == Array("marker\n".utf8), "the marker", "\(sight.marker)")
      let lengths = Set(sight.heads.map { RemoteEntry(name: .head($0.key), length: $0.value) })
      let expected = Set(samples.map { RemoteEntry(name: $0.name, length: Int64($0.bytes.count)) })
      try demand(lengths == expected, "\(expected)", "\(lengths)")
      try demand(Set(sight.fetched.map(\.name)) == Set(samples[1...].map(\.name)), "the new ones", "others")
      for file in sight.fetched {
        let bytes = try bench.place.local.read(file.path, limit: Limits.headFile)
        try demand(SHA256.hash(bytes) == file.name.digest, "whole", file.path)
      }
      let lying = try bench.place.local.list(target).count
      try demand(lying == 2, "nothing else lies there", "\(lying)")
    },
    checkCreated("two devices add side by side") { bench in
      let there = bench.place.remote(for: RemoteBench.other)
      let (mine, other) = (RemoteBench.object(1), RemoteBench.object(1, of: RemoteBench.other))
      try bench.remote.add([try bench.file(mine)])
      try there.add([try bench.file(other), try bench.file(mine)])
      try demand(try bench.paths() == [mine, other].map(\.name.path).sorted(), "both, each once", "")
      try demand(
        Set(try there.devices()) == [RemoteBench.mine, RemoteBench.other], "both devices", "")
    },
  ]

  private typealias Send = (LocalFile) throws -> Void

  static let making: [RemoteConformance] = [
    check("a write never makes a tree in a missing place") { bench in
      for item in [RemoteBench.object(1), RemoteBench.head(1), RemoteBench.slot(1)] {
        let reason = try bench.reason { try bench.remote.add([try bench.file(item)]) }
        try demand(reason == .unreachable, "\(item.name): .unreachable", "\(reason)")
      }
      let reason = try bench.reason { _ = try bench.remote.marker() }
      try demand(reason == .unreachable, "still missing", "\(reason)")
    },
    check("a write never makes a tree in an empty place") { bench in
      try bench.place.makeEmpty()
      for item in [RemoteBench.object(1), RemoteBench.head(1), RemoteBench.slot(1)] {
        let reason = try bench.reason { try bench.remote.replace([try bench.file(item)]) }
        try demand(reason == .unreachable, "\(item.name): .unreachable", "\(reason)")
      }
      let reason = try bench.reason { _ = try bench.remote.marker() }
      try demand(reason == .empty, "still empty", "\(reason)")
    },
    check("creates the tree in a missing place") { try create(in: $0) },
    check("creates the tree in an empty place") { bench in
      try bench.place.makeEmpty()
      try create(in: bench)
    },
    check("creates the tree where an interrupted create began") { bench in
      try bench.place.put(.folder, at: "keys")
      try bench.place.put(.file([1, 2]), at: RemoteBench.slot(1).name.path)
      try create(in: bench)
    },
  ]

  private static func create(in bench: RemoteBench) throws {
    let slot = RemoteBench.slot(1)
    let marker = Array("{}\n".utf8)
    try bench.remote.create([try bench.file(.marker, marker), try bench.file(slot)])
    try demand(try bench.remote.marker() == marker, "the marker", "another")
    try demand(try bench.place.contents(slot.name.path) == slot.bytes, "the slot", "another")
    try bench.remote.add([try bench.file(RemoteBench.object(1)), try bench.file(RemoteBench.head(2))])
    let strangers = try bench.remote.strangers(in: [.root, .keys, .heads, .devices])
    try demand(strangers.isEmpty, "no strangers", "\(strangers)")
  }
}
