import CanonicalJSON

/// One walk over a canonical payload that checks the known fields and copies what need not change in whole
/// spans, without a tree.
struct PayloadPass {
  private let kindName: String
  private let fields: [FieldRule]
  private let names: FieldNames
  private let input: UnsafeRawBufferPointer
  /// What is still to be added, in canonical order.
  private var pending: ArraySlice<FilledField>
  /// How much of the input the output has.
  private var copied = 0
  private var isEmpty = true
  /// One bit for each rule of the kind.
  private var seen: UInt64 = 0
  /// The rule after the one that was found last.
  private var nextRule = 0

  init(kind: Kind, input: UnsafeRawBufferPointer, filling: ArraySlice<FilledField>) {
    (kindName, fields, names) = (kind.name, kind.fields, kind.fieldNames)
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
    copy(upTo: field.value.range.lowerBound, into: &output)
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
