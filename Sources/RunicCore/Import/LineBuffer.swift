/// Cuts a stream of bytes into lines, in memory that is bounded by the longest line that is taken.
///
/// One instance is meant for many logs: it keeps its memory.
final class LineBuffer {
  /// How much is read at once: it fits the processor's cache, which is why larger pieces are slower.
  static let pieceSize = 256 << 10
  /// Longer lines are left out: pictures in a prompt make lines of some megabytes.
  let longestLine: Int

  private var bytes: UnsafeMutableRawBufferPointer
  private var filled = 0
  /// Inside a line that is too long: drop everything up to its end.
  private var isDiscarding = false
  /// Offset, from where reading began, behind the last line that was whole.
  private(set) var consumed: Int64 = 0
  private(set) var overlongLines = 0
  /// How much the last `fill` brought.
  private(set) var lastCount = 0

  init(longestLine: Int = 32 << 20) {
    self.longestLine = longestLine
    bytes = .allocate(byteCount: 2 * Self.pieceSize, alignment: 16)
  }

  deinit { bytes.deallocate() }

  /// Forgets what the last log left.
  func reset() {
    (filled, consumed, overlongLines, isDiscarding) = (0, 0, 0, false)
  }

  /// Takes the next piece straight into the buffer.
  ///
  /// - Parameter read: writes into the buffer and answers how much; 0 at the end.
  /// - Returns: whether there was anything.
  func fill(_ read: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Bool {
    makeRoom(Self.pieceSize)
    let count = try read(UnsafeMutableRawBufferPointer(rebasing: bytes[filled..<filled &+ Self.pieceSize]))
    filled &+= count
    lastCount = count
    return count > 0
  }

  /// Takes a piece that lies elsewhere.
  func append(_ piece: UnsafeRawBufferPointer) {
    makeRoom(piece.count)
    UnsafeMutableRawBufferPointer(rebasing: bytes[filled...]).copyMemory(from: piece)
    filled &+= piece.count
  }

  private func makeRoom(_ count: Int) {
    if bytes.count &- filled >= count { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(bytes.count * 2, filled &+ count), alignment: 16)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<filled]))
    bytes.deallocate()
    bytes = larger
  }

  /// Hands over the whole lines that are there, without their ends, and keeps the rest.
  func drain(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    let all = UnsafeRawBufferPointer(rebasing: bytes[..<filled])
    var start = 0
    while let end = all.firstOffset(of: UInt8(ascii: "\n"), from: start) {
      if isDiscarding { isDiscarding = false } else { try body(.init(rebasing: all[start..<end])) }
      start = end &+ 1
    }
    keep(from: start)
    if filled > longestLine || isDiscarding { discard() }
  }

  /// The last line, where the stream ended without an end of line.
  var rest: UnsafeRawBufferPointer? {
    filled == 0 || isDiscarding ? nil : UnsafeRawBufferPointer(rebasing: bytes[..<filled])
  }

  private func keep(from start: Int) {
    consumed &+= Int64(start)
    if start == 0 { return }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start..<filled])
    bytes.copyMemory(from: rest)
    filled = rest.count
  }

  private func discard() {
    if !isDiscarding { overlongLines &+= 1 }
    isDiscarding = true
    consumed &+= Int64(filled)
    filled = 0
  }
}
