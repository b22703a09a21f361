import CanonicalJSON
import TestSupport
import Testing

@Suite struct RandomTests {
  private static let scalars: [Unicode.Scalar] = [
    "a", "b", "Z", "0", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "é", "€", "\u{FFFF}", "😂",
  ]

  private static func string(_ random: inout SeededRandom) -> JSONString {
    var text = String.UnicodeScalarView()
    for _ in 0..<random.below(random.below(4) == 0 ? 20 : 4) {
      text.append(scalars[random.below(scalars.count)])
    }
    return JSONString(String(text))
  }

  private static func value(_ random: inout SeededRandom, depth: Int) -> JSONValue {
    switch random.below(depth > 0 ? 8 : 6) {
    case 0: return .null
    case 1: return .bool(random.below(2) == 0)
    case 2: return .integer(Int64(bitPattern: random.next() >> UInt64(random.below(64))))
    case 3: return JSONValue.number(Double(bitPattern: random.next())) ?? 0.5
    case 4: return JSONValue.number(Double(random.below(100_000)) / 1000) ?? 0.5
    case 5: return .string(string(&random))
    case 6: return .array((0..<random.below(5)).map { _ in value(&random, depth: depth - 1) })
    default:
      var object = JSONObject()
      for _ in 0..<random.below(6) { object[string(&random)] = value(&random, depth: depth - 1) }
      return .object(object)
    }
  }

  /// The same value in one of its many other forms.
  private static func loose(_ value: JSONValue, _ random: inout SeededRandom) -> String {
    let space = [" ", "\n", "\t\r", "", "", ""][random.below(6)]
    switch value {
    case .array(let values):
      return "[" + space + values.map { loose($0, &random) }.joined(separator: space + ",") + space + "]"
    case .object(let object):
      let members = object.shuffled(using: &random).map {
        loose(.string($0.key), &random) + space + ":" + loose($0.value, &random)
      }
      return "{" + space + members.joined(separator: "," + space) + space + "}"
    case .string(let string):
      let escapes = string.string.utf16.map { unit in
        random.below(2) == 0 && unit < 0x80 && unit >= 0x20 && unit != 0x22 && unit != 0x5C
          ? String(decoding: [unit], as: UTF16.self)
          : "\\u" + String(0x10000 | UInt32(unit), radix: 16, uppercase: random.below(2) == 0).dropFirst()
      }
      return space + "\"" + escapes.joined() + "\""
    default: return space + String(decoding: value.canonicalBytes, as: UTF8.self)
    }
  }

  @Test func everyFormOfAValueGivesOneCanonicalForm() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    for _ in 0..<3_000 {
      let value = Self.value(&random, depth: 4)
      let canonical = value.canonicalBytes
      #expect(canonicalError(canonical) == nil, "seed \(seed)")
      #expect(try JSONValue.parse(canonical) == value, "seed \(seed)")
      let text = Array(Self.loose(value, &random).utf8)
      #expect(
        try canonicalized(text).get() == canonical, "seed \(seed): \(String(decoding: text, as: UTF8.self))")
    }
  }

  /// Whatever a flipped, dropped or doubled byte makes of a text: what is accepted has one form, which stays.
  @Test func damagedTextsAreRefusedOrHaveOneForm() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var (accepted, refused) = (0, 0)
    let bytesOfInterest = Array("{}[]\",:\\u0019-+.eE \ntfn/".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF]
    for _ in 0..<10_000 {
      var text = Array(Self.loose(Self.value(&random, depth: 3), &random).utf8)
      for _ in 0...random.below(3) where !text.isEmpty {
        let place = random.below(text.count)
        switch random.below(4) {
        case 0: text[place] = UInt8(truncatingIfNeeded: random.next())
        case 1: text[place] = bytesOfInterest[random.below(bytesOfInterest.count)]
        case 2: text.remove(at: place)
        default: text.insert(bytesOfInterest[random.below(bytesOfInterest.count)], at: place)
        }
      }
      switch canonicalized(text) {
      case .success(let canonical):
        accepted += 1
        #expect(canonicalError(canonical) == nil, "seed \(seed): \(text)")
        #expect(try canonicalized(canonical).get() == canonical, "seed \(seed): \(text)")
        #expect((canonicalError(text) == nil) == (text == canonical), "seed \(seed): \(text)")
        #expect(try JSONValue.parse(text).canonicalBytes == canonical, "seed \(seed): \(text)")
      case .failure(let error):
        refused += 1
        #expect((0...text.count).contains(error.position), "seed \(seed): \(text)")
        #expect(canonicalError(text) != nil, "seed \(seed): \(text)")
      }
    }
    // Seeds differ: about a thousand are accepted.
    #expect(accepted > 500 && refused > 500, "seed \(seed)")
  }

  @Test func everyPrefixOfATextIsRefusedAtItsEnd() {
    let text = Array(#"{"a":[1.5,-2,true,false,null,"x\u0000é😂\n"],"b":{"c":1e+21}}"#.utf8)
    for length in 0..<text.count {
      let prefix = Array(text[..<length])
      guard case .refused(let reason, _) = outcome(prefix) else {
        Issue.record("prefix of \(length) bytes was accepted")
        continue
      }
      #expect(reason == .unexpectedEnd || reason == .invalidUTF8)
    }
  }

  @Test func oneCanonicalizerServesManyTextsWhateverWentWrongBefore() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    var canonicalizer = Canonicalizer()
    var (output, expected): ([UInt8], [UInt8]) = ([], [])
    for _ in 0..<1_000 {
      let value = Self.value(&random, depth: 4)
      var text = Array(Self.loose(value, &random).utf8)
      let isDamaged = random.below(2) == 0
      if isDamaged { text += Array("]".utf8) } else { expected += value.canonicalBytes }
      let error = text.withUnsafeBytes { bytes -> JSONError? in
        do throws(JSONError) {
          try canonicalizer.canonicalize(bytes, into: &output)
          return nil
        } catch { return error }
      }
      #expect((error != nil) == isDamaged, "seed \(seed)")
      #expect(output == expected, "seed \(seed)")
    }
  }
}
