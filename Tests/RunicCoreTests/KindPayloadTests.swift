import CanonicalJSON
import TestSupport
import Testing

@testable import RunicCore

/// The kind that a table names.
func builtIn(_ name: String) throws -> Kind { try KindRegistry().kind(name) }

/// What is wrong with a field, in a form that tables can hold.
func refusal(_ body: () throws -> some Any) -> String {
  do {
    _ = try body()
    return "taken"
  } catch RunicError.badField(_, let field, let problem) {
    switch problem {
    case .missing: return "\(field): missing"
    case .type(let expected): return "\(field): \(expected)"
    case .outOfBounds(let least, let greatest): return "\(field): \(least)...\(greatest)"
    case .notATime: return "\(field): not a time"
    case .rule(let name): return "\(field): \(name)"
    }
  } catch RunicError.badPayload(let error) {
    return "payload: \(error.reason)"
  } catch RunicError.badID {
    return "bad id"
  } catch {
    return "\(error)"
  }
}

func prepared(_ kind: Kind, _ payload: String, filling: [FilledField] = []) throws -> String {
  var output = Array("kept".utf8)
  let outcome = Array(payload.utf8).withUnsafeBytes { bytes -> Result<Void, RunicError> in
    do throws(RunicError) {
      return .success(try kind.prepare(bytes, filling: filling, into: &output))
    } catch {
      return .failure(error)
    }
  }
  if case .failure = outcome { #expect(output == Array("kept".utf8)) }
  try outcome.get()
  return String(String(decoding: output, as: UTF8.self).dropFirst(4))
}

@Suite struct KindPayloadTests {
  static let usage = #""primaryUsed":1,"providerID":"p""#
  static let request = #""occurredAt":"2026-09-05T10:00:00Z","providerID":"p""#

  @Test(arguments: [
    ("usage", "{\(usage)}", "taken"),
    ("usage", #"{"primaryUsed":1}"#, "providerID: missing"),
    ("usage", #"{"providerID":"p"}"#, "primaryUsed: missing"),
    ("usage", #"{"primaryUsed":1.5,"providerID":"p"}"#, "primaryUsed: a 64-bit integer"),
    ("usage", #"{"primaryUsed":"1","providerID":"p"}"#, "primaryUsed: a 64-bit integer"),
    ("usage", #"{"primaryUsed":9223372036854775807,"providerID":"p"}"#, "taken"),
    ("usage", #"{"primaryUsed":9223372036854776000,"providerID":"p"}"#, "primaryUsed: a 64-bit integer"),
    ("usage", #"{"primaryUsed":1,"providerID":null}"#, "providerID: a string"),
    ("usage", #"{"costUSD":0.25,\#(usage)}"#, "taken"),
    ("usage", #"{"costUSD":"0.25",\#(usage)}"#, "costUSD: a number"),
    ("usage", #"{\#(usage),"updatedAt":"2026-09-05T10:00:00Z"}"#, "taken"),
    ("usage", #"{\#(usage),"updatedAt":"yesterday"}"#, "updatedAt: not a time"),
    ("usage", #"{\#(usage),"updatedAt":1788602400}"#, "updatedAt: a time"),
    ("usage", #"{"primaryResetsAt":"soon",\#(usage)}"#, "primaryResetsAt: not a time"),
    ("usage", #"{\#(usage),"secondaryResetsAt":1788602400}"#, "secondaryResetsAt: a time"),
    ("usage", #"{"other":{"deep":[null]},\#(usage)}"#, "taken"),
    ("usage", "[]", "payload: typeMismatch"),
    ("usage", #"{"providerID":"p","primaryUsed":1}"#, "payload: keyOrder"),
    ("usage", "{\(usage)} ", "payload: trailingBytes"),
    ("request", "{\(request)}", "taken"),
    ("request", #"{"occurredAt":"2026-09-05T10:00:00Z"}"#, "providerID: missing"),
    ("request", #"{"providerID":"p"}"#, "occurredAt: missing"),
    ("request", #"{"inputTokens":-1,\#(request)}"#, "inputTokens: 0...9223372036854775807"),
    ("request", #"{"inputTokens":0,\#(request)}"#, "taken"),
    ("request", #"{"cacheWrite1hTokens":-5,\#(request)}"#, "cacheWrite1hTokens: 0...9223372036854775807"),
    ("request", #"{"model":5,\#(request)}"#, "model: a string"),
    ("preferences", "{}", "taken"),
    ("preferences", #"{"refreshInterval":0}"#, "refreshInterval: 1...9223372036854775807"),
    ("preferences", #"{"notificationsEnabled":"true"}"#, "notificationsEnabled: true or false"),
    ("preferences", #"{"enabledProviders":["a","b"]}"#, "taken"),
    ("preferences", #"{"enabledProviders":[]}"#, "taken"),
    ("preferences", #"{"enabledProviders":["a",1]}"#, "enabledProviders: a list of strings"),
    ("preferences", #"{"enabledProviders":"a"}"#, "enabledProviders: a list of strings"),
    ("preferences", #"{"theme":1}"#, "theme: a string"),
    ("preferences", #"{"anything":[1,{"a":null}]}"#, "taken"),
    ("alert", #"{"providerID":"p"}"#, "taken"),
    ("alert", #"{"enabled":true}"#, "providerID: missing"),
    ("alert", #"{"providerID":"p","warningThreshold":1}"#, "warningThreshold: warning-above-critical"),
    ("alert", #"{"providerID":"p","warningThreshold":0.9}"#, "taken"),
    ("alert", #"{"providerID":"p","warningThreshold":1.01}"#, "warningThreshold: 0...1"),
    ("alert", #"{"criticalThreshold":-0.1,"providerID":"p"}"#, "criticalThreshold: 0...1"),
    ("alert", #"{"criticalThreshold":0.5,"providerID":"p"}"#, "warningThreshold: warning-above-critical"),
    (
      "alert", #"{"criticalThreshold":0.5,"providerID":"p","warningThreshold":0.6}"#,
      "warningThreshold: warning-above-critical"
    ),
    ("alert", #"{"criticalThreshold":0.5,"providerID":"p","warningThreshold":0.5}"#, "taken"),
    ("kind", #"{"rule":"per-key"}"#, "family: missing"),
    ("device", #"{"retired":1}"#, "retired: true or false"),
    ("key-slot", #"{"added":"2026-09-05T10:00:00Z","removed":true}"#, "taken"),
  ])
  func aPayloadIsTakenOrRefusedByItsField(_ row: (kind: String, payload: String, expected: String)) throws {
    let kind = try builtIn(row.kind)
    #expect(refusal { try prepared(kind, row.payload) } == row.expected)
  }

  @Test(arguments: [
    ("2026-09-05T12:00:00+02:00", "2026-09-05T10:00:00Z"),
    ("2026-09-05t10:00:00.120z", "2026-09-05T10:00:00.120Z"),
    ("2026-09-05 10:00:00Z", "2026-09-05T10:00:00Z"),
    ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
    ("2026-09-05T10:00:00.123456789Z", "2026-09-05T10:00:00.123456789Z"),
  ])
  func aKnownTimeIsStoredInUTC(_ row: (typed: String, stored: String)) throws {
    let before = #"{\#(Self.usage),"updatedAt":"\#(row.typed)","z":"\#(row.typed)"}"#
    let after = #"{\#(Self.usage),"updatedAt":"\#(row.stored)","z":"\#(row.typed)"}"#
    #expect(try prepared(.usage, before) == after)
    #expect(try prepared(.usage, after) == after)
    let object = try #require(try JSONValue.parse(Array(before.utf8)).objectValue)
    #expect(String(decoding: try Kind.usage.checked(object).canonicalBytes, as: UTF8.self) == after)
  }

  static var facts: RecordingFacts {
    get throws {
      let time = try #require(Timestamp("2026-09-05T10:00:00Z"))
      return RecordingFacts(time: time, deviceName: "a \"b\"", platform: "linux")
    }
  }

  @Test(arguments: [
    (
      #"{"a":1,\#(usage),"zz":2}"#,
      #"{"a":1,"deviceName":"a \"b\"","platform":"linux",\#(usage),"updatedAt":"2026-09-05T10:00:00Z","zz":2}"#
    ),
    (
      "{\(usage)}",
      #"{"deviceName":"a \"b\"","platform":"linux",\#(usage),"updatedAt":"2026-09-05T10:00:00Z"}"#
    ),
    (
      #"{"deviceName":"x","platform":"y",\#(usage),"updatedAt":"2026-09-05T11:00:00+01:00"}"#,
      #"{"deviceName":"x","platform":"y",\#(usage),"updatedAt":"2026-09-05T10:00:00Z"}"#
    ),
    // An escape hides where the key belongs: the line feed comes before `N`.
    (
      #"{"device\nA":1,\#(usage)}"#,
      #"{"device\nA":1,"deviceName":"a \"b\"","platform":"linux",\#(usage),"updatedAt":"2026-09-05T10:00:00Z"}"#
    ),
    (
      #"{\#(usage),"\#u{e9}":1}"#,
      #"{"deviceName":"a \"b\"","platform":"linux",\#(usage),"updatedAt":"2026-09-05T10:00:00Z","\#u{e9}":1}"#
    ),
  ])
  func usageIsFilledInWhereItSaysNothing(_ row: (before: String, after: String)) throws {
    let filling = try Kind.usage.filling(Self.facts)
    #expect(try prepared(.usage, row.before, filling: filling) == row.after)
    #expect(try prepared(.usage, row.after, filling: filling) == row.after)
  }

  @Test func fillingKeepsCanonicalOrderOfAnyPayload() throws {
    let kind = Kind("usage", .history(key: nil))
    let filling = try kind.filling(Self.facts)
    #expect(
      try prepared(kind, "{}", filling: filling)
        == #"{"deviceName":"a \"b\"","platform":"linux","updatedAt":"2026-09-05T10:00:00Z"}"#)
    for key in [
      "", "d", "deviceName\u{1}", "devicf", "p", "platform0", "updatedAs", "updatedAt\u{0}", "\u{10000}",
    ] {
      let before: JSONObject = [JSONString(key): 1]
      var after = before
      for (name, value) in [("deviceName", "a \"b\""), ("platform", "linux")] {
        after[JSONString(name)] = .string(JSONString(value))
      }
      after["updatedAt"] = "2026-09-05T10:00:00Z"
      #expect(try kind.checked(before, filling: filling) == after, "key \(key.debugDescription)")
    }
  }

  @Test func onlyUsageIsFilledIn() throws {
    for kind in Kind.builtIn + [.retractions(of: .usage)] where kind != .usage {
      #expect(try kind.filling(Self.facts).isEmpty, "\(kind.name)")
    }
  }

  @Test func aBrokenRuleOfAMergedPayloadIsAWarning() {
    #expect(Kind.alert.warnings(in: ["warningThreshold": 0.8, "criticalThreshold": 0.7]).count == 1)
    #expect(Kind.alert.warnings(in: ["warningThreshold": 0.95]).map(\.name) == ["warning-above-critical"])
    #expect(Kind.alert.warnings(in: ["warningThreshold": 0.7, "criticalThreshold": 0.7]).isEmpty)
    #expect(Kind.alert.warnings(in: ["warningThreshold": "x"]).isEmpty)
    #expect(Kind.preferences.warnings(in: [:]).isEmpty)
  }

  @Test func whatAPayloadLacksReadsAsItsDefault() {
    let full = Kind.alert.withDefaults(["warningThreshold": 0.5, "x": 1])
    #expect(
      full == [
        "criticalThreshold": 0.9, "enabled": true, "notificationChannels": ["system"],
        "warningThreshold": 0.5,
        "x": 1,
      ])
  }

  @Test(arguments: [
    ("usage", "primaryUsed", "600", "600"),
    ("usage", "primaryUsed", "6e2", "600"),
    ("usage", "primaryUsed", "600.5", "primaryUsed: a 64-bit integer"),
    ("usage", "primaryUsed", #""600""#, "primaryUsed: a 64-bit integer"),
    ("usage", "primaryUsed", "many", "primaryUsed: a 64-bit integer"),
    ("usage", "costUSD", "1.50", "1.5"),
    ("usage", "costUSD", "1e999", "costUSD: a number"),
    ("usage", "updatedAt", "2026-09-05T12:00:00+02:00", #""2026-09-05T10:00:00Z""#),
    ("usage", "updatedAt", #""2026-09-05T12:00:00+02:00""#, #""2026-09-05T10:00:00Z""#),
    ("usage", "updatedAt", "noon", "updatedAt: not a time"),
    ("usage", "primaryResetsAt", "2026-09-05T12:00:00+02:00", #""2026-09-05T10:00:00Z""#),
    ("usage", "secondaryResetsAt", "2026-09-05T12:00:00+02:00", #""2026-09-05T10:00:00Z""#),
    ("usage", "accountEmail", "600", #""600""#),
    ("preferences", "theme", "dark", #""dark""#),
    ("preferences", "theme", #""dark""#, #""dark""#),
    ("preferences", "theme", "true", #""true""#),
    ("preferences", "theme", #"{"a":1}"#, #""{\"a\":1}""#),
    ("preferences", "enabledProviders", "a,b", #"["a","b"]"#),
    ("preferences", "enabledProviders", #"["a","b"]"#, #"["a","b"]"#),
    ("preferences", "enabledProviders", "a", #"["a"]"#),
    ("preferences", "enabledProviders", "1,2", #"["1","2"]"#),
    ("preferences", "enabledProviders", "", "[]"),
    ("preferences", "enabledProviders", "[]", "[]"),
    ("preferences", "enabledProviders", "[1]", "enabledProviders: a list of strings"),
    ("preferences", "autoRefreshEnabled", "false", "false"),
    ("preferences", "autoRefreshEnabled", "no", "autoRefreshEnabled: true or false"),
    ("preferences", "autoRefreshEnabled", "0", "autoRefreshEnabled: true or false"),
    ("preferences", "refreshInterval", "-5", "refreshInterval: 1...9223372036854775807"),
    ("alert", "warningThreshold", "0.8", "0.8"),
    ("alert", "warningThreshold", "80", "warningThreshold: 0...1"),
    // Fields that nobody knows.
    ("preferences", "x", "600", "600"),
    ("preferences", "x", "true", "true"),
    ("preferences", "x", #"["a","b"]"#, #"["a","b"]"#),
    ("preferences", "x", #""600""#, #""600""#),
    ("preferences", "x", "a,b", #""a,b""#),
    ("preferences", "x", " 1 ", "1"),
    ("preferences", "x", "null", "null"),
    ("preferences", "x", "", #""""#),
    ("preferences", "x", "{broken", #""{broken""#),
    ("preferences", "x", "007", #""007""#),
  ])
  func aTypedValueMeansWhatItsFieldSays(
    _ row: (kind: String, field: String, text: String, expected: String)
  ) throws {
    let kind = try builtIn(row.kind)
    var value = JSONValue.null
    let refused = refusal { value = try kind.value(forField: JSONString(row.field), typed: row.text) }
    let shown = refused == "taken" ? String(decoding: value.canonicalBytes, as: UTF8.self) : refused
    #expect(shown == row.expected)
  }

  @Test func theFieldOfAPatchIsCheckedAlone() throws {
    #expect(refusal { try Kind.alert.checked(2, for: "warningThreshold") } == "warningThreshold: 0...1")
    #expect(try Kind.alert.checked(0.99, for: "warningThreshold") == 0.99)
    #expect(try Kind.alert.checked([1], for: "unknown") == [1])
    #expect(
      try Kind.keySlots.checked("2026-09-05T12:00:00+02:00", for: "added") == "2026-09-05T10:00:00Z")
  }
}

/// Times in payloads, whether they are seen to be right at a glance or have to be read.
@Suite struct PayloadTimeTests {
  /// What a payload's time becomes; nil where it is refused.
  private func stored(_ text: String) throws -> String? {
    let payload = #"{"primaryUsed":1,"providerID":"p","updatedAt":"\#(text)"}"#
    guard let whole = try? prepared(try builtIn("usage"), payload) else { return nil }
    return String(whole.dropFirst(#"{"primaryUsed":1,"providerID":"p","updatedAt":""#.count).dropLast(2))
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func areStoredAsTheReaderOfTimesWritesThem(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let stems = [
      "2026-09-05T10:00:00Z", "2026-02-28T23:59:59.125Z", "0001-01-01T00:00:00.123456789Z",
      "9999-12-28T00:00:00Z",
    ]
    let letters = Array("0123456789-:.TZtz +9".utf8)
    var (right, wrong) = (0, 0)
    for _ in 0..<4000 {
      var text = Array(stems[random.below(stems.count)].utf8)
      for _ in 0..<random.below(3) { text[random.below(text.count)] = letters[random.below(letters.count)] }
      if random.below(8) == 0 {
        text.insert(letters[random.below(letters.count)], at: random.below(text.count))
      }
      let typed = String(decoding: text, as: UTF8.self)
      let wanted = Timestamp(typed)?.text
      if wanted == nil { wrong += 1 } else { right += 1 }
      #expect(try stored(typed) == wanted, "\(typed)")
    }
    #expect(right > 500 && wrong > 500)
  }

  @Test(arguments: [
    "2026-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-13-01T00:00:00Z", "2026-01-00T00:00:00Z",
    "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z", "2026-01-01T00:00:00.Z",
    "2026-01-01T00:00:00.1234567890Z", "0000-01-01T00:00:00Z", "2026-01-01T00:00:0aZ",
    "2026-01-01T00:00:00.12aZ",
  ])
  func thatAreNoneAreRefused(text: String) throws { #expect(try stored(text) == nil) }

  @Test(arguments: [
    ("2026-02-28T23:59:60Z", "2026-03-01T00:00:00Z"), ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00Z"),
    ("2026-01-31T00:00:00.5Z", "2026-01-31T00:00:00.5Z"),
    ("2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00Z"),
  ])
  func thatNeedTheReaderAreRead(text: String, wanted: String) throws { #expect(try stored(text) == wanted) }

  @Test(
    arguments: [
      (#"{"a":1,"updatedAt":"2026-09-05T10:00:00Z"}"#, 1_788_602_400),
      (#"{"updatedAt":"2026-09-05T10:00:00Z"}"#, 1_788_602_400),
      (#"{"a":1,"updatedAt":"2026-09-05T10:00:00Z","z":1}"#, 1_788_602_400),
      (#"{"a":",\"updatedAt\":\"2026-09-05T10:00:00Z"}"#, nil),
      (#"{"xupdatedAt":"2026-09-05T10:00:00Z"}"#, nil),
      (#"{"a":{"b":1,"updatedAt":"2026-09-05T10:00:00Z"}}"#, nil),
      (#"{"a":1,"updatedAt":"x\"2026-09-05T10:00:00Z"}"#, nil),
      (#"{"a":1,"updatedAt":"2026-09-05T10:00:00.123456789Z"}"#, 1_788_602_400), ("{}", nil),
      (#"{"a":"b"}"#, nil),
    ] as [(String, Int64?)])
  func thatStandLastAreFoundFromTheEnd(payload: String, seconds: Int64?) {
    let found = Array(payload.utf8).withUnsafeBytes { RequestFields.seconds(in: $0, key: "updatedAt") }
    #expect(found == seconds)
  }
}
