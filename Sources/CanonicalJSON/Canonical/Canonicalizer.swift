/// Turns JSON texts into canonical ones: RFC 8785, except that a number written as an integer inside Int64 keeps its
/// digits, also beyond 2^53.
///
/// One instance is meant for many texts: it keeps its scratch memory. A text that is canonical already is checked and
/// copied as a whole.
public struct Canonicalizer {
  private let maximumNesting: Int
  private var scratch = CanonicalPass.Scratch()

  /// - Parameter maximumNesting: how many arrays and objects may stand inside one another.
  public init(maximumNesting: Int = JSONLimits.nesting) { self.maximumNesting = maximumNesting }

  /// Checks one whole JSON text and appends its canonical form.
  ///
  /// - Parameter output: as it was before if the text is refused.
  /// - Throws: why the text is refused, and where.
  /// - Complexity: O(length x nesting), with a sort of the keys of an object that has them out of order.
  public mutating func canonicalize(
    _ input: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) throws(JSONError) {
    if Self.isCanonical(input, maximumNesting: maximumNesting) == nil {
      return output.append(contentsOf: input)
    }
    try rewrite(input, into: &output)
  }

  /// The same for a text that must be an object, and where its members lie in what was appended.
  ///
  /// - Parameter fields: what it held before is gone.
  /// - Complexity: the same; whoever looks at the members need not walk over the object once more.
  public mutating func canonicalize(
    _ input: UnsafeRawBufferPointer, into output: inout [UInt8], fields: inout [JSONFieldPlace]
  ) throws(JSONError) {
    fields.removeAll(keepingCapacity: true)
    if let isObject = try? JSONFieldPlace.collect(
      from: input, maximumNesting: maximumNesting, into: &fields)
    {
      if !isObject { throw JSONError(position: 0, reason: .typeMismatch) }
      return output.append(contentsOf: input)
    }
    fields.removeAll(keepingCapacity: true)
    let start = output.count
    try rewrite(input, into: &output)
    guard start < output.count, output[start] == ASCII.openBrace else {
      output.removeSubrange(start...)
      throw JSONError(position: 0, reason: .typeMismatch)
    }
    for member in scratch.fields {
      let (key, end) = (member.key.lowerBound &- start..<member.key.upperBound &- start, member.end &- start)
      // A quote and a colon stand between the two.
      fields.append(JSONFieldPlace(key: key, value: key.upperBound &+ 2..<end))
    }
  }

  private mutating func rewrite(
    _ input: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) throws(JSONError) {
    let start = output.count
    var pass = CanonicalPass(input: input, maximumNesting: maximumNesting)
    swap(&pass.scratch, &scratch)
    defer { swap(&pass.scratch, &scratch) }
    do {
      try pass.appendText(to: &output)
    } catch {
      output.removeSubrange(start...)
      throw error
    }
  }

  /// What keeps the bytes from being exactly one canonical JSON text; nil if nothing does. O(length).
  public static func isCanonical(
    _ text: UnsafeRawBufferPointer, maximumNesting: Int = JSONLimits.nesting
  ) -> JSONError? {
    var cursor = JSONCursor(text, maximumNesting: maximumNesting)
    do {
      try cursor.skipValue()
      try cursor.finish()
      return nil
    } catch {
      return error
    }
  }
}
