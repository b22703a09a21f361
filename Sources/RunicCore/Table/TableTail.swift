import ObjectStore

/// The open tail: a file of frames that grows by one a commit and is never synced.
final class TableTail {
  let number: UInt64
  /// The length of the frames that are whole; the next one goes there.
  private(set) var length: Int64 = 0
  private let file: OpenFile
  private var check: UInt32
  /// Something may lie beyond `length` that must go before the next frame.
  private var hasLeftover = false

  /// A new, empty one, which must not exist.
  init(creating number: UInt64, seed: UInt32, folder: String, in fileSystem: any FileSystem) throws {
    let path = folder + "/" + TableManifest.tailName(number)
    file = try OpenFile(path, .create(permissions: 0o600), in: fileSystem)
    self.number = number
    check = seed
  }

  /// An existing one, for appending if its permissions allow it; its frames are replayed in order.
  init(
    opening number: UInt64, seed: UInt32, folder: String, in fileSystem: any FileSystem,
    replay: (TailFrame) throws -> Void
  ) throws {
    let path = folder + "/" + TableManifest.tailName(number)
    file = try Self.openForAppending(path, in: fileSystem)
    self.number = number
    check = seed
    let fileLength = try file.length()
    let bytes = try file.read(Int(fileLength), at: 0)
    try bytes.withUnsafeBytes { raw in
      var reader = ByteReader(raw)
      while let frame = TailFrame.next(&reader, after: &check) {
        try replay(frame)
        length = Int64(raw.count &- reader.rest.count)
      }
    }
    hasLeftover = fileLength > length
  }

  /// What may only be read, on a disk that is mounted so or by this user, can still be read.
  private static func openForAppending(
    _ path: String, in fileSystem: any FileSystem
  ) throws(SystemError) -> OpenFile {
    do throws(SystemError) { return try OpenFile(path, .update, in: fileSystem) } catch {
      guard error.isReadOnly || error.isForbidden else { throw error }
      return try OpenFile(path, .read, in: fileSystem)
    }
  }

  /// The seed for the tail that follows this one.
  var nextSeed: UInt32 { check ^ UInt32(truncatingIfNeeded: number &* 0x9E37_79B1) }

  /// Which file it is, whatever its name stands for now.
  func identity() throws(SystemError) -> [UInt64] { try file.fileSystem.status(file.descriptor).identity }

  /// Writes a frame; after an error the tail is as it was.
  func append(_ batch: borrowing Memtable, metadata: [UInt8]) throws {
    let frame = TailFrame.encode(batch, metadata: metadata, after: check)
    if hasLeftover { try file.truncate(to: length) }
    hasLeftover = true
    try file.write(frame.bytes, at: length)
    hasLeftover = false
    length &+= Int64(frame.bytes.count)
    check = frame.check
  }
}

extension OpenFile {
  fileprivate func truncate(to length: Int64) throws(SystemError) {
    try fileSystem.truncate(descriptor, to: length)
  }
}
