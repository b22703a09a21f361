/// One reading of a JSON text in any form, which writes the canonical form as it goes.
///
/// An object is written in the order it comes in and put in order at its end, by moving whole members.
struct CanonicalPass {
  /// A member of an object that is not closed yet, where it lies in the output.
  struct Member {
    /// What stands between the quotes of the key.
    var key: Range<Int>
    /// After the value.
    var end: Int
    /// The key's opening quote in the input, for errors.
    let inputPosition: Int
  }

  /// Memory that is worth keeping from one text to the next.
  struct Scratch {
    /// The members of all objects that are not closed yet, the innermost last.
    var members: [Member] = []
    var reordered: [UInt8] = []
    /// The members of the object that the text is, in order; places in the output.
    var fields: [Member] = []
  }

  let input: UnsafeRawBufferPointer
  var position = 0
  var scratch = Scratch()
  private let maximumNesting: Int
  private var remainingNesting: Int

  init(input: UnsafeRawBufferPointer, maximumNesting: Int) {
    self.input = input
    self.maximumNesting = maximumNesting
    remainingNesting = maximumNesting
  }

  /// Appends the one value that the input must hold.
  mutating func appendText(to output: inout [UInt8]) throws(JSONError) {
    // A refused text may have left members behind.
    scratch.members.removeAll(keepingCapacity: true)
    scratch.fields.removeAll(keepingCapacity: true)
    skipWhitespace()
    try appendValue(to: &output)
    skipWhitespace()
    if position < input.count { throw JSONError(position: position, reason: .trailingBytes) }
  }

  private mutating func appendValue(to output: inout [UInt8]) throws(JSONError) {
    switch try peek() {
    case ASCII.quote: try appendString(to: &output)
    case ASCII.openBrace: try appendObject(to: &output)
    case ASCII.openBracket: try appendArray(to: &output)
    case UInt8(ascii: "t"): try appendWord("true", to: &output)
    case UInt8(ascii: "f"): try appendWord("false", to: &output)
    case UInt8(ascii: "n"): try appendWord("null", to: &output)
    default:
      let literal = try NumberLiteral(in: input, at: position)
      try literal.appendCanonical(from: input, to: &output)
      position = literal.end
    }
  }

  private mutating func appendWord(_ word: StaticString, to output: inout [UInt8]) throws(JSONError) {
    let end = try input.end(of: word, at: position)
    output.append(contentsOf: input.part(position..<end))
    position = end
  }

  private mutating func appendArray(to output: inout [UInt8]) throws(JSONError) {
    try enter(writing: ASCII.openBracket, to: &output)
    if try !closes(ASCII.closeBracket) {
      repeat {
        skipWhitespace()
        try appendValue(to: &output)
      } while try continues(ASCII.closeBracket, to: &output)
    }
    output.append(ASCII.closeBracket)
    remainingNesting &+= 1
  }

  private mutating func appendObject(to output: inout [UInt8]) throws(JSONError) {
    try enter(writing: ASCII.openBrace, to: &output)
    let base = scratch.members.count
    var isSorted = true
    if try !closes(ASCII.closeBrace) {
      repeat {
        if try !appendMember(after: base, to: &output) { isSorted = false }
      } while try continues(ASCII.closeBrace, to: &output)
    }
    if !isSorted { try sortMembers(from: base, in: &output) }
    output.append(ASCII.closeBrace)
    remainingNesting &+= 1
    if remainingNesting == maximumNesting { scratch.fields.append(contentsOf: scratch.members) }
    scratch.members.removeSubrange(base...)
  }

  /// Appends a member and returns whether it stands in order after the one before it.
  private mutating func appendMember(after base: Int, to output: inout [UInt8]) throws(JSONError) -> Bool {
    skipWhitespace()
    let (start, inputPosition) = (output.count, position)
    guard try peek() == ASCII.quote else { throw JSONError(position: position, reason: .unexpectedByte) }
    try appendString(to: &output)
    let member = Member(key: start &+ 1..<output.count &- 1, end: 0, inputPosition: inputPosition)
    let index = scratch.members.count
    let order = index == base ? -1 : Self.compareKeys(scratch.members[index &- 1], member, in: output)
    if order == 0 { throw JSONError(position: inputPosition, reason: .duplicateKey) }
    scratch.members.append(member)
    skipWhitespace()
    guard try peek() == ASCII.colon else { throw JSONError(position: position, reason: .unexpectedByte) }
    position &+= 1
    output.append(ASCII.colon)
    skipWhitespace()
    try appendValue(to: &output)
    scratch.members[index].end = output.count
    return order < 0
  }

