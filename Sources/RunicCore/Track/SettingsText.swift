import CanonicalJSON

/// Why the bytes of a settings file are left alone.
public enum SettingsError: Error, Equatable, Sendable {
  /// Nothing, or nothing but white space.
  case empty
  /// No JSON, or not all of it yet.
  case syntax(JSONError)
  /// JSON, but no object.
  case noObject
}

/// A JSON settings file of another program, as it lies on the disk.
///
/// The grammar is RFC 8259's, with a byte order mark in front where there is one: comments and keys that stand
/// twice are errors, for nobody knows what their reader makes of them.
public struct SettingsText: Equatable, Sendable {
  public let bytes: [UInt8]
  public let payload: JSONObject
  /// Where the text begins, behind a byte order mark.
  private let start: Int

  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// - Complexity: O(length).
  public init(_ bytes: [UInt8]) throws(SettingsError) {
    self.bytes = bytes
    start = bytes.starts(with: Self.byteOrderMark) ? Self.byteOrderMark.count : 0
    if bytes[start...].allSatisfy({ $0 <= 0x20 }) { throw .empty }
    let value: JSONValue
    do throws(JSONError) { value = try JSONValue.parse(bytes[start...]) } catch {
      throw .syntax(JSONError(position: error.position &+ start, reason: error.reason))
    }
    guard let object = value.objectValue else { throw .noObject }
    payload = object
  }

  /// The text of another payload. Members and elements whose values are the same keep their bytes and their
  /// places, at every depth; new ones come last, in the layout of their neighbours; all else stays.
  ///
  /// - Complexity: O(length x nesting).
  public func edited(to other: JSONObject) -> [UInt8] {
    if other == payload { return bytes }
    let opening = bytes[start...].firstIndex { $0 > 0x20 } ?? start
    let closing = bytes.lastIndex { $0 > 0x20 } ?? start
    let range = opening..<closing &+ 1
    let editor = SettingsEditor(bytes: bytes, top: range)
    let text = editor.text(in: range, from: .object(payload), to: .object(other), indent: [])
    return bytes[..<opening] + text + bytes[range.upperBound...]
  }
}
