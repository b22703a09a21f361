import ObjectStore

/// A run as the manifest names it.
struct RunReference: Equatable {
  let number: UInt64
  let length: Int64
  /// The check in its footer.
  let check: UInt32

  var name: String { "run-\(number)" }
}

/// The small file that says which files make up the table; replacing it is the moment of every change but an
/// append.
///
///     magic "runictbl" · format (32 bits) · next number (64) · tail's number (64) · tail's seed (32)
///     number of runs (32), for each, newest first: number (64), length (64), check (32)
///     length of the metadata (32) · metadata · CRC-32 of all before
struct TableManifest: Equatable {
  static let name = "manifest"
  static let temporaryName = "manifest.tmp"
  static let format: UInt32 = 1
  /// A manifest with more runs or bytes is no manifest.
  static let maximumLength = 64 << 20
  private static let magic = [UInt8]("runictbl".utf8)

  /// Greater than every number in use; a file with this one or a greater is a leftover.
  var nextNumber: UInt64
  var tailNumber: UInt64
  /// Where the chain of checks in the tail begins, so that a tail left by another table does not pass.
  var tailSeed: UInt32
  var runs: [RunReference]
  /// The caller's, as of the tail's beginning.
  var metadata: [UInt8]

  static func tailName(_ number: UInt64) -> String { "tail-\(number)" }
  var tailName: String { Self.tailName(tailNumber) }
  var names: Set<String> { Set(runs.map(\.name) + [tailName, Self.name]) }

  var encoded: [UInt8] {
    var bytes = Self.magic
    bytes.append(littleEndian: Self.format)
    bytes.append(littleEndian: nextNumber)
    bytes.append(littleEndian: tailNumber)
    bytes.append(littleEndian: tailSeed)
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: runs.count))
    for run in runs {
      bytes.append(littleEndian: run.number)
      bytes.append(littleEndian: run.length)
      bytes.append(littleEndian: run.check)
    }
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: metadata.count))
    bytes.append(contentsOf: metadata)
    bytes.append(littleEndian: CRC32.checksum(bytes))
    return bytes
  }
}

extension TableManifest {
  /// Nil where the bytes are not exactly a manifest.
  init?(_ bytes: [UInt8]) {
    let decoded = bytes.withUnsafeBytes { raw -> TableManifest? in
      guard raw.count > 4, raw.prefix(8).elementsEqual(Self.magic) else { return nil }
      var trailer = ByteReader(UnsafeRawBufferPointer(rebasing: raw.suffix(4)))
      let checked = UnsafeRawBufferPointer(rebasing: raw.dropLast(4))
      guard trailer.integer(UInt32.self) == CRC32.checksum(checked) else { return nil }
      return Self.decode(UnsafeRawBufferPointer(rebasing: checked[8...]))
    }
    guard let decoded else { return nil }
    self = decoded
  }

  private static func decode(_ bytes: UnsafeRawBufferPointer) -> TableManifest? {
    var reader = ByteReader(bytes)
    guard reader.integer(UInt32.self) == format, let next = reader.integer(UInt64.self),
      let tail = reader.integer(UInt64.self), let seed = reader.integer(UInt32.self),
      let count = reader.integer(UInt32.self)
    else { return nil }
    var runs: [RunReference] = []
    for _ in 0..<count {
      guard let number = reader.integer(UInt64.self), let length = reader.integer(Int64.self),
        let check = reader.integer(UInt32.self)
      else { return nil }
      runs.append(RunReference(number: number, length: length, check: check))
    }
    guard let length = reader.integer(UInt32.self), let metadata = reader.take(Int(length)),
      reader.rest.isEmpty
    else { return nil }
    return TableManifest(
      nextNumber: next, tailNumber: tail, tailSeed: seed, runs: runs, metadata: [UInt8](metadata))
  }
}
