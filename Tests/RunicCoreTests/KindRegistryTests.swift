import CanonicalJSON
import Testing

@testable import RunicCore

@Suite struct KindRegistryTests {
  @Test(arguments: [
    ("UsageSnapshot", "usage"), ("UserPreferences", "preferences"), ("AlertConfiguration", "alert"),
    ("usage", "usage"), ("request", "request"),
  ])
  func anAppsNameMeansTheKind(_ row: (name: String, kind: String)) throws {
    let registry = KindRegistry()
    #expect(try registry.kind(row.name).name == row.kind)
    #expect(registry.family(of: row.name) == registry.family(of: row.kind))
    #expect(registry.isBuiltIn(row.name))
  }

  @Test func anUnknownKindNamesTheKnownOnes() {
    #expect {
      try KindRegistry().kind("usgae")
    } throws: { error in
      guard case RunicError.unknownKind("usgae", let known) = error else { return false }
      return known == ["alert", "preferences", "request", "usage"]
    }
  }

  @Test func besideAHistoryStandsTheKindOfItsRetractions() throws {
    let registry = KindRegistry()
    #expect(registry.kinds(named: "usage").map(\.family) == [.history, .keys])
    #expect(registry.kinds(named: "alert").map(\.family) == [.keys])
    #expect(registry.kind("usage", .history) == .usage)
    let retractions = try #require(registry.kind("usage", .keys))
    #expect(retractions.field("retracted")?.type == .bool)
    #expect(retractions.field("primaryUsed") == nil)
    #expect(registry.kind("alert", .history) == nil)
  }

  @Test func onlyRunicWritesReservedKinds() throws {
    let registry = KindRegistry()
    for name in ["kind", "device", "key-slot"] {
      #expect(try registry.kind(name).isReserved, "\(name)")
      #expect(!registry.names.contains(name), "\(name)")
    }
    #expect(registry.usable.allSatisfy { !$0.isReserved })
  }

  static let rules: [(Kind.Rule, String)] = [
    (.history(key: nil), #"{"family":"history"}"#),
    (.history(key: "run"), #"{"family":"history","key":"run"}"#),
    (.perKey(key: nil), #"{"family":"keys","rule":"per-key"}"#),
    (.perKey(key: "name"), #"{"family":"keys","key":"name","rule":"per-key"}"#),
    (.lastWriterWins(key: nil), #"{"family":"keys","rule":"last-writer-wins"}"#),
    (.lastWriterWins(key: "name"), #"{"family":"keys","key":"name","rule":"last-writer-wins"}"#),
  ]

  @Test(arguments: rules)
  func aDeclarationReadsAsItWasWritten(_ row: (rule: Kind.Rule, text: String)) throws {
    var registry = KindRegistry()
    let kind = Kind("todo", row.rule)
    let payload = try registry.declaration(of: kind)
    #expect(String(decoding: payload.canonicalBytes, as: UTF8.self) == row.text)
    #expect(try Kind.declarations.checked(payload) == payload)
    let counts = registry.declare(Array("todo".utf8), payload)
    #expect(counts)
    #expect(try registry.kind("todo") == kind)
    #expect(registry.names.contains("todo"))
    #expect(!registry.isBuiltIn("todo"))
    registry.withdraw(Array("todo".utf8))
    #expect(registry == KindRegistry())
  }

  @Test(arguments: [
    ("todo", #"{}"#), ("todo", #"{"family":"keys"}"#), ("todo", #"{"family":"tree"}"#),
    ("todo", #"{"family":"history","rule":"per-key"}"#), ("todo", #"{"family":"history","key":""}"#),
    ("todo", #"{"family":"history","key":5}"#), ("todo", #"{"family":"keys","rule":"newest"}"#),
    ("Todo", #"{"family":"history"}"#), ("", #"{"family":"history"}"#),
    ("usage", #"{"family":"keys","rule":"per-key"}"#), ("kind", #"{"family":"history"}"#),
  ])
  func aDeclarationThatMakesNoSenseCountsForNothing(_ row: (name: String, payload: String)) throws {
    var registry = KindRegistry()
    let payload = try #require(try JSONValue.parse(Array(row.payload.utf8)).objectValue)
    let counts = registry.declare(Array(row.name.utf8), payload)
    #expect(!counts)
    #expect(registry == KindRegistry())
  }

  @Test func aBuiltInKindIsNeverWithdrawn() {
    var registry = KindRegistry()
    registry.withdraw(Array("usage".utf8))
    #expect(registry == KindRegistry())
  }

  @Test func aDeclarationMayChange() throws {
    var registry = KindRegistry()
    registry.declare(Array("todo".utf8), Kind("todo", .history(key: nil)).declaration)
    let counts = registry.declare(Array("todo".utf8), Kind("todo", .perKey(key: nil)).declaration)
    #expect(counts)
    #expect(registry.family(of: "todo") == .keys)
    #expect(throws: RunicError.self) { try registry.declaration(of: Kind("todo", .history(key: nil))) }
    let declaration: JSONObject = ["family": "keys", "rule": "per-key"]
    #expect(try registry.declaration(of: Kind("todo", .perKey(key: nil))) == declaration)
    #expect(throws: RunicError.self) { try registry.declaration(of: Kind("request", .history(key: nil))) }
    #expect(throws: RunicError.self) { try registry.declaration(of: Kind("No", .history(key: nil))) }
  }

  @Test func everyFieldHasABit() {
    for kind in Kind.builtIn { #expect(kind.fields.count <= FieldNames.limit, "\(kind.name)") }
  }

  /// What a declaration does not carry is no other kind.
  @Test func aKindThatKnowsFieldsMayBeDeclaredAgain() throws {
    var registry = KindRegistry()
    let kind = Kind("todo", .perKey(key: nil), fields: [FieldRule("done", .bool)], defaultID: "all")
    let payload = try registry.declaration(of: kind)
    registry.declare(Array("todo".utf8), payload)
    #expect(payload == ["family": "keys", "rule": "per-key"])
    #expect(try registry.declaration(of: kind) == payload)
    #expect(throws: RunicError.self) { try registry.declaration(of: .alert) }
  }

  @Test(arguments: [
    ("a", true), ("a-", true), ("a0-b", true), (String(repeating: "a", count: 64), true),
    (String(repeating: "a", count: 65), false), ("", false), ("0a", false), ("-a", false), ("A", false),
    ("aB", false), ("a_b", false), ("a b", false), ("ä", false), ("a\n", false), ("a/b", false),
  ])
  func aKindNameFollowsItsGrammar(_ row: (name: String, isGood: Bool)) {
    #expect(RecordGrammar.isKindName(row.name.utf8) == row.isGood)
  }

  @Test func anIDIsOneTo256BytesOfUTF8() {
    #expect(!RecordGrammar.isID([]))
    #expect(RecordGrammar.isID([0x61]))
    #expect(RecordGrammar.isID([UInt8](repeating: 0x61, count: 256)))
    #expect(!RecordGrammar.isID([UInt8](repeating: 0x61, count: 257)))
    #expect(!RecordGrammar.isID([0xC0, 0x80]))
    #expect(!RecordGrammar.isID([0xED, 0xA0, 0x80]))
  }
}
