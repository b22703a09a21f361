/// Keys from one, included, up to another, not included (nil: to the last).
struct KeyRange {
  var start: [UInt8] = []
  var end: [UInt8]?

  static let all = KeyRange()

  init(start: [UInt8] = [], end: [UInt8]? = nil) {
    self.start = start
    self.end = end
  }

  /// All keys that begin with these bytes.
  init(prefix: [UInt8]) {
    start = prefix
    var next = prefix
    while next.last == 0xFF { next.removeLast() }
    guard let last = next.popLast() else { return }
    end = next + [last &+ 1]
  }

  func contains(_ key: UnsafeRawBufferPointer) -> Bool {
    start.withUnsafeBytes { compareBytes(key, $0) >= 0 }
      && end.map { end in end.withUnsafeBytes { compareBytes(key, $0) < 0 } } ?? true
  }
}
