/// What a report reads of one request's payload, where it lies: nothing is copied.
///
/// A payload in the index was checked when it was recorded and again when its commit was read, so this walk looks
/// only for where things are. Whatever the bytes hold, nothing outside them is read. Strings are as JSON writes
/// them, without quotes and with their escapes.
struct RequestFields {
  private static var empty: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  var provider = Self.empty
  var model = Self.empty
  var session = Self.empty
  var account = Self.empty
  /// Of a row that sums up many requests: the program and the table that printed it.
  var provenance = Self.empty
  /// What such a row is about, as printed.
  var period = Self.empty
  /// As JSON writes the number; empty where there is none.
  var cost = Self.empty
  var tokens = TokenCounts()
  /// Seconds since 1970; nil where the record has no such time.
  var seconds: Int64?
  /// Neither a tier nor a speed other than the standard ones is named.
  var isStandard = true
  /// Of a row that sums up many requests: the machine's own logs hold them.
  var repeatsLogs = false

  /// Nil for what is no object.
  init?(_ payload: UnsafeRawBufferPointer) {
    var scan = FlatScan(payload)
    guard scan.begin() else { return nil }
    while let key = scan.key() {
      guard let value = scan.value() else { return nil }
      take(key, value)
    }
  }

  /// The time alone, for what need not look at the rest.
  static func seconds(in payload: UnsafeRawBufferPointer, key: StaticString) -> Int64? {
    if let last = lastText(in: payload, key: key) { return CompactTime.seconds(last) }
    var scan = FlatScan(payload)
    guard scan.begin() else { return nil }
    while let found = scan.key(), let value = scan.value() {
      if found.equals(key) { return CompactTime.seconds(value.unquoted) }
    }
    return nil
  }

  /// The text of a key that is the object's last, seen from the end; nil where it is not, or not seen at once.
  ///
  /// No string holds a quote without a backslash before it, so `,"key":"` begins a member wherever it stands.
  private static func lastText(
    in payload: UnsafeRawBufferPointer, key: StaticString
  ) -> UnsafeRawBufferPointer? {
    let quote = UInt8(ascii: "\"")
    let end = payload.count &- 2
    guard end > 0, payload[end] == quote, payload[end &+ 1] == UInt8(ascii: "}") else { return nil }
    var begin = end
    let least = max(0, end &- CompactTime.longest &- 1)
    while begin > least, payload[begin &- 1] != quote { begin &-= 1 }
    let name = begin &- 3 &- key.utf8CodeUnitCount
    guard name > 1, payload[begin &- 1] == quote, payload[begin &- 2] == UInt8(ascii: ":"),
      payload[begin &- 3] == quote, payload[name &- 1] == quote, payload[name &- 2] == UInt8(ascii: ","),
      UnsafeRawBufferPointer(rebasing: payload[name..<begin &- 3]).equals(key)
    else { return nil }
    return UnsafeRawBufferPointer(rebasing: payload[begin..<end])
  }

  @inline(__always)
  private mutating func take(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    switch key.count {
    case 5:
      if key.equals("model") { model = value.unquoted } else if key.equals("speed") { takeTier(value) }
    case 6: if key.equals("period") { period = value.unquoted }
    case 7: if key.equals("costUSD") { cost = value }
    case 9: if key.equals("sessionID") { session = value.unquoted }
    case 10:
      if key.equals("occurredAt") {
        seconds = CompactTime.seconds(value.unquoted)
      } else if key.equals("providerID") {
        provider = value.unquoted
      } else if key.equals("provenance") {
        provenance = value.unquoted
      }
    case 11:
      if key.equals("inputTokens") {
        tokens.input = value.count64
      } else if key.equals("serviceTier") {
        takeTier(value)
      } else if key.equals("repeatsLogs") {
        repeatsLogs = value.equals("true")
      }
    case 12:
      if key.equals("outputTokens") {
        tokens.output = value.count64
      } else if key.equals("accountEmail") {
        account = value.unquoted
      }
    case 15:
      if key.equals("cacheReadTokens") {
        tokens.cacheRead = value.count64
      } else if key.equals("reasoningTokens") {
        tokens.reasoning = value.count64
      }
    case 16: if key.equals("cacheWriteTokens") { tokens.cacheWrite = value.count64 }
    case 18: if key.equals("cacheWrite1hTokens") { tokens.cacheWrite1h = value.count64 }
    default: break
    }
  }

  private mutating func takeTier(_ value: UnsafeRawBufferPointer) {
    if !value.equals("null"), !value.equals("\"standard\""), !value.equals("\"\"") { isStandard = false }
  }
}

