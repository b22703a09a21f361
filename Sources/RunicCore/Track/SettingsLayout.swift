import CanonicalJSON

/// Where the members of an object, or the elements of an array, lie in a text that was checked before.
struct SettingsLayout {
  struct Item {
    /// Nil for an element.
    let key: JSONString?
    /// From the key's quote, or the element's first byte, to the end of the value.
    let whole: Range<Int>
    let value: Range<Int>
  }

  /// What lies between the brackets.
  private(set) var inside: Range<Int>
  private(set) var items: [Item] = []

  /// Reads the object or array that begins at a range's start and ends with it.
  init(_ bytes: [UInt8], in range: Range<Int>) {
    inside = range.lowerBound &+ 1..<max(range.lowerBound &+ 1, range.upperBound &- 1)
    let isObject = bytes[range.lowerBound] == UInt8(ascii: "{")
    items = bytes.withUnsafeBytes { buffer in
      var cursor = LogCursor(buffer)
      cursor.move(to: range.lowerBound)
      // The text was parsed before: nothing is thrown.
      return (try? isObject ? Self.members(&cursor) : Self.elements(&cursor)) ?? []
    }
  }

  private static func members(_ cursor: inout LogCursor) throws -> [Item] {
    var items: [Item] = []
    _ = try cursor.beginObject()
    while let key = try cursor.nextKey() {
      guard let base = cursor.bytes.baseAddress, let place = key.bytes.baseAddress else { break }
      let start = place - base - 1
      let quoted = Array(cursor.bytes[start..<start &+ key.bytes.count &+ 2])
      let value = try value(&cursor)
      items.append(
        Item(key: try JSONValue.parse(quoted).stringValue, whole: start..<value.upperBound, value: value))
    }
    return items
  }

  private static func elements(_ cursor: inout LogCursor) throws -> [Item] {
    var items: [Item] = []
    _ = try cursor.beginArray()
    while try cursor.nextElement() {
      let value = try value(&cursor)
      items.append(Item(key: nil, whole: value, value: value))
    }
    return items
  }

  private static func value(_ cursor: inout LogCursor) throws -> Range<Int> {
    // Looking at the value steps over the white space before it.
    _ = try cursor.isAtObject()
    let start = cursor.position
    try cursor.skip()
    return start..<cursor.position
  }

  /// What stands before an item: white space, and a comma for all but the first.
  func gap(before index: Int) -> Range<Int> {
    (index == 0 ? inside.lowerBound : items[index - 1].whole.upperBound)..<items[index].whole.lowerBound
  }

  /// What stands behind the last item.
  var tail: Range<Int> { (items.last?.whole.upperBound ?? inside.lowerBound)..<inside.upperBound }
}
