import CanonicalJSON

/// One walk over a canonical payload that checks the known fields and copies what need not change in whole
/// spans, without a tree.
struct PayloadPass {
  private let kind: Kind
  private let input: UnsafeRawBufferPointer
  /// What is still to be added, in canonical order.
  private var pending: ArraySlice<FilledField>
  /// How much of the input the output has.
  private var copied = 0
  private var isEmpty = true
  /// One bit for each rule of the kind.
  private var seen: UInt64 = 0

  init(kind: Kind, input: UnsafeRawBufferPointer, filling: ArraySlice<FilledField>) {
    self.kind = kind
    self.input = input
    pending = filling
  }

  mutating func run(into output: inout [UInt8]) throws(RunicError) {
    var cursor = JSONCursor(input)
    do {
      var members = try cursor.beginObject()
      while let field = try cursor.nextField(in: &members) {
        isEmpty = false
        fill(before: field.key, into: &output)
        try check(field, into: &output)
      }
      try cursor.finish()
    } catch let error as RunicError {
      throw error
    } catch {
      let position = cursor.position
      throw .badPayload(error as? JSONError ?? JSONError(position: position, reason: .unexpectedByte))
    }
    try requireAll()
    fillRest(into: &output)
  }

  private mutating func check(_ field: JSONField, into output: inout [UInt8]) throws(RunicError) {
    guard let index = kind.fields.firstIndex(where: { $0.name.utf8.elementsEqual(field.key.bytes) })
    else { return }
    seen |= 1 << UInt64(truncatingIfNeeded: index)
    let replacement: [UInt8]?
    do throws(FieldProblem) {
      replacement = try kind.fields[index].replacement(for: field.value)
    } catch {
      throw .badField(kind: kind.name, field: kind.fields[index].name.string, problem: error)
    }
    guard let replacement else { return }
    copy(upTo: field.value.range.lowerBound, into: &output)
    output += replacement
    copied = field.value.range.upperBound
  }

  private func requireAll() throws(RunicError) {
    for (index, rule) in kind.fields.enumerated() where rule.isRequired {
      guard seen & 1 << UInt64(truncatingIfNeeded: index) == 0 else { continue }
      throw .badField(kind: kind.name, field: rule.name.string, problem: .missing)
    }
  }
}

// MARK: - Output

extension PayloadPass {
  private mutating func copy(upTo end: Int, into output: inout [UInt8]) {
    output.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[copied..<end]))
    copied = end
  }

  /// Adds what comes before a key and drops what the payload has itself.
  private mutating func fill(before key: JSONKey, into output: inout [UInt8]) {
    while let next = pending.first, !Self.precedes(key, next.name) {
      pending.removeFirst()
      if next.name.utf8.elementsEqual(key.bytes) { return }
      copy(upTo: key.range.lowerBound - 1, into: &output)
      output += next.member
      output.append(UInt8(ascii: ","))
    }
  }

  private mutating func fillRest(into output: inout [UInt8]) {
    if !pending.isEmpty {
      copy(upTo: input.count - 1, into: &output)
      for (index, field) in pending.enumerated() {
        if index > 0 || !isEmpty { output.append(UInt8(ascii: ",")) }
        output += field.member
      }
    }
    copy(upTo: input.count, into: &output)
  }

  /// Bytes decide, as the names that are filled in are ASCII; only an escape in the key hides its bytes.
  private static func precedes(_ key: JSONKey, _ name: JSONString) -> Bool {
    if key.bytes.contains(UInt8(ascii: "\\")) { return key.string < name }
    return key.bytes.lexicographicallyPrecedes(name.utf8)
  }
}
