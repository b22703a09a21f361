/// The shortest decimal that reads back as one double, and of those the nearest: significand x 10^exponent, without
/// zeros at the end of the significand.
///
/// The digits are those of the standard library's `description`, which promises exactly this; the layout is that of
/// ECMAScript's Number::toString, as RFC 8785, 3.2.2.3, asks.
struct ShortestDecimal {
  let isNegative: Bool
  let significand: UInt64
  let exponent: Int

  /// - Parameter value: finite; an infinity or a NaN reads as zero here.
  init(_ value: Double) {
    var (digits, power): (UInt64, Int) = (0, 0)
    var (isFraction, writtenPower, powerSign): (Bool, Int?, Int) = (false, nil, 1)
    for byte in value.description.utf8 {
      switch byte {
      case ASCII.point: isFraction = true
      case ASCII.exponent: writtenPower = 0
      case ASCII.minus: if writtenPower != nil { powerSign = -1 }
      case _ where !ASCII.isDigit(byte): break
      default:
        let digit = byte &- ASCII.zero
        if let soFar = writtenPower {
          writtenPower = soFar &* 10 &+ Int(digit)
        } else {
          digits = digits &* 10 &+ UInt64(digit)
          if isFraction { power &-= 1 }
        }
      }
    }
    power &+= (writtenPower ?? 0) &* powerSign
    while digits != 0, digits % 10 == 0 {
      digits /= 10
      power &+= 1
    }
    (isNegative, significand, exponent) = (value < 0, digits, power)
  }

  /// Appends the number as ECMAScript writes it: plain from 1e-6 to below 1e21, else with an exponent.
  func append(to output: inout [UInt8]) {
    guard significand != 0 else { return output.append(ASCII.zero) }
    if isNegative { output.append(ASCII.minus) }
    let length = Decimal.digitCount(significand)
    let pointPlace = length &+ exponent
    switch pointPlace {
    case 1...21 where pointPlace >= length:
      Decimal.append(significand, digits: length, to: &output)
      output.append(contentsOf: repeatElement(ASCII.zero, count: exponent))
    case 1...21:
      appendWithPoint(after: pointPlace, length: length, to: &output)
    case -5...0:
      output.append(contentsOf: [ASCII.zero, ASCII.point])
      output.append(contentsOf: repeatElement(ASCII.zero, count: 0 &- pointPlace))
      Decimal.append(significand, digits: length, to: &output)
    default:
      appendWithPoint(after: 1, length: length, to: &output)
      output.append(ASCII.exponent)
      output.append(pointPlace > 0 ? ASCII.plus : ASCII.minus)
      Decimal.append((pointPlace &- 1).magnitude, to: &output)
    }
  }

  private func appendWithPoint(after place: Int, length: Int, to output: inout [UInt8]) {
    let start = output.count
    Decimal.append(significand, digits: length, to: &output)
    if place < length { output.insert(ASCII.point, at: start &+ place) }
  }
}

/// Decimal digits of whole numbers.
enum Decimal {
  static func append(_ value: Int64, to output: inout [UInt8]) {
    if value < 0 { output.append(ASCII.minus) }
    append(value.magnitude, digits: digitCount(value.magnitude), to: &output)
  }

  static func append(_ value: UInt, to output: inout [UInt8]) {
    append(UInt64(value), digits: digitCount(UInt64(value)), to: &output)
  }

  static func append(_ value: UInt64, digits: Int, to output: inout [UInt8]) {
    output.append(contentsOf: repeatElement(ASCII.zero, count: digits))
    var (rest, position) = (value, output.count)
    while rest != 0, position > 0 {
      position &-= 1
      output[position] = ASCII.zero &+ UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    }
  }

  static func digitCount(_ value: UInt64) -> Int {
    var (count, rest) = (1, value / 10)
    while rest != 0 {
      count &+= 1
      rest /= 10
    }
    return count
  }
}