  /// Puts the members of the object that ends the output in order.
  private mutating func sortMembers(from base: Int, in output: inout [UInt8]) throws(JSONError) {
    let start = scratch.members[base].key.lowerBound &- 1
    let duplicate = output.withUnsafeBytes { scratch.reorder(from: base, at: start, in: $0) }
    if let duplicate { throw JSONError(position: duplicate, reason: .duplicateKey) }
    output.removeSubrange(start...)
    output.append(contentsOf: scratch.reordered)
  }

  private static func compareKeys(_ left: Member, _ right: Member, in output: [UInt8]) -> Int {
    output.withUnsafeBytes { Scratch.compareKeys(left, right, in: $0) }
  }
}

extension CanonicalPass.Scratch {
  /// Objects up to this size are sorted by insertion: they have a few keys, and those mostly in order.
  private static let fewMembers = 24

  /// Sorts the members of one object and copies them in that order, to go to `start`; the input position of a key
  /// that stands twice.
  fileprivate mutating func reorder(from base: Int, at start: Int, in output: UnsafeRawBufferPointer) -> Int?
  {
    sort(from: base, in: output)
    reordered.removeAll(keepingCapacity: true)
    for index in base..<members.count {
      let member = members[index]
      if index > base {
        let previous = members[index &- 1]
        guard Self.compareKeys(previous, member, in: output) < 0 else {
          return max(previous.inputPosition, member.inputPosition)
        }
        reordered.append(ASCII.comma)
      }
      reordered.append(contentsOf: output.part(member.key.lowerBound &- 1..<member.end))
    }
    place(from: base, at: start)
    return nil
  }

  /// Notes where the members are once they lie in their order.
  private mutating func place(from base: Int, at start: Int) {
    var begin = start
    for index in base..<members.count {
      let member = members[index]
      let key = begin &+ 1..<begin &+ 1 &+ member.key.count
      let end = begin &+ 1 &+ member.end &- member.key.lowerBound
      members[index] = CanonicalPass.Member(key: key, end: end, inputPosition: member.inputPosition)
      begin = end &+ 1
    }
  }

  private mutating func sort(from base: Int, in output: UnsafeRawBufferPointer) {
    guard members.count &- base <= Self.fewMembers else {
      return members[base...].sort { Self.compareKeys($0, $1, in: output) < 0 }
    }
    for index in (base &+ 1)..<max(base &+ 1, members.count) {
      let member = members[index]
      var place = index
      while place > base, Self.compareKeys(members[place &- 1], member, in: output) > 0 {
        members[place] = members[place &- 1]
        place &-= 1
      }
      members[place] = member
    }
  }

  @inline(__always)
  fileprivate static func compareKeys(
    _ left: CanonicalPass.Member, _ right: CanonicalPass.Member, in output: UnsafeRawBufferPointer
  ) -> Int {
    CodeUnitOrder.compareEscaped(output.part(left.key), output.part(right.key))
  }
}

// MARK: - Punctuation

extension CanonicalPass {
  @inline(__always)
  private mutating func skipWhitespace() {
    while position < input.count, ASCII.isWhitespace(input[position]) { position &+= 1 }
  }

  @inline(__always)
  private func peek() throws(JSONError) -> UInt8 {
    guard position < input.count else { throw JSONError(position: input.count, reason: .unexpectedEnd) }
    return input[position]
  }

  private mutating func enter(writing opening: UInt8, to output: inout [UInt8]) throws(JSONError) {
    if remainingNesting <= 0 { throw JSONError(position: position, reason: .nestingTooDeep) }
    remainingNesting &-= 1
    position &+= 1
    output.append(opening)
  }

