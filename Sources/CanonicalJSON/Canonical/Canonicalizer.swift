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
