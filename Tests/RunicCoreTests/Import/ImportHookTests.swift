import CanonicalJSON
import RunicCore
import Testing

private let hook = ToolHook(event: "SessionEnd", command: "runic record usage --quiet", timeLimit: 60)
private let syncing = ToolHook(
  event: "SessionEnd", command: "runic record usage --quiet; runic pull --quiet; runic push --quiet",
  timeLimit: 60)
private let other = #"{"hooks":[{"type":"command","command":"say done"}]}"#

@Suite struct ImportHookTests {
  /// Settings as people have them: no way of writing them may suffer.
  static let settings = [
    "{}", "{ }\n", "{\n}\n", "{\"model\":\"opus\"}", "{\n\t\"model\": \"opus\",\n\t\"n\": 1e2\n}\n\n",
    #"{"hooks":{"Stop":[\#(other)]}}"#, #"{"hooks":{"SessionEnd":[\#(other)]}}"#,
    #"{ "z": "\u00fc \/", "hooks" : { "SessionEnd" : [ \#(other) , \#(other) ] , "Stop": [] } , "a": [1, 2] }"#,
  ]

  @Test(arguments: settings) func installedAndRemovedEverythingIsAsItWas(_ text: String) throws {
    let before = Array(text.utf8)
    let after = try hook.installed(in: before)
    #expect(after != before)
    #expect(try ToolHook.removed(from: after, event: "SessionEnd") == before)
    #expect(try commands(after).filter { $0 == hook.command }.count == 1)
    #expect(try commands(after).filter { $0 == "say done" } == commands(before).filter { $0 == "say done" })
  }

  @Test(arguments: settings) func onlyTheHookIsAdded(_ text: String) throws {
    let before = Array(text.utf8)
    let after = try hook.installed(in: before)
    // What is added is one piece: what stands before and after it is the file.
    let head = zip(before, after).prefix { $0 == $1 }.count
    let tail = zip(before.reversed(), after.reversed()).prefix { $0 == $1 }.count
    #expect(head + tail >= before.count)
  }

  @Test(arguments: settings) func installedTwiceNothingChanges(_ text: String) throws {
    let after = try hook.installed(in: Array(text.utf8))
    #expect(try hook.installed(in: after) == after)
  }

  @Test(arguments: settings) func anotherFormOfTheHookReplacesIt(_ text: String) throws {
    let after = try syncing.installed(in: try hook.installed(in: Array(text.utf8)))
    #expect(try commands(after).filter { $0.contains("runic") } == [syncing.command])
    #expect(try ToolHook.removed(from: after, event: "SessionEnd") == Array(text.utf8))
  }

  @Test(arguments: [nil, "", " \n"]) func withoutAFileOneIsMade(_ text: String?) throws {
    let made = try hook.installed(in: text.map { Array($0.utf8) })
    #expect(try commands(made) == [hook.command])
    #expect(try JSONValue.parse(made)["hooks"]?["SessionEnd"]?.arrayValue?.count == 1)
  }

  @Test func aHookThatTheToolWroteAnewIsFound() throws {
    let made = try hook.installed(in: Array(#"{"a":1}"#.utf8))
    let written = try JSONValue.parse(made).canonicalBytes
    #expect(try hook.installed(in: written) == written)
    #expect(try ToolHook.removed(from: written, event: "SessionEnd") == Array(#"{"a":1}"#.utf8))
  }

  @Test(arguments: ["{", "[]", "7", #"{"hooks":[]}"#, #"{"hooks":{"SessionEnd":{}}}"#, #"{"a":1,}"#])
  func settingsOfAnotherShapeAreLeftAlone(_ text: String) throws {
    #expect(throws: ToolHookError.self) { try hook.installed(in: Array(text.utf8)) }
  }

  /// Every command of the event.
  private func commands(_ settings: [UInt8]) throws -> [String] {
    let groups = try JSONValue.parse(settings)["hooks"]?["SessionEnd"]?.arrayValue ?? []
    return groups.flatMap { $0["hooks"]?.arrayValue ?? [] }.compactMap { $0["command"]?.textValue }
  }
}