/// Walks over the members of one flat JSON object; what is nested is stepped over.
struct FlatScan {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  mutating func begin() -> Bool {
    guard bytes.first == UInt8(ascii: "{") else { return false }
    position = 1
    return true
  }

  /// The next key, between its quotes; nil at the end.
  @inline(__always)
  mutating func key() -> UnsafeRawBufferPointer? {
    if position < bytes.count, bytes[position] == UInt8(ascii: ",") { position &+= 1 }
    guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return nil }
    let begin = position &+ 1
    let end = stringEnd(from: begin)
    guard end &+ 1 < bytes.count, bytes[end &+ 1] == UInt8(ascii: ":") else { return nil }
    position = end &+ 2
    return UnsafeRawBufferPointer(rebasing: bytes[begin..<end])
  }

  /// The value after the key, quotes included; nil where it does not end.
  @inline(__always)
  mutating func value() -> UnsafeRawBufferPointer? {
    let begin = position
    guard begin < bytes.count else { return nil }
    switch bytes[begin] {
    case UInt8(ascii: "\""):
      let end = stringEnd(from: begin &+ 1)
      guard end < bytes.count else { return nil }
      position = end &+ 1
    case UInt8(ascii: "{"), UInt8(ascii: "["): guard skipNested() else { return nil }
    default:
      while position < bytes.count, bytes[position] != UInt8(ascii: ","),
        bytes[position] != UInt8(ascii: "}")
      {
        position &+= 1
      }
    }
    return UnsafeRawBufferPointer(rebasing: bytes[begin..<position])
  }

  private mutating func skipNested() -> Bool {
    var depth = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth &+= 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"): depth &-= 1
      case UInt8(ascii: "\""): position = stringEnd(from: position &+ 1)
      default: break
      }
      position &+= 1
      if depth == 0 { return position <= bytes.count }
    }
    return false
  }

  /// Where the closing quote stands; the end of the bytes where there is none. Eight bytes at a time.
  @inline(__always)
  private func stringEnd(from start: Int) -> Int {
    var place = start
    while true {
      while place &+ 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        if Self.mayHold(0x22, word) || Self.mayHold(0x5C, word) { break }
        place &+= 8
      }
      guard place < bytes.count else { return bytes.count }
      switch bytes[place] {
      case UInt8(ascii: "\""): return place
      case UInt8(ascii: "\\"): place &+= 2
      default: place &+= 1
      }
    }
  }

  /// Whether one of the eight bytes is this one (it may err towards yes).
  @inline(__always)
  private static func mayHold(_ byte: UInt64, _ word: UInt64) -> Bool {
    let difference = word ^ (byte &* 0x0101_0101_0101_0101)
    return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080 != 0
  }
}

extension UnsafeRawBufferPointer {
  /// The inside of a string; empty for anything else.
  @inline(__always)
  var unquoted: UnsafeRawBufferPointer {
    guard count >= 2, self[0] == UInt8(ascii: "\"") else {
      return UnsafeRawBufferPointer(start: nil, count: 0)
    }
    return UnsafeRawBufferPointer(rebasing: self[1..<count &- 1])
  }

  @inline(__always)
  func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }

  /// A count of tokens: digits that fit Int64; 0 for anything else.
  @inline(__always)
  var count64: Int64 {
    var value: Int64 = 0
    guard count <= 19 else { return 0 }
    for byte in self {
      let digit = byte &- 0x30
      guard digit < 10 else { return 0 }
      let (product, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, overflowsToo) = product.addingReportingOverflow(Int64(digit))
      if overflow || overflowsToo { return 0 }
      value = sum
    }
    return value
  }
}

/// Times as they are stored: `2026-09-05T12:00:00Z`, a fraction before the `Z`.
enum CompactTime {
  /// More than any stored time has bytes.
  static let longest = 40

  /// Seconds since 1970, the fraction cut off; nil for anything else.
  @inline(__always)
  static func seconds(_ text: UnsafeRawBufferPointer) -> Int64? {
    guard text.count >= 20, text[text.count &- 1] == UInt8(ascii: "Z"), text[10] == UInt8(ascii: "T") else {
      return nil
    }
    var wrong: UInt8 = 0
    func two(_ place: Int) -> Int64 {
      let (tens, ones) = (text[place] &- 0x30, text[place &+ 1] &- 0x30)
      wrong |= tens < 10 && ones < 10 ? 0 : 1
      return Int64(tens) &* 10 &+ Int64(ones)
    }
    let year = two(0) &* 100 &+ two(2)
    let day = CivilDate.number(year: year, month: two(5), day: two(8))
    let clock = two(11) &* 3600 &+ two(14) &* 60 &+ two(17)
    return wrong == 0 ? day &* 86_400 &+ clock : nil
  }
}
