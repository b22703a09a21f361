extension JSONLimits {
  /// Refuses canonical JSON in which more arrays and objects stand inside one another than a reader follows.
  ///
  /// - Complexity: O(length); a text that has no more brackets than that, as nearly all, is not taken apart.
  public static func requireNesting(
    of text: UnsafeRawBufferPointer, atMost limit: Int = nesting
  ) throws(JSONError) {
    var brackets = 0
    // The one bit that tells `[` from `{` is set in both.
    for byte in text { brackets &+= byte | 0x20 == UInt8(ascii: "{") ? 1 : 0 }
    if brackets <= limit { return }
    var cursor = JSONCursor(text, maximumNesting: limit)
    _ = try cursor.nextValue()
  }

  public static func requireNesting(
    of text: ArraySlice<UInt8>, atMost limit: Int = nesting
  ) throws(JSONError) {
    try text.withUnsafeBufferPointer { bytes throws(JSONError) in
      try requireNesting(of: UnsafeRawBufferPointer(bytes), atMost: limit)
    }
  }
}