  /// Steps over `closing` if it is next.
  private mutating func closes(_ closing: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    guard try peek() == closing else { return false }
    position &+= 1
    return true
  }

  /// Steps over and writes the comma after an item, or steps over `closing` and returns false.
  private mutating func continues(_ closing: UInt8, to output: inout [UInt8]) throws(JSONError) -> Bool {
    if try closes(closing) { return false }
    guard try peek() == ASCII.comma else { throw JSONError(position: position, reason: .unexpectedByte) }
    position &+= 1
    output.append(ASCII.comma)
    return true
  }
}

// MARK: - Strings

extension CanonicalPass {
  /// Appends the string whose opening quote is next.
  private mutating func appendString(to output: inout [UInt8]) throws(JSONError) {
    output.append(ASCII.quote)
    position &+= 1
    while true {
      let end = try unescapedEnd()
      output.append(contentsOf: input.part(position..<end))
      position = end
      if input[position] == ASCII.quote { break }
      try appendEscape(to: &output)
    }
    output.append(ASCII.quote)
    position &+= 1
  }

  /// The position of the next quote or backslash, all before it being valid.
  @inline(__always)
  private func unescapedEnd() throws(JSONError) -> Int {
    var end = position
    while true {
      end = input.plainTextEnd(from: end)
      guard end < input.count else { throw JSONError(position: input.count, reason: .unexpectedEnd) }
      switch input[end] {
      case ASCII.quote, ASCII.backslash: return end
      case 0..<0x20: throw JSONError(position: end, reason: .unescapedControl)
      default:
        let length = input.multibyteLength(at: end)
        if length == 0 { throw JSONError(position: end, reason: .invalidUTF8) }
        end &+= length
      }
    }
  }

  /// Appends what the escape whose backslash is next stands for.
  private mutating func appendEscape(to output: inout [UInt8]) throws(JSONError) {
    guard position &+ 1 < input.count else { throw JSONError(position: input.count, reason: .unexpectedEnd) }
    let letter = input[position &+ 1]
    if let byte = Escapes.byte(ofShortForm: letter) {
      Escapes.append(byte, to: &output)
    } else if letter == UInt8(ascii: "/") {
      output.append(letter)
    } else if letter == UInt8(ascii: "u") {
      return append(try readScalar(), to: &output)
    } else {
      throw JSONError(position: position, reason: .invalidEscape)
    }
    position &+= 2
  }

  private func append(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
    if scalar.value < 0x20 || scalar == "\"" || scalar == "\\" {
      Escapes.append(UInt8(truncatingIfNeeded: scalar.value), to: &output)
    } else {
      output.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }

  /// Reads `\uXXXX`, or two of them that make a surrogate pair.
  private mutating func readScalar() throws(JSONError) -> Unicode.Scalar {
    let start = position
    let first = try readCodeUnit()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard UTF16.isLeadSurrogate(first), position &+ 1 < input.count, input[position] == ASCII.backslash,
      input[position &+ 1] == UInt8(ascii: "u")
    else { throw JSONError(position: start, reason: .loneSurrogate) }
    let second = try readCodeUnit()
    let pair = 0x10000 &+ (UInt32(first) & 0x3FF) << 10 &+ UInt32(second) & 0x3FF
    guard UTF16.isTrailSurrogate(second), let scalar = Unicode.Scalar(pair) else {
      throw JSONError(position: start, reason: .loneSurrogate)
    }
    return scalar
  }

  /// Reads the four hexadecimal digits of an escape whose backslash is next.
  private mutating func readCodeUnit() throws(JSONError) -> UInt16 {
    var unit: UInt16 = 0
    for offset in 2..<6 {
      guard position &+ offset < input.count else {
        throw JSONError(position: input.count, reason: .unexpectedEnd)
      }
      guard let digit = ASCII.hexValue(input[position &+ offset]) else {
        throw JSONError(position: position, reason: .invalidEscape)
      }
      unit = unit << 4 | UInt16(digit)
    }
    position &+= 6
    return unit
  }
}
