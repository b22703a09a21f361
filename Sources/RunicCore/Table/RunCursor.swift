import ObjectStore

/// Reads a run in order, in reads that grow from one block to 256 KiB.
final class RunCursor: EntrySource {
  private static let largestRead = 256 << 10

  private let run: Run
  private let buffer = RawBuffer()
  /// The bytes of the file in the buffer, and where they come from.
  private var filled = 0
  private var bufferOffset: Int64
  private var readSize: Int
  /// Where in the buffer the next block begins.
  private var nextBlock = 0
  private var block: UnsafeRawBufferPointer
  private var offset = 0
  private(set) var entry: EntryView?

  /// From the first key that is not below `start`; `offset` is that of its data block.
  init(_ run: Run, from start: [UInt8], blockOffset: Int64) throws {
    self.run = run
    bufferOffset = blockOffset
    readSize = start.isEmpty ? Self.largestRead : 8 << 10
    block = UnsafeRawBufferPointer(start: nil, count: 0)
    try advance()
    while let found = entry, start.withUnsafeBytes({ compareBytes(found.key, $0) < 0 }) { try advance() }
  }

  func advance() throws {
    offset &+= entry?.encodedLength ?? 0
    while offset >= block.count {
      guard try loadBlock() else {
        entry = nil
        return
      }
    }
    guard let next = EntryView(block, at: offset) else { throw run.damaged }
    entry = next
  }

  /// Makes the next block the current one, an index block an empty one; false at the end of the blocks.
  private func loadBlock() throws -> Bool {
    let place = bufferOffset &+ Int64(nextBlock)
    if place == run.footer.blocksEnd { return false }
    entry = nil
    try need(BlockFrame.headerLength)
    guard let length = BlockFrame.payloadLength(bytes(BlockFrame.headerLength)) else { throw run.damaged }
    try need(BlockFrame.headerLength &+ length)
    let whole = bytes(BlockFrame.headerLength &+ length)
    guard let view = BlockFrame.open(whole, run: run.reference.number, offset: place) else {
      throw run.damaged
    }
    nextBlock &+= whole.count
    offset = 0
    block = view.level == 0 ? view.entries : UnsafeRawBufferPointer(start: nil, count: 0)
    return true
  }

  private func bytes(_ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: buffer.bytes[nextBlock..<nextBlock &+ count])
  }

  /// Sees to it that `count` bytes from the next block on are in the buffer.
  private func need(_ count: Int) throws {
    guard filled &- nextBlock < count else { return }
    discardRead()
    guard Int64(count) <= run.footer.blocksEnd &- bufferOffset else { throw run.damaged }
    let wanted = Int(min(Int64(max(count, readSize)), run.footer.blocksEnd &- bufferOffset))
    buffer.reserve(wanted, keeping: filled)
    while filled < wanted {
      let free = UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[filled..<wanted])
      let read = try run.file.fileSystem.read(
        run.file.descriptor, into: free, at: bufferOffset &+ Int64(filled))
      if read == 0 { throw run.damaged }
      filled &+= read
    }
    readSize = min(readSize &* 4, Self.largestRead)
  }

  /// Moves what is still to be read to the front of the buffer.
  private func discardRead() {
    let rest = UnsafeRawBufferPointer(rebasing: buffer.bytes[nextBlock..<filled])
    UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[..<rest.count]).copyMemory(from: rest)
    bufferOffset &+= Int64(nextBlock)
    filled &-= nextBlock
    nextBlock = 0
  }
}
