import CanonicalJSON
import ObjectStore
import Testing

@testable import RunicCore

/// A digest or device of one repeated digit.
func digits(_ digit: Character, _ count: Int = 64) -> String { String(repeating: digit, count: count) }

func encoded(_ change: Change) throws -> String {
  var output: [UInt8] = []
  var fingerprinter = Fingerprinter()
  try ChangeCodec.append(change, to: &output, using: &fingerprinter)
  return String(decoding: output, as: UTF8.self)
}

/// Decodes changes that lie in the middle of something longer, as in a commit's line.
func decoded(_ text: String) throws -> [Change] {
  try ChangeCodec.decode(Array("[\(text)]".utf8).dropFirst().dropLast())
}

/// The word of the format error that a text is refused with.
func word(_ text: String) -> String {
  do {
    _ = try decoded(text)
    return "taken"
  } catch FormatError.content(let word) {
    return word
  } catch {
    return "\(error)"
  }
}

@Suite struct CodingTableTests {
  static let a = digits("a")
  static let b = digits("b")
  static let device = digits("c", 32)
  static let fingerprint = Fingerprint.of(Array(#"{"x":1}"#.utf8), family: .history, kind: "usage").hex

  /// Forms in full, each of which is written again byte for byte.
  static let canonical = [
    #"{"add":{"x":1},"kind":"usage"}"#,
    #"{"add":{},"id":"p/r","kind":"request","rank":[1,0,5]}"#,
    #"{"add":{},"id":"\#(a)","kind":"request","rank":[-1]}"#,
    #"{"add":{},"id":"é\n\"","kind":"x-1","rank":[0,0,0,1],"stamp":"0000000000000001"}"#,
    #"{"add":{},"kind":"usage","origin":{"device":"\#(device)","time":0}}"#,
    #"{"add":{},"kind":"usage","origin":{"commit":"\#(a)","device":"\#(device)","name":"a b","time":12},"stamp":"fffffffffffffffe"}"#,
    #"{"id":"i","kind":"k","set":{"a":1}}"#,
    #"{"id":"i","kind":"k","set":{"":null,"a":{"b":[]},"é":"x","\#u{10000}":1,"\#u{E000}":2}}"#,
    #"{"generation":2,"id":"i","kind":"k","replaces":{"a":["\#(a)","\#(b)"],"b":["\#(a)"]},"resolves":true,"set":{"a":1},"settles":["\#(a)"],"stamp":"00000000000000ff","unset":["b","c"]}"#,
    #"{"id":"i","kind":"k","unset":["a"]}"#,
    #"{"id":"i","kind":"k","unset":["\#u{10000}","\#u{E000}"]}"#,
    #"{"id":"i","kind":"k","whole":{"a":1}}"#,
    #"{"id":"i","kind":"k","whole":null,"wholeReplaces":["\#(a)"]}"#,
    #"{"generation":9223372036854775807,"id":"i","kind":"k","set":{"a":1},"whole":{}}"#,
    #"{"id":"i","kind":"k","settles":["\#(a)"]}"#,
    #"{"generation":3,"id":"i","kind":"k","resolves":true,"settles":["\#(a)"]}"#,
    #"{"delete":1,"id":"i","kind":"k"}"#,
    #"{"delete":7,"id":"i","kind":"k","origin":{"device":"\#(device)","time":5},"settles":["\#(a)","\#(b)"],"stamp":"0000000000000001"}"#,
    #"{"delete":9223372036854775806,"id":"i","kind":"k","stamp":"ffffffffffffffff"}"#,
    #"{"id":"i","kind":"k","set":{"a":1},"stamp":"fffffffffffffffe"}"#,
  ]

  @Test(arguments: canonical)
  func aChangeIsWrittenAsItWasRead(_ text: String) throws {
    let changes = try decoded(text)
    #expect(changes.count == 1)
    for change in changes { #expect(try encoded(change) == text) }
  }

  @Test func whatIsReadIsWhatTheMembersSay() throws {
    let a = try #require(Digest(hex: Self.a))
    let b = try #require(Digest(hex: Self.b))
    let device = try #require(DeviceID(hex: Self.device))
    let origin = Origin(device: device, deviceName: Array("a b".utf8), time: 12, commit: a)
    let writes: [RegisterKey: WrittenValue] = [
      .key([0x61]): WrittenValue(value: [0x31], replaces: [a, b]),
      .key([0x62]): WrittenValue(value: nil, replaces: [a]),
      .whole: WrittenValue(value: Array("{}".utf8), replaces: [b]),
    ]
    let changes: [Change] = [
      .add(
        HistoryAdd(
          kind: "usage", id: Array(Self.fingerprint.utf8), payload: Array(#"{"x":1}"#.utf8)[...],
          rank: [0, 2],
          stamp: Stamp(rawValue: 255), origin: origin)),
      .set(
        RegisterWrite(
          kind: "k", id: [0x69], generation: 2, writes: writes, settles: [a], isResolution: true,
          stamp: Stamp(rawValue: 1))),
      .delete(RecordDelete(kind: "k", id: [0x6A], generation: 4, settles: [b], origin: origin)),
    ]
    let originText = #"{"commit":"\#(Self.a)","device":"\#(Self.device)","name":"a b","time":12}"#
    let texts = [
      #"{"add":{"x":1},"kind":"usage","origin":\#(originText),"rank":[0,2],"stamp":"00000000000000ff"}"#,
      #"{"generation":2,"id":"i","kind":"k","replaces":{"a":["\#(Self.a)","\#(Self.b)"],"b":["\#(Self.a)"]},"resolves":true,"set":{"a":1},"settles":["\#(Self.a)"],"stamp":"0000000000000001","unset":["b"],"whole":{},"wholeReplaces":["\#(Self.b)"]}"#,
      #"{"delete":4,"id":"j","kind":"k","origin":\#(originText),"settles":["\#(Self.b)"]}"#,
    ]
    #expect(try changes.map(encoded) == texts)
    #expect(try decoded(texts.joined(separator: ",")) == changes)
  }

  @Test(arguments: [
    // Names and bounds.
    (#"{"add":{},"kind":"Usage"}"#, "kind"), (#"{"add":{},"kind":""}"#, "kind"),
    (#"{"add":{},"kind":"\#(digits("k", 65))"}"#, "kind"), (#"{"add":{}}"#, "no kind"),
    (#"{"add":{},"id":"","kind":"k"}"#, "id"), (#"{"add":{},"id":"\#(digits("i", 257))","kind":"k"}"#, "id"),
    (#"{"kind":"k","set":{"a":1}}"#, "no id"), (#"{"delete":1,"kind":"k"}"#, "no id"),
    (#"{"delete":0,"id":"i","kind":"k"}"#, "generation"),
    (#"{"delete":-1,"id":"i","kind":"k"}"#, "generation"),
    (#"{"generation":0,"id":"i","kind":"k","set":{"a":1}}"#, "generation"),
    // What would leave no room for the next change.
    (#"{"delete":9223372036854775807,"id":"i","kind":"k"}"#, "generation"),
    (#"{"id":"i","kind":"k","set":{"a":1},"stamp":"ffffffffffffffff"}"#, "stamp"),
    (#"{"id":"i","kind":"k","settles":["\#(a)"],"stamp":"ffffffffffffffff"}"#, "stamp"),
    (#"{"add":{},"kind":"k","stamp":"ffffffffffffffff"}"#, "stamp"),
    // One form only.
    (#"{"generation":1,"id":"i","kind":"k","set":{"a":1}}"#, "generation"),
    (#"{"add":{"x":1},"id":"\#(fingerprint)","kind":"usage"}"#, "needless id"),
    (#"{"add":{},"kind":"k","rank":[]}"#, "rank"), (#"{"add":{},"kind":"k","rank":[0]}"#, "rank"),
    (#"{"add":{},"kind":"k","rank":[1,0]}"#, "rank"), (#"{"add":{},"kind":"k","rank":[1,1,1,1,1]}"#, "rank"),
    (#"{"add":{},"kind":"k","rank":[1.5]}"#, "json: value of another type"),
    (#"{"id":"i","kind":"k","set":{}}"#, "empty list"), (#"{"id":"i","kind":"k","unset":[]}"#, "empty list"),
    (#"{"id":"i","kind":"k","settles":[]}"#, "empty list"),
    (#"{"id":"i","kind":"k","replaces":{},"set":{"a":1}}"#, "empty list"),
    (#"{"id":"i","kind":"k","replaces":{"a":[]},"set":{"a":1}}"#, "empty list"),
    (#"{"id":"i","kind":"k","whole":{},"wholeReplaces":[]}"#, "empty list"),
    (#"{"id":"i","kind":"k","resolves":false,"set":{"a":1}}"#, "flag"),
    (#"{"id":"i","kind":"k"}"#, "empty change"), (#"{"id":"i","kind":"k","resolves":true}"#, "empty change"),
    (#"{}"#, "empty change"),
    // What belongs together.
    (#"{"id":"i","kind":"k","replaces":{"b":["\#(a)"]},"set":{"a":1}}"#, "replaces"),
    (#"{"id":"i","kind":"k","set":{"a":1},"wholeReplaces":["\#(a)"]}"#, "replaces"),
    (#"{"id":"i","kind":"k","set":{"a":1},"unset":["a"]}"#, "key set and unset"),
    // Order.
    (#"{"id":"i","kind":"k","settles":["\#(b)","\#(a)"]}"#, "commit order"),
    (#"{"id":"i","kind":"k","settles":["\#(a)","\#(a)"]}"#, "commit order"),
    (#"{"id":"i","kind":"k","replaces":{"a":["\#(b)","\#(a)"]},"set":{"a":1}}"#, "commit order"),
    (#"{"id":"i","kind":"k","unset":["b","a"]}"#, "key order"),
    (#"{"id":"i","kind":"k","unset":["a","a"]}"#, "key order"),
    (#"{"id":"i","kind":"k","unset":["\#u{E000}","\#u{10000}"]}"#, "key order"),
    (#"{"id":"i","kind":"k","set":{"b":1,"a":1}}"#, "json: keys out of order"),
    (#"{"kind":"k","id":"i","set":{"a":1}}"#, "json: keys out of order"),
    (#"{"id":"i","kind":"k","set":{"a":1,"a":1}}"#, "json: duplicate key"),
    // Types and spelling.
    (#"{"add":[],"kind":"k"}"#, "payload"), (#"{"add":null,"kind":"k"}"#, "payload"),
    (#"{"id":"i","kind":"k","whole":1}"#, "payload"),
    (#"{"add":{"x":1.0},"kind":"k"}"#, "json: not in canonical form"),
    (#"{"add":{"x":"\u0041"},"kind":"k"}"#, "json: not in canonical form"),
    (#"{"add":{}, "kind":"k"}"#, "json: not in canonical form"),
    (#"{"add":{},"kind":"k","stamp":"1"}"#, "stamp"),
    (#"{"add":{},"kind":"k","stamp":"000000000000000A"}"#, "stamp"),
    (#"{"id":"i","kind":"k","settles":["\#(digits("A"))"]}"#, "hex"),
    (#"{"id":"i","kind":"k","settles":["\#(digits("a", 63))"]}"#, "hex"),
    (#"{"id":"i","kind":"k","settles":"\#(a)"}"#, "json: value of another type"),
    (#"{"add":{},"kind":"k","origin":{"time":0}}"#, "origin"),
    (#"{"add":{},"kind":"k","origin":{"device":"\#(device)","time":-1}}"#, "origin"),
    (#"{"add":{},"kind":"k","origin":{"device":"\#(device)","time":253402300800000}}"#, "origin"),
    (#"{"add":{},"kind":"k","origin":{"device":"\#(device)"}}"#, "origin"),
    (#"{"add":{},"kind":"k","origin":{"device":"\#(a)","time":0}}"#, "hex"),
    (#"{"add":{},"kind":"k","origin":{"device":"\#(device)","time":0,"zone":1}}"#, "unknown field"),
    // Nobody knows these yet.
    (#"{"add":{},"extra":1,"kind":"k"}"#, "unknown field"),
    (#"{"add":{},"kind":"k","set":{"a":1}}"#, "unknown field"),
    (#"{"add":{},"kind":"k","settles":["\#(a)"]}"#, "unknown field"),
    (#"{"add":{},"generation":2,"kind":"k"}"#, "unknown field"),
    (#"{"add":{},"delete":1,"id":"i","kind":"k"}"#, "unknown field"),
    (#"{"delete":1,"id":"i","kind":"k","unset":["a"]}"#, "unknown field"),
    (#"{"id":"i","kind":"k","rank":[1],"set":{"a":1}}"#, "unknown field"),
    (#"{"append":{},"kind":"k"}"#, "unknown field"),
    // Between changes.
    (#"{"add":{},"kind":"k"},"#, "json: text ends too early"),
    (#",{"add":{},"kind":"k"}"#, "json: unexpected byte"),
    (#"{"add":{},"kind":"k"}{"add":{},"kind":"k"}"#, "comma"),
    (#"{"add":{},"kind":"k"} "#, "comma"), (#"[{"add":{},"kind":"k"}]"#, "json: value of another type"),
    (#"{"add":{},"kind":"k""#, "json: text ends too early"),
  ])
  func anythingElseIsRefused(_ row: (text: String, word: String)) {
    #expect(word(row.text) == row.word)
  }

  @Test func aCommitWithoutChangesHasNone() throws {
    #expect(try decoded("").isEmpty)
  }

  @Test func oneCommitChangesAKeyedRecordOnce() {
    let set = #"{"id":"i","kind":"k","set":{"a":1}}"#
    let delete = #"{"delete":1,"id":"i","kind":"k"}"#
    let other = #"{"id":"j","kind":"k","set":{"a":1}}"#
    let add = #"{"add":{},"id":"i","kind":"k"}"#
    #expect(word("\(set),\(delete)") == "duplicate record")
    #expect(word("\(delete),\(other),\(set)") == "duplicate record")
    #expect(word("\(set),\(other),\(add),\(add)") == "taken")
  }

  @Test func nestingIsBoundedAsInAPayload() {
    func object(_ depth: Int) -> String {
      String(repeating: #"{"a":"#, count: depth - 1) + "{}" + digits("}", depth - 1)
    }
    #expect(word(#"{"add":\#(object(128)),"kind":"k"}"#) == "taken")
    #expect(word(#"{"add":\#(object(129)),"kind":"k"}"#) == "json: too much nesting")
    #expect(word(#"{"id":"i","kind":"k","whole":\#(object(128))}"#) == "taken")
    #expect(word(#"{"id":"i","kind":"k","whole":\#(object(129))}"#) == "json: too much nesting")
    // A writer refuses what a reader would.
    func isWritten(_ write: WrittenValue, _ key: RegisterKey) -> Bool {
      (try? encoded(.set(RegisterWrite(kind: "k", id: [0x69], generation: 1, writes: [key: write])))) != nil
    }
    func value(_ depth: Int) -> WrittenValue {
      WrittenValue(value: Array(object(depth).utf8), replaces: [])
    }
    #expect(isWritten(value(128), .whole) && !isWritten(value(129), .whole))
    #expect(isWritten(value(127), .key([0x76])) && !isWritten(value(128), .key([0x76])))
    for (depth, isTaken) in [(128, true), (129, false)] {
      let add = HistoryAdd(kind: "k", id: [0x69], payload: Array(object(depth).utf8)[...])
      #expect(((try? encoded(.add(add))) != nil) == isTaken)
    }
    // Brackets side by side, or in a string, are none inside one another.
    let flat = WrittenValue(
      value: Array(
        #"{"a":"\#(digits("{", 200))","b":[\#(Array(repeating: "[]", count: 200).joined(separator: ","))]}"#
          .utf8),
      replaces: [])
    #expect(isWritten(flat, .whole))
    // Inside a payload a value has one level around it.
    #expect(word(#"{"id":"i","kind":"k","set":{"v":\#(object(127))}}"#) == "taken")
    #expect(word(#"{"id":"i","kind":"k","set":{"v":\#(object(128))}}"#) == "json: too much nesting")
  }

  @Test func aChangeIsAtMostOneMebibyte() throws {
    let around = #"{"add":{"x":""},"kind":"k"}"#.utf8.count
    for excess in 0...1 {
      let filler = digits("x", Limits.change - around + excess)
      let payload = Array(#"{"x":"\#(filler)"}"#.utf8)
      let id = Fingerprint.of(payload, family: .history, kind: "k").hex
      let add = Change.add(HistoryAdd(kind: "k", id: Array(id.utf8), payload: payload[...]))
      let text = #"{"add":{"x":"\#(filler)"},"kind":"k"}"#
      #expect(word(text) == (excess == 0 ? "taken" : "bounds"))
      #expect((try? encoded(add)) == (excess == 0 ? text : nil))
    }
  }

  @Test func whatAReaderWouldRefuseIsNotWritten() throws {
    let device = try #require(DeviceID(hex: Self.device))
    let late = Origin(device: device, deviceName: nil, time: Limits.time + 1)
    let unnamed = Origin(device: device, deviceName: [0xFF], time: 0)
    let value = WrittenValue(value: [0x31], replaces: [])
    let refused: [Change] = [
      .delete(RecordDelete(kind: "K", id: [0x69], generation: 1)),
      .delete(RecordDelete(kind: "k", id: [], generation: 1)),
      .delete(RecordDelete(kind: "k", id: [UInt8](repeating: 0x61, count: 257), generation: 1)),
      .delete(RecordDelete(kind: "k", id: [0xFF], generation: 1)),
      .delete(RecordDelete(kind: "k", id: [0x69], generation: 0)),
      .delete(RecordDelete(kind: "k", id: [0x69], generation: 1, origin: late)),
      .delete(RecordDelete(kind: "k", id: [0x69], generation: 1, origin: unnamed)),
      .set(RegisterWrite(kind: "k", id: [0x69], generation: 1, writes: [.key([0xFF]): value])),
      .set(RegisterWrite(kind: "k", id: [0x69], generation: 0, writes: [.whole: value])),
      .set(RegisterWrite(kind: "k", id: [0x69], generation: 1, writes: [:])),
    ]
    for change in refused {
      var output = Array("kept".utf8)
      var fingerprinter = Fingerprinter()
      #expect(throws: RunicError.self, "\(change)") {
        try ChangeCodec.append(change, to: &output, using: &fingerprinter)
      }
      #expect(output == Array("kept".utf8))
    }
  }

  @Test func whatAVisitorThrowsComesThrough() {
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try ChangeCodec.decode(Array(#"{"add":{},"kind":"k"}"#.utf8)[...]) { _ in throw Stop() }
    }
  }
}
