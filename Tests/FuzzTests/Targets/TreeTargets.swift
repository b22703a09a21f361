import CanonicalJSON
import TestSupport

@testable import ObjectStore
@testable import RunicCore

extension FuzzTarget {
  static let treeTargets = [
    FuzzTarget("tree-name", checkTreeName),
    FuzzTarget("marker", checkMarker),
    FuzzTarget("key-slot", checkKeySlot),
    FuzzTarget("key-file", checkKeyFile),
    FuzzTarget("key-string", checkKeyString),
    FuzzTarget("program-output", checkProgramOutput),
  ]

  /// One name, one file, inside the tree.
  private static func checkTreeName(_ bytes: [UInt8]) throws {
    let path = String(decoding: bytes, as: UTF8.self)
    if let name = TreeName(path: path) {
      try require(Array(name.path.utf8) == Array(path.utf8), "a name is written otherwise: \(name.path)")
      try require(!path.contains("..") && !path.hasPrefix("/") && !path.contains("\0"), "a name leads out")
    }
    for folder in [TreeFolder.heads, .keys, .root, .objects(FuzzKeys.shared.device)] {
      guard let name = folder.entry(path) else { continue }
      try require(name.name.utf8.elementsEqual(path.utf8), "an entry is written otherwise: \(path)")
      try require(!path.contains("/"), "an entry leads elsewhere")
    }
  }

  private static func checkMarker(_ bytes: [UInt8]) throws {
    guard let marker = try? Marker(decoding: bytes) else { return }
    // A reader takes the object in any JSON form and writes it in the canonical one.
    let again = try demand("a marker that was taken is not taken again") {
      try Marker(decoding: marker.bytes)
    }
    try require(again == marker && again.bytes == marker.bytes, "a marker reads otherwise once it is written")
    try require(JSONValueTree.of(marker.bytes) == JSONValueTree.of(bytes), "a marker's members are not kept")
    guard marker.accepts(FuzzKeys.shared.keys) else { return }
    let own = JSONValueTree.of(Marker(key: FuzzKeys.shared.keys.newest).bytes)
    try require(JSONValueTree.of(bytes) == own, "a marker that nobody made is accepted")
  }

  private static func checkKeySlot(_ bytes: [UInt8]) throws {
    let id = SlotID(from: .seeded(26))
    guard let slot = try? KeySlot(decoding: bytes, id: id) else { return }
    _ = try demand("a slot that was taken is not taken again") { try KeySlot(decoding: slot.bytes, id: id) }
  }

  /// As it comes, and with a foreign body rightly sealed.
  private static func checkKeyFile(_ bytes: [UInt8]) throws {
    let key = try RepositoryKey(root: FuzzKeys.shared.root, number: 7, repository: FuzzKeys.shared.repository)
    let name = KeyFileName(number: 7, key: key.id)
    if let file = try? KeyFile(decoding: bytes, name: name) {
      _ = try? file.open(with: key.root)
      _ = try demand("a key file that was taken is not taken again") {
        try KeyFile(decoding: file.bytes, name: name)
      }
    }
    guard let sealed = try? sealedKeyFile(bytes, key), let file = try? KeyFile(decoding: sealed, name: name),
      let keys = try? file.open(with: key.root)
    else { return }
    try require(keys.dropFirst().allSatisfy { (1..<7).contains($0.number) }, "a file holds a newer key")
  }

  private static func sealedKeyFile(_ body: [UInt8], _ key: RepositoryKey) throws -> [UInt8] {
    let nonce = [UInt8](repeating: 1, count: SealedHeader.nonceLength)
    var data = Array("runic/1 key file\n".utf8) + key.repository.bytes
    data.appendBigEndian(UInt64(7))
    var sealed = body
    try key.keyFileCipher().seal(inPlace: &sealed, from: 0, nonce: nonce, associatedData: data + key.id.bytes)
    func hex(_ bytes: [UInt8]) -> JSONValue { .string(JSONString(Hexadecimal.encode(bytes))) }
    let object: JSONObject = [
      "format": 1, "keyID": hex(key.id.bytes), "nonce": hex(nonce), "number": 7, "older": hex(sealed),
      "repository": hex(key.repository.bytes),
    ]
    return object.canonicalBytes
  }

  private static func checkKeyString(_ bytes: [UInt8]) throws {
    var text = bytes
    guard let (repository, secrets) = try? KeyString.decode(&text) else { return }
    let keys = try secrets.map { try RepositoryKey(root: $0, number: 1, repository: repository) }
    var again = Array(keys.map(KeyString.encode).joined(separator: "\n").utf8)
    let copy = try demand("a key string that was taken is not taken again") { try KeyString.decode(&again) }
    try require(copy.0 == repository && copy.1 == secrets, "a key string says something else")
  }

  /// What rsync prints, and the addresses that people type.
  private static func checkProgramOutput(_ bytes: [UInt8]) throws {
    var pieces: [RsyncItem] = []
    var output = RsyncOutput()
    for piece in (bytes + [10]).chunks(of: 7) { output.take(piece) { pieces.append($0) } }
    // rsync escapes a carriage return in a path; one that stands there is of its progress, which only `take` knows.
    if !bytes.contains(0x0d) {
      try require(pieces == RsyncOutput.items(bytes), "items in pieces differ from items at once")
    }
    let text = String(decoding: bytes, as: UTF8.self)
    _ = RsyncAddress(text)?.argument
    _ = RcloneAddress(text)?.argument()
  }
}

enum JSONValueTree {
  static func of(_ bytes: [UInt8]) -> JSONValue? { try? JSONValue.parse(bytes) }
}

extension [UInt8] {
  fileprivate func chunks(of length: Int) -> [ArraySlice<UInt8>] {
    stride(from: 0, to: count, by: length).map { self[$0..<Swift.min($0 + length, count)] }
  }
}
