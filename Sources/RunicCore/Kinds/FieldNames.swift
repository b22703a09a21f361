/// The names of a kind's fields in one piece, so that a field is found without touching the rules one by one.
struct FieldNames: Hashable, Sendable {
  private let bytes: [UInt8]
  /// Where each name ends in `bytes`.
  private let ends: [Int]
  /// The most fields that a kind may have: each has a bit.
  static let limit = UInt64.bitWidth

  /// One bit for each field that a whole payload must have.
  let required: UInt64

  init(_ fields: [FieldRule]) {
    bytes = fields.flatMap(\.name.utf8)
    var (ends, required): ([Int], UInt64) = ([], 0)
    for (index, field) in fields.enumerated() {
      ends.append((ends.last ?? 0) + field.name.utf8.count)
      if field.isRequired { required |= Self.bit(index) }
    }
    (self.ends, self.required) = (ends, required)
  }

  static func bit(_ index: Int) -> UInt64 { 1 << UInt64(truncatingIfNeeded: index) }

  /// The place of a field among the rules. In a payload names come in order, so the next one is mostly the one
  /// after the last: the search begins there.
  func index(of name: UnsafeRawBufferPointer, from hint: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      ends.withUnsafeBufferPointer { ends in
        var index = hint
        for _ in ends.indices {
          if index >= ends.count { index = 0 }
          let start = index == 0 ? 0 : ends[index &- 1]
          if ends[index] &- start == name.count,
            compareBytes(UnsafeRawBufferPointer(rebasing: bytes[start..<ends[index]]), name) == 0
          {
            return index
          }
          index &+= 1
        }
        return nil
      }
    }
  }
}
