import CanonicalJSON
import ObjectStore
import Testing

@testable import RunicCore

@Suite struct KindNaturalIDTests {
  private func natural(_ kind: Kind, _ payload: String, _ source: RequestSource = .typed) throws -> NaturalID
  {
    var fingerprinter = Fingerprinter()
    // A slice that does not begin at 0, as payloads in a commit's line do.
    let bytes = Array("xy\(payload)z".utf8)
    return try kind.naturalID(of: bytes.dropFirst(2).dropLast(), source: source, using: &fingerprinter)
  }

  private func text(_ id: NaturalID) -> String { String(decoding: id.id, as: UTF8.self) }

  @Test func theFingerprintIsOverFamilyKindAndBytes() {
    let payload = Array("{}".utf8)
    let expected = SHA256.hash(Array("history\0usage\0{}".utf8))
    #expect(Fingerprint.of(payload, family: .history, kind: "usage") == expected)
    #expect(
      Fingerprint.of(payload, family: .keys, kind: "usage") == SHA256.hash(Array("keys\0usage\0{}".utf8)))
    var fingerprinter = Fingerprinter()
    for _ in 0..<2 {
      #expect(fingerprinter.fingerprint(of: payload[...], family: .history, kind: "usage") == expected)
    }
  }

  @Test func aHistoryWithoutAKeyIsCalledByItsFingerprint() throws {
    let payload = #"{"primaryUsed":1,"providerID":"p"}"#
    let id = try natural(.usage, payload)
    #expect(text(id) == Fingerprint.of(Array(payload.utf8), family: .history, kind: "usage").hex)
    #expect(id.rank == .zero)
  }

  @Test(arguments: [
    (#"{"run":"r1"}"#, "r1"), (#"{"run":"a\"b"}"#, "a\"b"), (#"{"run":5}"#, "5"), (#"{"run":0.5}"#, "0.5"),
    (#"{"run":true}"#, "true"), (#"{"a":1,"run":"x","z":2}"#, "x"),
    (#"{"run":null}"#, "run: a string or number"), (#"{"run":[1]}"#, "run: a string or number"),
    (#"{"run":{}}"#, "run: a string or number"), (#"{"a":1}"#, "run: missing"), (#"{"run":""}"#, "bad id"),
    ("{\"run\":\"\(String(repeating: "x", count: 257))\"}", "bad id"), ("[]", "payload: typeMismatch"),
  ])
  func aKeyFieldNamesTheRecord(_ row: (payload: String, expected: String)) throws {
    for rule in [Kind.Rule.history(key: "run"), .perKey(key: "run"), .lastWriterWins(key: "run")] {
      var found = ""
      let refused = refusal { found = text(try natural(Kind("x", rule), row.payload)) }
      #expect((refused == "taken" ? found : refused) == row.expected)
    }
  }

  @Test func aKeyedRecordIsCalledByItsDefaultOrTyped() throws {
    #expect(text(try natural(.preferences, "{}")) == "user-preferences")
    #expect(text(try natural(.alert, #"{"providerID":"claude"}"#)) == "claude")
    #expect(refusal { try natural(Kind("x", .perKey(key: nil)), "{}") } == "bad id")
  }

  @Test(arguments: [
    (#"{"providerID":"p","requestID":"r"}"#, "p/r", Rank([1])),
    (#"{"inputTokens":5,"providerID":"p","requestID":"r"}"#, "p/r", Rank([1, 0, 5])),
    (
      #"{"cacheReadTokens":1,"cacheWrite1hTokens":9,"cacheWriteTokens":2,"inputTokens":4,"outputTokens":8,"providerID":"p","reasoningTokens":7,"requestID":"r"}"#,
      "p/r", Rank([1, 0, 15])
    ),
    (
      #"{"inputTokens":9223372036854775807,"outputTokens":5,"providerID":"p","requestID":"r"}"#, "p/r",
      Rank([1, 0, .max])
    ),
  ])
  func aRequestIsCalledByProviderAndRequest(_ row: (payload: String, id: String, rank: Rank?)) throws {
    let id = try natural(.request, row.payload)
    #expect(text(id) == row.id)
    #expect(id.rank == row.rank)
  }

  @Test func aRequestWithoutARequestIDIsCalledByItsFingerprint() throws {
    for payload in [#"{"providerID":"p"}"#, #"{"providerID":"p","requestID":""}"#] {
      let id = try natural(.request, payload)
      #expect(text(id) == Fingerprint.of(Array(payload.utf8), family: .history, kind: "request").hex)
      #expect(id.rank == [1])
    }
  }

  @Test func anImporterSaysTheFirstPlacesOfTheRank() throws {
    let payload = #"{"outputTokens":3,"providerID":"p","requestID":"r"}"#
    #expect(try natural(.request, payload, RequestSource(place: 0, revision: 2)).rank == [0, 2, 3])
    #expect(
      refusal {
        try natural(
          .request, "{\"providerID\":\"p\",\"requestID\":\"\(String(repeating: "r", count: 255))\"}")
      } == "bad id")
  }
}
