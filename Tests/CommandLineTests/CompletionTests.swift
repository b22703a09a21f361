import CanonicalJSON
import Testing

@testable import runic

@Suite struct CompletionTests {
  /// A line up to the cursor; the words before the cursor's, what is there of the cursor's, and how much of it
  /// stays.
  @Test(
    arguments: [
      ("runic pu", ["runic"], "pu", 0, nil), ("runic ", ["runic"], "", 0, nil),
      ("runic get 'a b' ", ["runic", "get", "a b"], "", 0, nil),
      ("runic get a\\ b", ["runic", "get"], "a b", 0, nil),
      ("runic get \"a b", ["runic", "get"], "a b", 0, UInt8(ascii: "\"")),
      ("runic get \"a\\\"b\\c", ["runic", "get"], "a\"b\\c", 0, UInt8(ascii: "\"")),
      ("runic --device=la", ["runic"], "--device=la", 9, nil),
      ("runic --device='la p", ["runic"], "--device=la p", 9, UInt8(ascii: "'")),
      ("runic a:b=c", ["runic"], "a:b=c", 4, nil), ("runic a\\:b", ["runic"], "a:b", 0, nil),
      ("runic '' x", ["runic", ""], "x", 0, nil), ("", [], "", 0, nil),
      ("runic é\\", ["runic"], "é", 0, nil),
    ] as [(String, [String], String, Int, UInt8?)])
  func linesAreTakenApartAsShellsDo(
    _ line: String, _ words: [String], _ current: String, _ kept: Int, _ quote: UInt8?
  ) {
    let parsed = ShellLine(line, breaks: " \t\n\"'@><=;|&(:")
    #expect(parsed.words == words, "\(line)")
    #expect(parsed.current == current, "\(line)")
    #expect(parsed.kept == kept, "\(line)")
    #expect(parsed.openQuote == quote, "\(line)")
  }

  /// Candidates without what is said of them, joined by `|`.
  private func complete(_ line: String, on machine: Machine) -> String {
    let outcome = machine.run("__complete", "fish", "--", line)
    #expect(outcome.status == .done && outcome.err == "", "\(line): \(outcome.err)")
    return outcome.out.split(separator: "\n").map { $0.prefix { $0 != "\t" } }.joined(separator: "|")
  }

  @Test func everySortOfValueThatExistsIsOffered() throws {
    let machine = try World().shared()
    try machine.expect(.done, "record", "alert", "--provider", "zed")
    let repository = "runic --repo \(machine.root) "
    let rows: [(line: String, candidates: String)] = [
      ("remote set", "set-url"), ("pull ", "home"),
      ("pull --strategy=prefer-", "--strategy=prefer-local|--strategy=prefer-remote"),
      ("get pref", "preferences"), ("get alert ", "zed"), ("get preferences user-preferences th", "theme"),
      ("record preferences the", "theme="),
      ("record preferences --id user-preferences theme=d", "theme=dark"),
      ("record preferences notificationsEnabled=", "notificationsEnabled=false|notificationsEnabled=true"),
      ("list usage --device ", "A"), ("list alert --provider z", "zed"),
      ("record alert --channel system,st", "system,stdout"), ("record usage --from codex,cl", "codex,claude"),
      ("config get remote", "remote.home.timeout"), ("config set sync.strategy man", "manual"),
      ("completion z", "zsh"), ("uninstall-hook ", "claude|codex"), ("report blo", "blocks"),
      ("help remote li", "list"), ("pull --no-retry --no-r", ""), ("--quiet --verb", ""),
      ("push -- ho", "home"),
      ("pull home ", "--strategy|--strict|--no-retry"), ("nonsense ", ""), ("remote nonsense ", ""),
      ("log -n ", ""), ("key remove ", try slot(machine)),
    ]
    for (line, candidates) in rows {
      #expect(complete(repository + line, on: machine) == candidates, "\(line)")
    }
    let status = complete(repository + "reflog A --c", on: machine)
    #expect(status.contains("--count"))
  }

  private func slot(_ machine: Machine) throws -> String {
    try machine.open().slots().map(\.id.hex).joined(separator: "|")
  }

  /// No repository, no key, a key that only a command of the user's would fetch, damage: nothing is offered, nothing is
  /// said and nothing is run.
  @Test func whatCannotBeReadOffersNothing() throws {
    let machine = try World().shared()
    for line in [
      "get note ", "pull x", "list usage --device ", "key remove ", "cat-object ", "get \u{7}",
    ] {
      #expect(complete("runic --repo /nowhere \(line)", on: machine) == "", "\(line)")
    }
    #expect(complete("runic --repo /nowhere get al", on: machine) == "alert")
    let key = "\(machine.root)/repository.key"
    try machine.files.remove(key)
    #expect(complete("runic --repo \(machine.root) list usage --device ", on: machine) == "")
    #expect(complete("runic --repo \(machine.root) pull ", on: machine) == "home")
  }

  @Test func hiddenCommandsAreNotOffered() throws {
    let machine = try World().shared()
    #expect(complete("runic __", on: machine) == "")
    let names = complete("runic ", on: machine).split(separator: "|").map(String.init)
    #expect(
      Set(names) == Set(Commands.all.filter { !$0.description.isHidden }.map { $0.description.name[0] }))
  }
}
