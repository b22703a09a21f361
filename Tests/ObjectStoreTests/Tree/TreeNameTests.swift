import ObjectStore
import TestSupport
import Testing

private let device = String(repeating: "0a", count: 16)
private let digest = String(repeating: "9f", count: 32)
private let good = "\(device)-0000000000000001-\(digest)"

@Suite struct TreeNameTests {
  /// Folder, name in it, and whether the grammar knows it.
  static let table: [(folder: TreeFolder, name: String, isKnown: Bool)] = [
    (.root, "runic.json", true), (.root, "Runic.json", false), (.root, "runic.jso", false),
    (.root, "./runic.json", false), (.root, "runic.json ", false), (.root, "", false), (.root, ".", false),
    (.root, "..", false), (.root, good, false),

    (.keys, "\(device).json", true), (.keys, device, false), (.keys, "\(device).JSON", false),
    (.keys, "\(device).json.json", false), (.keys, ".\(device).json", false), (.keys, ".json", false),
    (.keys, "\(device.dropLast()).json", false), (.keys, "\(device)0.json", false),
    (.keys, "\(device.uppercased()).json", false), (.keys, "../keys/\(device).json", false),
    (.keys, "\(device).json\u{301}", false), (.keys, "\(device)\u{301}.json", false),

    (.heads, good, true), (.heads, "\(device)-7fffffffffffffff-\(digest)", true),
    (.heads, "\(device)-0000000000000000-\(digest)", false),
    (.heads, "\(device)-8000000000000000-\(digest)", false),
    (.heads, "\(device)-ffffffffffffffff-\(digest)", false), (.heads, "\(device)-1-\(digest)", false),
    (.heads, "\(device)-000000000000001-\(digest)", false),
    (.heads, "\(device)-00000000000000001-\(digest)", false),
    (.heads, "\(device)-000000000000000A-\(digest)", false),
    (.heads, "\(device)-+000000000000001-\(digest)", false),
    (.heads, "\(device)--00000000000001-\(digest)", false),
    (.heads, "\(device)-000000000000 001-\(digest)", false),
    (.heads, "\(device.uppercased())-0000000000000001-\(digest)", false),
    (.heads, "\(device)-0000000000000001-\(digest.uppercased())", false),
    (.heads, "\(device.dropLast())-0000000000000001-\(digest)", false), (.heads, "\(good)-", false),
    (.heads, "-\(good)", false), (.heads, "\(good) (conflicted copy)", false), (.heads, "\(good).tmp", false),
    (.heads, ".\(good)", false), (.heads, "\(good)\n", false), (.heads, "\(good)\0", false),
    (.heads, "../heads/\(good)", false), (.heads, "\(device)-0000000000000001", false), (.heads, "", false),
    (.heads, "\(device)-000000000000000\u{ff11}-\(digest)", false),

    (.devices, device, false), (.devices, digest, false), (.devices, "", false),

    (.objects(DeviceID(hex: device) ?? DeviceID(from: .seeded(0))), digest, true),
    (.objects(DeviceID(from: .seeded(1))), "\(digest.dropLast())g", false),
    (.objects(DeviceID(from: .seeded(1))), digest.uppercased(), false),
    (.objects(DeviceID(from: .seeded(1))), "\(digest)0", false),
    (.objects(DeviceID(from: .seeded(1))), String(digest.dropLast()), false),
    (.objects(DeviceID(from: .seeded(1))), "../\(digest)", false),
    (.objects(DeviceID(from: .seeded(1))), "..", false),
    (.objects(DeviceID(from: .seeded(1))), "\u{ff19}\(digest.dropFirst())", false),
  ]

  @Test(arguments: table.indices)
  func knowsTheNamesOfTheGrammarAndNoOther(row: Int) {
    let (folder, name, isKnown) = Self.table[row]
    let entry = folder.entry(name)
    #expect((entry != nil) == isKnown, "row \(row): \(folder) \(name)")
    guard let entry else { return }
    #expect(Array(entry.name.utf8) == Array(name.utf8))
    #expect(entry.folder == folder)
    #expect(entry.path == (folder == .root ? name : "\(folder.path)/\(name)"))
  }

  @Test func everyNameIsReadAsItIsWritten() {
    let random = RandomSource.seeded(4)
    for number in 0..<500 {
      let digest = SHA256.hash([UInt8(number & 255), UInt8(number >> 8)])
      let head = HeadName(device: DeviceID(from: random), sequence: 1 << (number % 63), digest: digest)
      for name in [TreeName.head(head), .object(DeviceID(from: random), digest), .slot(SlotID(from: random))]
      {
        #expect(name.folder.entry(name.name) == name)
        #expect(TreeName(path: name.path) == name)
        for path in ["/\(name.path)", "\(name.path)/", "./\(name.path)", "x/\(name.path)", name.name] {
          #expect(TreeName(path: path) == nil)
        }
      }
    }
  }

  @Test func noByteOfANameCanBeAnother() {
    let name = TreeName.head(
      HeadName(device: DeviceID(from: .seeded(1)), sequence: 5, digest: SHA256.hash([])))
    let bytes = Array(name.name.utf8)
    for index in bytes.indices {
      for byte in UInt8(1)..<128 where byte != bytes[index] {
        var changed = bytes
        changed[index] = byte
        let text = String(decoding: changed, as: UTF8.self)
        let entry = TreeFolder.heads.entry(text)
        #expect(entry == nil || (entry != name && entry?.name == text), "\(text)")
      }
    }
  }

  @Test func headsSortAsTheirNamesDo() {
    let random = RandomSource.seeded(9)
    let devices = [DeviceID(from: random), DeviceID(from: random)]
    let heads = (0..<60).map { number in
      HeadName(
        device: devices[number % 2], sequence: Int64(number / 4) * 100 + 1,
        digest: SHA256.hash([UInt8(number)]))
    }
    let names = heads.map { TreeName.head($0).name }
    #expect(heads.sorted().map { TreeName.head($0).name } == names.sorted())
  }

  @Test func limitsAndDigestsAreThoseOfTheSort() {
    let device = DeviceID(from: .seeded(1))
    let hash = SHA256.hash([1])
    let head = TreeName.head(HeadName(device: device, sequence: 1, digest: hash))
    let slot = TreeName.slot(SlotID(from: .seeded(1)))
    #expect(
      [TreeName.marker, slot, head, .object(device, hash)].map(\.limit) == [65536, 65536, 2 << 20, 17 << 20])
    #expect([TreeName.marker, slot, head, .object(device, hash)].map(\.digest) == [nil, nil, hash, hash])
  }
}
