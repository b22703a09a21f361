/// Where the parts of one number lie in a text, as the grammar of RFC 8259, section 6, cuts it.
struct NumberLiteral {
  let start: Int
  /// The first digit, after the sign.
  let digits: Int
  /// After the last digit before the point.
  let integerEnd: Int
  /// After the last digit of the fraction; `integerEnd` without one.
  let fractionEnd: Int
  let end: Int

  /// Reads the number that begins at `start`.
  @inline(__always)
  init(in text: UnsafeRawBufferPointer, at start: Int) throws(JSONError) {
    self.start = start
    digits = start < text.count && text[start] == ASCII.minus ? start &+ 1 : start
    integerEnd = try Self.digitsEnd(in: text, from: digits)
    if text[digits] == ASCII.zero, integerEnd &- digits > 1 {
      throw JSONError(position: digits, reason: .leadingZero)
    }
    var position = integerEnd
    if position < text.count, text[position] == ASCII.point {
      position = try Self.digitsEnd(in: text, from: position &+ 1)
    }
    fractionEnd = position
    if position < text.count, text[position] | 0x20 == ASCII.exponent {
      position &+= 1
      let hasSign = position < text.count && (text[position] == ASCII.plus || text[position] == ASCII.minus)
      if hasSign { position &+= 1 }
      position = try Self.digitsEnd(in: text, from: position)
    }
    end = position
  }

  /// The position after a run of at least one digit.
  @inline(__always)
  private static func digitsEnd(in text: UnsafeRawBufferPointer, from start: Int) throws(JSONError) -> Int {
    var position = start
    while position < text.count, ASCII.isDigit(text[position]) { position &+= 1 }
    if position == start {
      throw JSONError(position: start, reason: start < text.count ? .unexpectedByte : .unexpectedEnd)
    }
    return position
  }

  var isInteger: Bool { integerEnd == end }
}

extension NumberLiteral {
  /// Whether the literal stands in canonical form already.
  @inline(__always)
  func requireCanonical(in text: UnsafeRawBufferPointer) throws(JSONError) {
    if let cut = canonicalCut(in: text) {
      if cut == end, !isNegativeZero(in: text, cut: cut) { return }
      throw JSONError(position: start, reason: .notCanonical)
    }
    if isDescription(of: Self.double(text.part(start..<end)), in: text) { return }
    var canonical: [UInt8] = []
    try appendDouble(from: text, to: &canonical)
    guard text.part(start..<end).elementsEqual(canonical) else {
      throw JSONError(position: start, reason: .notCanonical)
    }
  }

  /// Appends the canonical form.
  func appendCanonical(from text: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(JSONError) {
    guard let cut = canonicalCut(in: text) else { return try appendDouble(from: text, to: &output) }
    if isNegativeZero(in: text, cut: cut) {
      output.append(ASCII.zero)
    } else {
      output.append(contentsOf: text.part(start..<cut))
    }
  }

  /// Where the text has to be cut to be the canonical form (a sign before zero aside), found without a double;
  /// nil where that takes one.
  ///
  /// An integer inside Int64 keeps its digits. A decimal fraction of at most 15 significant digits does, but for
  /// zeros at its end: no other decimal of that size is nearest to the same double, so those digits are the
  /// shortest ones that name it.
  @inline(__always)
  private func canonicalCut(in text: UnsafeRawBufferPointer) -> Int? {
    if integerEnd == end {
      return integerEnd &- digits <= 18 || Self.int64(text.part(start..<end)) != nil ? end : nil
    }
    guard fractionEnd == end else { return nil }
    var cut = fractionEnd
    while text[cut &- 1] == ASCII.zero { cut &-= 1 }
    if text[cut &- 1] == ASCII.point { return integerEnd &- digits <= 15 ? integerEnd : nil }
    if text[digits] != ASCII.zero { return cut &- digits &- 1 <= 15 ? cut : nil }
    var firstDigit = integerEnd &+ 1
    while text[firstDigit] == ASCII.zero { firstDigit &+= 1 }
    let zeros = firstDigit &- integerEnd &- 1
    return zeros <= 5 && cut &- firstDigit <= 15 ? cut : nil
  }

  private func isNegativeZero(in text: UnsafeRawBufferPointer, cut: Int) -> Bool {
    digits != start && cut &- digits == 1 && text[digits] == ASCII.zero
  }

  /// Whether a decimal fraction is written as the standard library writes its value. Without an exponent and a
  /// zero at the end, that is the canonical form too: the shortest digits, laid out alike.
  private func isDescription(of value: Double, in text: UnsafeRawBufferPointer) -> Bool {
    guard !isInteger, fractionEnd == end, text[end &- 1] != ASCII.zero else { return false }
    var description = value.description
    return description.withUTF8 { $0.elementsEqual(text.part(start..<end)) }
  }

  /// Appends the nearest double as RFC 8785 writes it.
  private func appendDouble(from text: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(JSONError) {
    let value = Self.double(text.part(start..<end))
    if isDescription(of: value, in: text) { return output.append(contentsOf: text.part(start..<end)) }
    guard value.isFinite else { throw JSONError(position: start, reason: .numberOverflow) }
    let isZero = text.part(digits..<fractionEnd).allSatisfy { $0 == ASCII.zero || $0 == ASCII.point }
    guard isZero || value != 0 else { throw JSONError(position: start, reason: .numberUnderflow) }
    let written = output.count
    ShortestDecimal(value).append(to: &output)
    // Digits that a double cannot hold would be lost without a word.
    if isInteger, !output[written...].elementsEqual(text.part(start..<end)) {
      throw JSONError(position: start, reason: .integerOutOfRange)
    }
  }

  /// The value of a literal without fraction and exponent, nil outside Int64.
  static func int64(_ literal: UnsafeRawBufferPointer) -> Int64? {
    let isNegative = literal.first == ASCII.minus
    var value: Int64 = 0
    var position = isNegative ? 1 : 0
    guard position < literal.count else { return nil }
    while position < literal.count {
      guard ASCII.isDigit(literal[position]) else { return nil }
      let digit = Int64(literal[position] &- ASCII.zero)
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) =
        isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      if overflow || carry { return nil }
      value = sum
      position &+= 1
    }
    return value
  }

  /// The double nearest to a literal (ties to even); infinite where it is too large for one.
  static func double(_ literal: UnsafeRawBufferPointer) -> Double {
    Double(String(decoding: literal, as: UTF8.self)) ?? .infinity
  }
}
