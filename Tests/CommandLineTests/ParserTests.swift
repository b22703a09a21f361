import Testing

@testable import runic

@Suite struct ParserTests {
  @Test(arguments: [
    (["list", "usage"], "list|usage"),
    (["list", "--since", "7d", "usage"], "list|--since=7d|usage"),
    (["list", "usage", "--since=7d"], "list|--since=7d|usage"),
    (["list", "usage", "--since="], "list|--since=|usage"),
    (["list", "--since=a=b", "usage"], "list|--since=a=b|usage"),
    (["list", "-n", "5", "usage"], "list|--count=5|usage"),
    (["list", "-n5", "usage"], "list|--count=5|usage"),
    (["list", "-n=5", "usage"], "list|--count=5|usage"),
    (["list", "-n", "-5", "usage"], "list|--count=-5|usage"),
    (["list", "-aqn5", "usage"], "list|--all|--quiet|--count=5|usage"),
    (["list", "--provider", "a", "--provider", "b", "u"], "list|--provider=a|--provider=b|u"),
    (["list", "--", "--since"], "list|--since"),
    (["list", "-"], "list|-"),
    (["list", "-5"], "list|-5"),
    (["list", "-.5"], "list|-.5"),
    (["list", "--order", "oldest", "u"], "list|--order=oldest|u"),
    (["--repo", "list", "list", "u"], "list|u"),
    (["--json", "list", "u"], "list|--json|u"),
    (["record", "usage"], "record usage"),
    (["record", "usage", "-"], "record usage|-"),
    (["record", "--local", "usage"], "record usage|--local"),
    (["record", "--used", "3", "usage"], "record usage|--used=3"),
    (["record", "--json", "usage"], "record usage|--json"),
    (["--repo=x", "record", "usage", "--used", "-3"], "record usage|--used=-3"),
    (["record", "usage-notes", "a=1", "b=--c"], "record|usage-notes|a=1|b=--c"),
    (["record", "note", "--", "--a=1"], "record|note|--a=1"),
    (["remote", "--quiet", "add", "home", "/mnt"], "remote add|--quiet|home|/mnt"),
    (["__complete", "remote"], "__complete|remote"),
  ])
  func aLineThatFitsIsReadAsWritten(_ arguments: [String], _ expected: String) {
    let run = Run(arguments)
    // --repo before the command is given on too; it is left out here for the sake of short rows.
    let shown = run.out.split(separator: "\n").first.map(String.init) ?? run.err
    let parts = shown.split(separator: "|").filter { !$0.hasPrefix("--repo=") }
    #expect(parts.joined(separator: "|") == expected)
    #expect(run.status == .done)
  }

  @Test(arguments: [
    (["lst", "usage"], "'lst' is no runic command", "did you mean 'runic list'?"),
    (["ilst"], "'ilst' is no runic command", "did you mean 'runic list'?"),
    (["xyzzy"], "'xyzzy' is no runic command", "see 'runic help'"),
    (["__complet"], "'__complet' is no runic command", "see 'runic help'"),
    (["remote"], "'remote' alone is no runic command", "after it comes one of: add, list"),
    (["remote", "ad"], "'remote ad' is no runic command", "did you mean 'runic remote add'?"),
    (["remote", "qqq"], "'remote qqq' is no runic command", "after 'remote' comes one of: add, list"),
    (["list"], "list: KIND is missing", "see 'runic list --help'"),
    (["list", "a", "b"], "list: 'b' is one argument too many", "see 'runic list --help'"),
    (["record", "note"], "record: KEY=VALUE is missing", "see 'runic record --help'"),
    (["list", "a", "--snce", "1"], "list: '--snce' is an unknown flag", "did you mean '--since'?"),
    (["list", "a", "--zzzzz"], "list: '--zzzzz' is an unknown flag", "see 'runic list --help'"),
    (["list", "a", "-z"], "list: '-z' is an unknown flag", "see 'runic list --help'"),
    (["list", "a", "--since"], "--since needs a value", "write '--since T'"),
    (
      ["list", "a", "--since", "--all"], "--since needs a value",
      "a value that begins with a dash is written '--since=T'"
    ),
    (["list", "a", "--all=1"], "list: --all takes no value", "see 'runic list --help'"),
    (["list", "a", "-n1", "-n2"], "list: --count was given twice", "see 'runic list --help'"),
    (["list", "a", "-al"], "list: --all and --long exclude each other", "see 'runic list --help'"),
    (["list", "a", "-qv"], "list: --quiet and --verbose exclude each other", "see 'runic list --help'"),
    (["list", "a", "--order", "odlest"], "--order cannot be 'odlest'", "did you mean 'oldest'?"),
    (["list", "a", "--order", "x"], "--order cannot be 'x'", "it is one of: newest, oldest"),
    (
      ["list", "a", "--lock-wait", "-1"], "--lock-wait takes a number from 0 to 86400, not '-1'",
      "see 'runic list --help'"
    ),
    (["--jsno"], "'--jsno' is an unknown flag", "did you mean '--json'?"),
  ])
  func aLineThatDoesNotFitIsRefusedWithAHint(_ arguments: [String], _ message: String, _ hint: String) {
    let run = Run(arguments)
    #expect(run.err == "runic: error: \(message)\nrunic: hint: \(hint)\n")
    #expect(run.status == .usage)
    #expect(run.out == "")
  }

  @Test func aSwitchGivenTwiceIsTheSameAsOnce() {
    #expect(Run(["list", "u", "--all", "--all"]).status == .done)
  }

  @Test(arguments: [
    ("remote", ["remotes"], "remotes"), ("push", ["pull", "push"], "push"),
    ("pus", ["pull", "push"], "push"),
    ("psuh", ["pull", "push"], "push"), ("p", ["pull", "push"], nil), ("conf", ["config", "conflicts"], nil),
    ("confl", ["config", "conflicts"], "conflicts"), ("", ["a"], nil),
  ])
  func theNearestWordIsSuggested(_ typed: String, _ candidates: [String], _ expected: String?) {
    #expect(Suggestion.nearest(to: typed, among: candidates) == expected)
  }

  @Test(arguments: [
    ("", "", 0), ("", "abc", 3), ("abc", "", 3), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "abd", 1),
    ("abc", "xabc", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
  ])
  func aDistanceCountsEditsAndSwaps(_ first: String, _ second: String, _ expected: Int) {
    #expect(Suggestion.distance(Array(first.utf8), Array(second.utf8)) == expected)
    #expect(Suggestion.distance(Array(second.utf8), Array(first.utf8)) == expected)
  }
}
