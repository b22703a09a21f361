import CanonicalJSON

/// Rewrites the values of a JSON text that changed and leaves every other byte where it is.
struct SettingsEditor {
  let bytes: [UInt8]
  private let style: SettingsStyle

  init(bytes: [UInt8], top: Range<Int>) {
    self.bytes = bytes
    style = SettingsStyle(bytes, top: top)
  }

  /// The text of a value that now lies in a range.
  ///
  /// - Parameter indent: of the line that the value begins on.
  func text(in range: Range<Int>, from old: JSONValue, to new: JSONValue, indent: [UInt8]) -> [UInt8] {
    if old == new { return Array(bytes[range]) }
    switch (old, new) {
    case (.object(let old), .object(let new)): return object(in: range, from: old, to: new, indent: indent)
    case (.array(let old), .array(let new)): return array(in: range, from: old, to: new, indent: indent)
    default: return style.text(of: new, indent: indent)
    }
  }

  private func object(
    in range: Range<Int>, from old: JSONObject, to new: JSONObject, indent: [UInt8]
  ) -> [UInt8] {
    let layout = SettingsLayout(bytes, in: range)
    let inner = style.indent(of: layout, in: bytes) ?? indent + style.unit
    var kept: [(place: Int, text: [UInt8])] = []
    for (place, item) in layout.items.enumerated() {
      guard let key = item.key, let value = new[key] else { continue }
      let head = bytes[item.whole.lowerBound..<item.value.lowerBound]
      kept.append(
        (place, head + text(in: item.value, from: old[key] ?? .null, to: value, indent: inner)))
    }
    let added = new.filter { old[$0.key] == nil }.map { style.text(of: $0.key, $0.value, indent: inner) }
    return assemble(layout, in: range, kept, added, indent: indent)
  }

  private func array(
    in range: Range<Int>, from old: [JSONValue], to new: [JSONValue], indent: [UInt8]
  ) -> [UInt8] {
    let layout = SettingsLayout(bytes, in: range)
    let inner = style.indent(of: layout, in: bytes) ?? indent + style.unit
    let kept = zip(layout.items, zip(old, new)).enumerated().map { place, pair in
      (place: place, text: text(in: pair.0.value, from: pair.1.0, to: pair.1.1, indent: inner))
    }
    let added = new.dropFirst(kept.count).map { style.text(of: $0, indent: inner) }
    return assemble(layout, in: range, kept, added, indent: indent)
  }

  /// Puts items together again: those that stay with what stood before them, the first one with what stood
  /// before the first.
  private func assemble(
    _ layout: SettingsLayout, in range: Range<Int>, _ kept: [(place: Int, text: [UInt8])],
    _ added: [[UInt8]], indent: [UInt8]
  ) -> [UInt8] {
    let (open, close) = (bytes[range.lowerBound], bytes[range.upperBound &- 1])
    if kept.isEmpty && added.isEmpty { return [open, close] }
    var result = [open]
    for (count, item) in kept.enumerated() {
      result += bytes[layout.gap(before: count == 0 ? 0 : item.place)] + item.text
    }
    let lead = style.lead(of: layout, in: bytes, indent: indent)
    for (count, text) in added.enumerated() {
      if count > 0 || !kept.isEmpty { result.append(UInt8(ascii: ",")) }
      result += (kept.isEmpty && count == 0 ? style.firstLead(of: layout, in: bytes) ?? lead : lead) + text
    }
    result += layout.items.isEmpty ? style.closing(indent: indent) : Array(bytes[layout.tail])
    return result + [close]
  }
}
