import ObjectStore

/// The file of a run as it grows: blocks one behind the other, each built where it is to lie.
///
/// Once there is much of it, checks and writes are done on a thread of their own, while whoever has the entries goes
/// on. Memory: twice what is written at once.
final class RunOutput {
  /// How much is written at once.
  private static let pieceSize = 256 << 10
  /// A run that is shorter than this is not worth a thread.
  private static let threshold: Int64 = 1 << 20

  let number: UInt64
  private let sink: RunSink
  private var thread: SerialThread?
  private var piece = RunPiece()
  private var spare = RunPiece()
  /// Where in the piece the open block begins.
  private var block: Int?
  private var lastEntry = 0

  /// Makes the file, which must not exist.
  init(_ path: String, number: UInt64, in fileSystem: any FileSystem) throws {
    self.number = number
    sink = try RunSink(path, number: number, in: fileSystem)
  }

  /// Nobody writes to a file that was given up.
  deinit { thread?.wait(untilAtMost: 0) }

  /// Where the file ends with all that was added.
  var end: Int64 { piece.offset &+ Int64(piece.filled) }
  var isOpen: Bool { block != nil }
  /// The length of the open block's payload.
  var blockLength: Int { block.map { piece.filled &- $0 &- BlockFrame.headerLength } ?? 0 }
  /// The key of the entry that was added last, until its block is written.
  var lastKey: [UInt8] { EntryView(piece.bytes, at: lastEntry).map { [UInt8]($0.key) } ?? [] }

  /// Opens a block: room for its header, and its level.
  func beginBlock(level: UInt8) {
    block = piece.filled
    piece.append(count: BlockFrame.headerLength &+ 1) { $0[BlockFrame.headerLength] = level }
  }

  func append(_ entry: EntryView) {
    lastEntry = piece.filled
    piece.append(entry)
  }

  func append(_ bytes: [UInt8]) { piece.append(count: bytes.count) { $0.copyBytes(from: bytes) } }

  /// Closes the open block; its header is filled in before it is written.
  func endBlock() -> BlockReference {
    let begin = block ?? piece.filled
    block = nil
    piece.blocks.append(begin..<piece.filled)
    return BlockReference(offset: piece.offset &+ Int64(begin), length: piece.filled &- begin)
  }

  /// Between two blocks: has what has gathered written, if it is enough.
  func drainIfFull() throws {
    if piece.filled >= Self.pieceSize { try drain() }
  }

  /// Writes all that is left.
  func finish() throws {
    try drain()
    thread?.wait(untilAtMost: 0)
    try sink.check()
  }

  private func drain() throws {
    thread?.wait(untilAtMost: 0)
    try sink.check()
    let full = piece
    if thread == nil, full.offset >= Self.threshold { thread = try? SerialThread() }
    if let thread {
      thread.perform { [sink] in sink.write(full) }
      (piece, spare) = (spare, full)
    } else {
      sink.write(full)
      try sink.check()
    }
    piece.restart(at: full.offset &+ Int64(full.filled))
  }
}

/// Bytes of a run that are written at once.
// One thread at a time touches it: who fills it, then who writes it, and again who fills it once that is done.
private final class RunPiece: @unchecked Sendable {
  private let buffer = RawBuffer()
  private(set) var filled = 0
  /// Where in the file it begins.
  private(set) var offset: Int64 = 0
  /// Where the blocks lie, headers included.
  var blocks: [Range<Int>] = []

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer.bytes[..<filled]) }

  func restart(at offset: Int64) {
    (self.offset, filled) = (offset, 0)
    blocks.removeAll(keepingCapacity: true)
  }

  func append(_ entry: EntryView) {
    makeRoom(entry.encodedLength)
    filled = entry.encode(into: buffer, at: filled)
  }

  func append(count: Int, _ fill: (UnsafeMutableRawBufferPointer) -> Void) {
    makeRoom(count)
    fill(UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[filled..<filled &+ count]))
    filled &+= count
  }

  private func makeRoom(_ count: Int) {
    let needed = filled &+ count
    if needed > buffer.bytes.count { buffer.reserve(max(needed, 2 &* buffer.bytes.count), keeping: filled) }
  }

  /// Writes the headers of the blocks.
  func frame(run number: UInt64) {
    for block in blocks {
      let header = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[block])
      let payload = UnsafeRawBufferPointer(rebasing: header[BlockFrame.headerLength...])
      let check = BlockFrame.check(payload, run: number, offset: offset &+ Int64(block.lowerBound))
      header.storeBytes(of: UInt32(truncatingIfNeeded: payload.count).littleEndian, as: UInt32.self)
      header.storeBytes(of: check.littleEndian, toByteOffset: 4, as: UInt32.self)
    }
  }
}

/// The file itself, and what went wrong with it.
// One thread at a time touches it, as the pieces.
private final class RunSink: @unchecked Sendable {
  private let file: OpenFile
  private let number: UInt64
  private var failure: SystemError?

  init(_ path: String, number: UInt64, in fileSystem: any FileSystem) throws {
    file = try OpenFile(path, .create(permissions: 0o600), in: fileSystem)
    self.number = number
  }

  func write(_ piece: RunPiece) {
    guard failure == nil else { return }
    piece.frame(run: number)
    do throws(SystemError) { try file.write(piece.bytes, at: piece.offset) } catch { failure = error }
  }

  func check() throws(SystemError) {
    if let failure { throw failure }
  }
}
