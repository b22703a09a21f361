import CanonicalJSON

/// Checks the known fields of canonical payloads and copies what need not change in whole spans, without a tree.
/// One is meant for many payloads of a kind.
struct PayloadPass {
  private let kindName: String
  private let fields: [FieldRule]
  private let names: FieldNames
  /// What is added where a payload lacks it, in canonical order.
  private let filling: [FilledField]
  /// How many of those were added or are not needed.
  private var filled = 0
  /// How much of the input the output has.
  private var copied = 0
  /// One bit for each rule of the kind.
  private var seen: UInt64 = 0
  /// The rule after the one that was found last.
  private var nextRule = 0

  init(kind: Kind, filling: [FilledField]) {
    (kindName, fields, names) = (kind.name, kind.fields, kind.fieldNames)
    self.filling = filling
  }

  /// - Parameters:
  ///   - input: a canonical object.
  ///   - places: where its members lie in it.
  mutating func run(
    over input: UnsafeRawBufferPointer, _ places: [JSONFieldPlace], into output: inout [UInt8]
  ) throws(RunicError) {
    (filled, copied, seen, nextRule) = (0, 0, 0, 0)
    for place in places {
      let field = JSONField(place, in: input)
      if filled < filling.count { fill(before: field.key, of: input, into: &output) }
      try check(field, of: input, into: &output)
    }
    try requireAll()
    fillRest(of: input, isEmpty: places.isEmpty, into: &output)
  }

  private mutating func check(
    _ field: JSONField, of input: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) throws(RunicError) {
    guard let index = names.index(of: field.key.bytes, from: nextRule) else { return }
    nextRule = index &+ 1
    seen |= FieldNames.bit(index)
    let replacement: [UInt8]?
    do throws(FieldProblem) {
      replacement = try fields[index].replacement(for: field.value)
    } catch {
      throw .badField(kind: kindName, field: fields[index].name.string, problem: error)
    }
    guard let replacement else { return }
    copy(input, upTo: field.value.range.lowerBound, into: &output)
    output += replacement
    copied = field.value.range.upperBound
  }

  private func requireAll() throws(RunicError) {
    guard seen & names.required != names.required else { return }
    for (index, rule) in fields.enumerated() where rule.isRequired {
      guard seen & FieldNames.bit(index) == 0 else { continue }
      throw .badField(kind: kindName, field: rule.name.string, problem: .missing)
    }
  }
}

// MARK: - Output

extension PayloadPass {
  private mutating func copy(_ input: UnsafeRawBufferPointer, upTo end: Int, into output: inout [UInt8]) {
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[copied..<end]))
    copied = end
  }

  /// Adds what comes before a key and drops what the payload has itself.
  private mutating func fill(
    before key: JSONKey, of input: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) {
    while filled < filling.count {
      let next = filling[filled]
      let order = Self.order(of: key, next.name)
      if order < 0 { return }
      filled &+= 1
      if order == 0 { return }
      copy(input, upTo: key.range.lowerBound - 1, into: &output)
      output += next.member
      output.append(UInt8(ascii: ","))
    }
  }

  private mutating func fillRest(
    of input: UnsafeRawBufferPointer, isEmpty: Bool, into output: inout [UInt8]
  ) {
    if filled < filling.count {
      copy(input, upTo: input.count - 1, into: &output)
      for (index, field) in filling[filled...].enumerated() {
        if index > 0 || !isEmpty { output.append(UInt8(ascii: ",")) }
        output += field.member
      }
    }
    copy(input, upTo: input.count, into: &output)
  }

  /// Bytes decide, as the names that are filled in are ASCII; only an escape in the key hides its bytes.
  private static func order(of key: JSONKey, _ name: JSONString) -> Int {
    let order = name.utf8.withUnsafeBytes { compareBytes(key.bytes, $0) }
    guard key.bytes.contains(UInt8(ascii: "\\")) else { return order }
    let text = key.string
    return text < name ? -1 : text == name ? 0 : 1
  }
}
