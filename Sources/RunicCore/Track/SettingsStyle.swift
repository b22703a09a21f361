import CanonicalJSON

/// How a JSON text is laid out, as its first lines show: what is new is written alike.
struct SettingsStyle {
  /// What one level is indented by.
  let unit: [UInt8]
  private let newline: [UInt8]
  /// Whether members stand on lines of their own.
  private let isSpread: Bool
  /// What stands between a key and its value.
  private let colon: [UInt8]

  init(_ bytes: [UInt8], top: Range<Int>) {
    let layout = SettingsLayout(bytes, in: top)
    newline = Self.contains(bytes, 0x0D, 0x0A) ? [0x0D, 0x0A] : [0x0A]
    guard let first = layout.items.first, first.key != nil else {
      (unit, isSpread, colon) = ([0x20, 0x20], true, [UInt8(ascii: ":"), 0x20])
      return
    }
    let gap = bytes[layout.gap(before: 0)]
    isSpread = gap.contains(0x0A)
    unit = isSpread ? Self.afterLastLine(gap) : []
    colon = Self.colon(bytes[first.whole.lowerBound..<first.value.lowerBound])
  }

  private static func contains(_ bytes: [UInt8], _ first: UInt8, _ second: UInt8) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { $0 == (first, second) }
  }

  /// A key may hold a colon; what stands behind its closing quote holds no quote.
  private static func colon(_ head: ArraySlice<UInt8>) -> [UInt8] {
    guard let quote = head.lastIndex(of: UInt8(ascii: "\"")) else { return [UInt8(ascii: ":"), 0x20] }
    return Array(head[(quote &+ 1)...])
  }

  private static func afterLastLine(_ gap: ArraySlice<UInt8>) -> [UInt8] {
    guard let line = gap.lastIndex(of: 0x0A) else { return [] }
    return Array(gap[(line &+ 1)...])
  }

  // MARK: - Gaps

  /// The indent of the items of an object or array; nil where they share a line, or there is none.
  func indent(of layout: SettingsLayout, in bytes: [UInt8]) -> [UInt8]? {
    guard !layout.items.isEmpty else { return nil }
    let gap = bytes[layout.gap(before: 0)]
    return gap.contains(0x0A) ? Self.afterLastLine(gap) : nil
  }

  /// What stands before an item that comes behind the others, without the comma.
  func lead(of layout: SettingsLayout, in bytes: [UInt8], indent: [UInt8]) -> [UInt8] {
    guard let last = layout.items.indices.last else { return isSpread ? newline + indent + unit : [] }
    if let inner = self.indent(of: layout, in: bytes) { return newline + inner }
    if last == 0 { return colon.last == 0x20 ? [0x20] : [] }
    let gap = bytes[layout.gap(before: last)]
    let comma = gap.lastIndex(of: UInt8(ascii: ",")) ?? gap.startIndex
    return Array(gap[(comma &+ 1)...])
  }

  /// What stands before the first item; nil where there is none.
  func firstLead(of layout: SettingsLayout, in bytes: [UInt8]) -> [UInt8]? {
    layout.items.isEmpty ? nil : Array(bytes[layout.gap(before: 0)])
  }

  /// What stands behind the last item of an object or array that had none.
  func closing(indent: [UInt8]) -> [UInt8] { isSpread ? newline + indent : [] }

  // MARK: - Values

  func text(of key: JSONString, _ value: JSONValue, indent: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    key.write(into: &text)
    return text + colon + self.text(of: value, indent: indent)
  }

  /// - Parameter indent: of the line that the value begins on.
  func text(of value: JSONValue, indent: [UInt8]) -> [UInt8] {
    switch value {
    case .object(let object) where isSpread && !object.isEmpty:
      spread(object.map { text(of: $0.key, $0.value, indent: indent + unit) }, "{", "}", indent: indent)
    case .array(let values) where isSpread && !values.isEmpty:
      spread(values.map { text(of: $0, indent: indent + unit) }, "[", "]", indent: indent)
    default: value.canonicalBytes
    }
  }

  private func spread(
    _ items: [[UInt8]], _ open: Unicode.Scalar, _ close: Unicode.Scalar, indent: [UInt8]
  ) -> [UInt8] {
    var text = [UInt8(ascii: open)]
    for (index, item) in items.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      text += newline + indent + unit + item
    }
    return text + newline + indent + [UInt8(ascii: close)]
  }
}
