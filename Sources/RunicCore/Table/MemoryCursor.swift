/// Encoded entries in memory, in a given order.
final class MemoryCursor: EntrySource {
  private let buffer: RawBuffer
  private let offsets: [Int]
  private var next = 0
  private(set) var entry: EntryView?

  init(_ buffer: RawBuffer, offsets: [Int]) {
    (self.buffer, self.offsets) = (buffer, offsets)
    advance()
  }

  func advance() {
    guard next < offsets.count else {
      entry = nil
      return
    }
    entry = EntryView(UnsafeRawBufferPointer(buffer.bytes), at: offsets[next])
    next &+= 1
  }
}
