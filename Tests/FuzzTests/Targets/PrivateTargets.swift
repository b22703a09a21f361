import CanonicalJSON
import ObjectStore

@testable import RunicCore

extension FuzzTarget {
  static let privateTargets = [
    FuzzTarget("private-json", checkPrivateJSON),
    FuzzTarget("import-state", checkImportState),
    FuzzTarget("table", checkTable),
  ]

  /// `device.json`, `config.json`, `trust`, `ledger` and `alerts`: what is taken is written and taken again.
  private static func checkPrivateJSON(_ bytes: [UInt8]) throws {
    guard let object = (try? JSONValue.parse(bytes))?.objectValue else { return }
    try checkAgain(object, "ledger", SyncLedger.init(json:), \.json)
    try checkAgain(object, "trust", Trust.init(json:), \.json)
    try checkAgain(object, "config.json", Configuration.init(json:), \.json)
    try checkAgain(object, "device.json", DeviceFile.init(json:), \.json)
    try checkAgain(object, "alerts", AlertMemory.init(json:), \.json)
  }

  private static func checkAgain<File: Equatable>(
    _ object: JSONObject, _ name: String, _ read: (JSONObject) -> File?, _ json: (File) -> JSONObject
  ) throws {
    guard let file = read(object) else { return }
    let copy = try demand("\(name) that was taken is not taken again") { read(json(file)) }
    try require(copy == file, "\(name) says something else when it is written again")
  }

  private static func checkImportState(_ bytes: [UInt8]) throws {
    let device = FuzzKeys.shared.device
    let state = ImportState(bytes: bytes, device: device, sequence: 5)
    let copy = ImportState(bytes: state.bytes(device: device, sequence: 5), device: device, sequence: 5)
    try require(copy == state, "the import state says something else when it is written again")
  }

  /// The files of the index, as they lie on a disk that may have decayed, and behind their checks.
  private static func checkTable(_ bytes: [UInt8]) throws {
    if let manifest = TableManifest(bytes) {
      try require(manifest.encoded == bytes, "a manifest is written otherwise than it was read")
    }
    var checked = bytes
    checked.append(littleEndian: CRC32.checksum(bytes))
    if let manifest = TableManifest(checked) {
      try require(manifest.encoded == checked, "a manifest is written otherwise than it was read")
    }
    _ = RunFooter(bytes, runLength: 1 << 20)
    bytes.withUnsafeBytes { raw in
      _ = BlockFrame.open(raw, run: 1, offset: 0)
      if let block = BlockView(raw) { walk(block) }
      var reader = ByteReader(raw)
      var check: UInt32 = 1
      while let frame = TailFrame.next(&reader, after: &check) { _ = frame.forEachEntry { _ in } }
      _ = TailFrame(metadata: raw, entries: raw).forEachEntry { _ in }
    }
  }

  private static func walk(_ block: BlockView) {
    "key".utf8.withContiguousStorageIfAvailable { key in
      _ = block.find(UnsafeRawBufferPointer(key))
      _ = block.child(UnsafeRawBufferPointer(key))
    }
  }
}
