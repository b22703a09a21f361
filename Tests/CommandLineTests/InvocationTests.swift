import Testing

@testable import runic

@Suite struct InvocationTests {
  private func list(_ flags: String...) throws -> Invocation {
    try ArgumentParser.parse(flags + ["usage"], for: Samples.description("list"))
  }

  @Test func valuesAreReadByName() throws {
    let invocation = try list("--provider", "a,b", "--provider", "c", "--all")
    #expect(invocation.values("--provider") == ["a,b", "c"])
    #expect(invocation.list("--provider") == ["a", "b", "c"])
    #expect(invocation.isSet("--all"))
    #expect(!invocation.isSet("--long"))
    #expect(invocation.flag("--since") == nil)
    #expect(invocation.positional(0) == "usage")
    #expect(invocation.positional(1) == nil)
    #expect(invocation.positional(-1) == nil)
    #expect(throws: CommandFailure.self) { try invocation.required(1) }
    #expect(throws: CommandFailure.self) { try invocation.requiredFlag("--since") }
    #expect(!invocation.readsStandardInput)
  }

  @Test(
    arguments: [
      ("5", 5), ("-5", -5), ("10", 10), ("11", nil), ("-6", nil), ("5.0", nil), ("", nil), (" 5", nil),
      ("99999999999999999999", nil), ("0x5", nil),
    ] as [(String, Int64?)])
  func aWholeNumberIsTakenWithinItsBounds(_ text: String, _ expected: Int64?) throws {
    let invocation = try list("--count=\(text)")
    if let expected {
      #expect(try invocation.integer("--count", in: -5...10) == expected)
    } else {
      #expect(
        throws: CommandFailure.usage(
          "--count takes a whole number from -5 to 10, not '\(text)'", hint: "see 'runic list --help'")
      ) { try invocation.integer("--count", in: -5...10) }
    }
  }

  @Test(
    arguments: [
      ("0.5", 0.5), ("1e-1", 0.1), (".5", 0.5), ("1", 1), ("1.01", nil), ("-0.1", nil), ("nan", nil),
      ("inf", nil),
      ("0x1p-1", nil), ("", nil), ("0,5", nil), ("1e999", nil),
    ] as [(String, Double?)])
  func aNumberIsTakenWithinItsBounds(_ text: String, _ expected: Double?) throws {
    let invocation = try list("--count=\(text)")
    if let expected {
      #expect(try invocation.double("--count", in: 0...1) == expected)
    } else {
      #expect(
        throws: CommandFailure.usage(
          "--count takes a number from 0 to 1, not '\(text)'", hint: "see 'runic list --help'")
      ) { try invocation.double("--count", in: 0...1) }
    }
  }

  @Test func aTimeThatIsNoneIsRefused() throws {
    #expect(try list("--since=1d").instant("--since", now: 86_400_000, in: { .utc }) == 0)
    #expect(try list().instant("--since", now: 0, in: { .utc }) == nil)
    #expect(throws: CommandFailure.self) { try list("--since=soon").instant("--since", now: 0, in: { .utc }) }
  }

  @Test(
    arguments: [
      (["--repo", "/r"], ["RUNIC_REPO": "/e", "HOME": "/h"], "/r"),
      ([], ["RUNIC_REPO": "/e", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/e"),
      ([], ["RUNIC_REPO": "", "XDG_DATA_HOME": "/x", "HOME": "/h"], "/x/runic"),
      ([], ["XDG_DATA_HOME": "x", "HOME": "/h"], "/h/.local/share/runic"),
      ([], [:], nil), (["--repo="], ["HOME": "/h"], nil),
    ] as [([String], [String: String], String?)])
  func theRepositoryIsTheFirstPlaceNamed(_ flags: [String], _ variables: [String: String], _ path: String?)
    throws
  {
    let invocation = try ArgumentParser.parse(flags, for: versionCommand.description)
    let environment = Environment(variables)
    if let path {
      #expect(try RepositoryPath.path(of: invocation, environment: environment) == path)
    } else {
      #expect(throws: CommandFailure.self) {
        try RepositoryPath.path(of: invocation, environment: environment)
      }
    }
  }
}
