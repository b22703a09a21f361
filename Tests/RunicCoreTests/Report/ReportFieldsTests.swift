import CanonicalJSON
import TestSupport
import Testing

@testable import RunicCore

@Suite struct ReportFieldsTests {
  private func read<Value>(_ text: String, _ body: (RequestFields?) -> Value) -> Value {
    Array(text.utf8).withUnsafeBytes { body(RequestFields($0)) }
  }

  private static let whole =
    #"{"accountEmail":"a@b","cacheReadTokens":1,"cacheWrite1hTokens":2,"cacheWriteTokens":3,"costUSD":0.25,"#
    + #""inputTokens":4,"model":"m","nested":{"inputTokens":99,"s":"}]\"","l":[1,{"a":[]}]},"#
    + #""occurredAt":"2026-09-05T10:20:30.999Z","outputTokens":5,"period":"d","provenance":"p/q","#
    + #""providerID":"a\"b","reasoningTokens":6,"sessionID":"s","unknown":null}"#

  @Test func everyFieldIsFound() {
    read(Self.whole) { fields in
      #expect(
        fields?.tokens
          == TokenCounts(
            input: 4, output: 5, cacheRead: 1, cacheWrite: 3, cacheWrite1h: 2, reasoning: 6))
      #expect(fields?.seconds == 1_788_603_630)
      #expect(fields?.cost.elementsEqual("0.25".utf8) == true)
      #expect(fields.map { JSONText.unescaped($0.provider) } == Array("a\"b".utf8))
      let texts = fields.map { [$0.account, $0.model, $0.session, $0.period, $0.provenance] } ?? []
      #expect(texts.map { String(decoding: $0, as: UTF8.self) } == ["a@b", "m", "s", "d", "p/q"])
      #expect(fields?.isStandard == true)
    }
  }

  /// Nothing is found outside the bytes that were handed over.
  @Test func noCutOrAlteredPayloadLeadsOutOfIt() {
    let bytes = Array(Self.whole.utf8)
    for length in bytes.indices { expectInside(Array(bytes.prefix(length))) }
    for place in bytes.indices {
      for byte in [0, 0x22, 0x5C, 0x7B, 0x7D, 0xFF] as [UInt8] {
        var altered = bytes
        altered[place] = byte
        expectInside(altered)
      }
    }
  }

  private func expectInside(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { payload in
      guard let fields = RequestFields(payload), let begin = payload.baseAddress else { return }
      for found in [
        fields.provider, fields.model, fields.session, fields.account, fields.provenance, fields.period,
        fields.cost,
      ] {
        guard let place = found.baseAddress else { continue }
        let isInside = place >= begin && place + found.count <= begin + payload.count
        #expect(isInside, "\(String(decoding: bytes, as: UTF8.self))")
      }
    }
  }

  /// Of a payload that ends early no field has another value than in the whole, but for a number that is cut itself.
  @Test func whatACutPayloadShowsIsTrue() {
    let bytes = Array(Self.whole.utf8)
    for length in bytes.indices {
      read(String(decoding: bytes.prefix(length), as: UTF8.self)) { fields in
        guard let fields else { return }
        let found = fields.tokens
        #expect([0, 4].contains(found.input) && [0, 5].contains(found.output), "\(length)")
        #expect([0, 1].contains(found.cacheRead) && [0, 3].contains(found.cacheWrite), "\(length)")
        #expect([0, 2].contains(found.cacheWrite1h) && [0, 6].contains(found.reasoning), "\(length)")
        #expect(fields.seconds == nil || fields.seconds == 1_788_603_630, "\(length)")
        #expect("0.25".utf8.starts(with: fields.cost), "\(length)")
      }
    }
  }

  @Test(arguments: [
    (#""serviceTier":"standard""#, true), (#""serviceTier":"priority""#, false), (#""speed":"fast""#, false),
    (#""speed":"standard""#, true), (#""speed":null"#, true),
    (#""serviceTier":"batch","speed":"standard""#, false),
  ])
  func aTierOrSpeedIsSeen(member: String, isStandard: Bool) {
    read("{\(member)}") { #expect($0?.isStandard == isStandard) }
  }

  @Test(
    arguments: [
      ("2026-09-05T10:20:30Z", 1_788_603_630), ("1969-12-31T23:59:59.5Z", -1),
      ("0001-01-01T00:00:00Z", -62_135_596_800),
      ("2026-09-05T10:20:30+02:00", nil), ("2026-09-05", nil), ("20x6-09-05T10:20:30Z", nil), ("", nil),
    ] as [(String, Int64?)])
  func timesAreReadAsStored(text: String, seconds: Int64?) {
    read(#"{"occurredAt":"\#(text)"}"#) { #expect($0?.seconds == seconds) }
  }

  @Test func theWalkAgreesWithTheParser() throws {
    let seed: UInt64 = 5
    var random = SeededRandom(seed: seed)
    for round in 0..<500 {
      var object: JSONObject = [:]
      for key in ["inputTokens", "outputTokens", "cacheReadTokens"] as [JSONString]
      where Bool.random(using: &random) {
        object[key] = .integer(
          Int64.random(in: 0 ... .max, using: &random) >> Int64.random(in: 0..<63, using: &random))
      }
      for key in ["model", "sessionID", "a", "zz"] as [JSONString] {
        let scalars = ["\"", "\\", "x", "\n", "é", "😀", "{", "}", ",", ":"]
        let text = (0..<Int.random(in: 0..<24, using: &random)).map { _ in
          scalars.randomElement(using: &random) ?? ""
        }
        object[key] = .string(JSONString(text.joined()))
      }
      object["nest"] = .object(["k": .object(object), "l": .array([.null, .object(object)])])
      object.canonicalBytes.withUnsafeBytes { bytes in
        let fields = RequestFields(bytes)
        #expect(fields?.tokens.input == object["inputTokens"]?.intValue ?? 0, "seed \(seed), round \(round)")
        #expect(
          fields?.tokens.output == object["outputTokens"]?.intValue ?? 0, "seed \(seed), round \(round)")
        #expect(
          fields.map { JSONText.unescaped($0.session) } == object["sessionID"]?.stringValue?.utf8,
          "seed \(seed), round \(round)")
      }
    }
  }

  @Test func pairsKeepTheirNumbers() {
    let seed: UInt64 = 9
    var random = SeededRandom(seed: seed)
    var interner = ByteInterner()
    var known: [[[UInt8]]: Int] = [:]
    for _ in 0..<5000 {
      // Few bytes and short ones, so that ends and borders are alike.
      let pair = (0..<2).map { _ in
        (0..<Int.random(in: 0..<4, using: &random)).map { _ in UInt8.random(in: 0..<3, using: &random) }
      }
      let number = pair[0].withUnsafeBytes { first in pair[1].withUnsafeBytes { interner.number(first, $0) } }
      #expect(known[pair] == nil || known[pair] == number, "seed \(seed), \(pair)")
      known[pair] = number
    }
    #expect(Set(known.values).count == known.count && interner.count == known.count)
  }
}
