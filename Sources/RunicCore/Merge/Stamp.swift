/// A hybrid logical clock reading: 48 bits of milliseconds since 1970 and 16 bits of counter.
///
/// Stamps only order writes that did not know of each other. All arithmetic stops at the ends instead of
/// trapping, since stamps also come from other machines.
public struct Stamp: Hashable, Comparable, Sendable {
  public let rawValue: UInt64

  public static let zero = Stamp(rawValue: 0)
  public static let greatest = Stamp(rawValue: .max)

  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// A reading of the wall clock; times before 1970 or beyond 48 bits count as the nearest that fits.
  public init(milliseconds: Int64, counter: UInt16 = 0) {
    let bounded = min(max(milliseconds, 0), (1 << 48) - 1)
    rawValue = UInt64(bounded) << 16 | UInt64(counter)
  }

  /// Reads exactly 16 lower-case hex digits.
  public init?(hex: String) {
    let digits = hex.utf8
    guard digits.count == 16 else { return nil }
    var value: UInt64 = 0
    for digit in digits {
      switch digit {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): value = value << 4 | UInt64(digit &- UInt8(ascii: "0"))
      case UInt8(ascii: "a")...UInt8(ascii: "f"):
        value = value << 4 | UInt64(digit &- UInt8(ascii: "a") &+ 10)
      default: return nil
      }
    }
    rawValue = value
  }

  /// Exactly 16 lower-case hex digits; they sort as the stamps do.
  public var hex: String {
    let digits = String(rawValue, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }

  public var milliseconds: Int64 { Int64(truncatingIfNeeded: rawValue >> 16) }
  public var counter: UInt16 { UInt16(truncatingIfNeeded: rawValue) }

  /// The next stamp; a full counter carries into the milliseconds, the greatest stamp stays as it is.
  public var successor: Stamp {
    Stamp(rawValue: rawValue == .max ? .max : rawValue &+ 1)
  }

  public static func < (a: Stamp, b: Stamp) -> Bool { a.rawValue < b.rawValue }
}
