import Testing

@testable import runic

@Suite struct PassphraseTests {
  private func passphrase(_ flags: [String] = [], _ variables: [String: String]) throws -> [UInt8] {
    let invocation = try ArgumentParser.parse(flags, for: versionCommand.description)
    return try Passphrase(invocation, environment: Environment(variables)).read(confirm: false)
  }

  @Test(arguments: [
    ("secret", "secret"), ("secret\n", "secret"), ("secret\n\n", "secret\n"), ("secret \n", "secret "),
    ("secret\r\n", "secret\r"), ("\nx", "\nx"), ("\n\n", "\n"),
  ])
  func exactlyOneNewlineIsDropped(_ text: String, _ expected: String) throws {
    #expect(try Passphrase.trimmed(Array(text.utf8), from: "it") == Array(expected.utf8))
    #expect(try passphrase([:].merging(["RUNIC_PASSPHRASE": text]) { $1 }) == Array(expected.utf8))
  }

  /// As a terminal that does not speak UTF-8 makes it: no two passphrases may become one.
  @Test func aPassphraseThatIsNoTextIsItsBytes() throws {
    let bytes: [UInt8] = [0x70, 0xE9, 0xFF]
    let environment = Environment { $0 == "RUNIC_PASSPHRASE" ? bytes : nil }
    #expect(try Passphrase(file: nil, environment: environment).read(confirm: false) == bytes)
  }

  private func passphrase(_ variables: [String: String]) throws -> [UInt8] { try passphrase([], variables) }

  @Test(arguments: ["", "\n"])
  func anEmptyOneIsRefused(_ text: String) {
    #expect(throws: CommandFailure.self) { try passphrase(["RUNIC_PASSPHRASE": text]) }
    #expect(throws: CommandFailure.self) { try passphrase(["RUNIC_PASSPHRASE_COMMAND": "printf '\(text)'"]) }
  }

  @Test func theFirstSourceNamedIsUsed() throws {
    let both = ["RUNIC_PASSPHRASE_COMMAND": "echo of; echo command", "RUNIC_PASSPHRASE": "variable"]
    #expect(try passphrase(both) == Array("of\ncommand".utf8))
    #expect(throws: CommandFailure.self) { try passphrase(["--passphrase-file", "/nonexistent/file"], both) }
    #expect(throws: CommandFailure.self) { try passphrase(["--passphrase-file", "/dev/null"], both) }
    #expect(throws: CommandFailure.self) { try passphrase(["--passphrase-file", "/dev/zero"], both) }
  }

  @Test(arguments: [
    ("exit 3", "RUNIC_PASSPHRASE_COMMAND ended with status 3"),
    ("echo secret; kill -9 $$", "RUNIC_PASSPHRASE_COMMAND was ended by signal 9"),
    ("head -c 70000 /dev/zero", "RUNIC_PASSPHRASE_COMMAND prints too much for a passphrase"),
  ])
  func aCommandThatFailsIsNamedAndItsOutputIsNot(_ command: String, _ message: String) {
    let failure = #expect(throws: CommandFailure.self) {
      try passphrase(["RUNIC_PASSPHRASE_COMMAND": command])
    }
    #expect(failure?.message == message)
  }

  @Test(
    arguments: [
      ("abc\n", "abc", .done), ("abc\r", "abc", .done), ("abc\u{4}", "abc", .done),
      ("ab\u{7F}c\n", "ac", .done),
      ("aü\u{8}b\n", "ab", .done), ("abc\u{15}d\n", "d", .done), ("\u{7F}a\n", "a", .done),
      ("ab\u{3}", "ab", .interrupted),
    ] as [(String, String, SecretLine.Step)])
  func aLineIsEditedAsItIsTyped(_ keys: String, _ expected: String, _ end: SecretLine.Step) {
    var line = SecretLine()
    let steps = keys.utf8.map { line.take($0) }
    #expect(steps.last == end)
    #expect(steps.dropLast().allSatisfy { $0 == .more })
    #expect(line.bytes == Array(expected.utf8))
  }
}
