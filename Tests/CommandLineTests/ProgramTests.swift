import ObjectStore
import Testing

@testable import runic

@Suite struct ProgramTests {
  @Test(arguments: [(1000, "for 1 second ("), (30_000, "for 30 seconds (")] as [(Int64, String)])
  func aWaitIsCountedAsPeopleCount(_ waited: Int64, _ words: String) {
    #expect(commandFailure(for: LockTimeout(path: "/x/lock", waited: waited)).message.contains(words))
  }

  @Test(arguments: [["version"], ["--version"], ["list", "--version"], ["--repo", "x", "version"]])
  func theVersionIsShown(_ arguments: [String]) {
    #expect(Run(arguments).out == "runic \(runicVersion)\n")
    #expect(Run(arguments + ["--json"]).out.hasSuffix("\"version\":\"\(runicVersion)\"}\n"))
  }

  @Test(arguments: [
    ([], "usage: runic [--repo DIR] COMMAND"), (["help"], "usage: runic [--repo DIR] COMMAND"),
    (["--help"], "usage: runic [--repo DIR] COMMAND"), (["help", "list"], "usage: runic list KIND"),
    (["list", "--help"], "usage: runic list KIND"),
    (["list", "a", "b", "--bad", "-h"], "usage: runic list KIND"),
    (["remote", "--help"], "usage: runic remote COMMAND"),
    (["help", "remote"], "usage: runic remote COMMAND"),
    (["help", "remote", "add"], "usage: runic remote add NAME URL"),
    (["remote", "add", "--help"], "usage: runic remote add NAME URL"),
    (["help", "record"], "usage: runic record KIND KEY=VALUE…"),
  ])
  func helpIsShownForWhatWasNamed(_ arguments: [String], _ start: String) {
    let run = Run(arguments)
    #expect(run.out.hasPrefix(start))
    #expect(run.status == .done)
    #expect(run.err == "")
  }

  @Test func helpForAnUnknownCommandSuggestsOne() {
    #expect(Run(["help", "lits"]).err.contains("did you mean 'runic list'?"))
    #expect(Run(["help", "remote", "ads"]).err.contains("did you mean 'runic remote add'?"))
    #expect(Run(["help", "remote", "ads"]).status == .usage)
  }

  @Test func helpAfterTheEndOfFlagsIsAnArgument() {
    #expect(Run(["list", "--", "--help"]).out == "list|--help\n")
  }

  @Test func helpNamesEverythingOfACommand() {
    let lines = Run(["help", "list"]).out.split(separator: "\n").map(String.init)
    #expect(
      lines.prefix(4) == [
        "usage: runic list KIND [--all | --long] [--since T] [--count N]",
        "                  [--provider P]… [--order O]", "list: list records", "arguments",
      ])
    #expect(lines.contains("  -n, --count N  so many"))
    #expect(lines.allSatisfy { TextWidth.columns($0) <= 78 })
  }

  @Test func helpIsJSONUnderJSON() {
    let all = Run(["help", "--json"]).out
    #expect(
      all.hasPrefix("{\"commands\":[{\"arguments\":[{\"choices\":[],\"kind\":\"kind\",\"name\":\"KIND\""))
    #expect(all.contains("\"name\":\"remote add\""))
    #expect(!all.contains("__complete"))
    let one = Run(["help", "remote", "add", "--json"]).out
    #expect(one.contains("{\"meaning\":\"a remote cannot be reached\",\"status\":4}"))
    #expect(!one.contains("\"name\":\"remote list\""))
  }

  @Test func aFailureUnderJSONIsAnObject() {
    let run = Run(["--json", "lits"])
    #expect(
      run.out
        == "{\"error\":{\"code\":\"usage\",\"hint\":\"did you mean 'runic list'?\","
        + "\"message\":\"'lits' is no runic command\"}}\n")
    #expect(run.err == "")
    #expect(run.status == .usage)
    #expect(Run(["lits", "--", "--json"]).out == "")
  }

  @Test func aFailureOfACommandIsPrintedOnOneLineAndGivesTheStatus() {
    let failure = CommandFailure(.wrongKey, code: "wrong-key", "bad\nkey\u{1B}[2J", hint: "try again")
    let failing = Command(description: CommandDescription("fail", summary: "", group: .look)) { _, context in
      context.output.line("before")
      throw failure
    }
    let run = Run(["fail"], commands: [failing])
    #expect(run.status == .wrongKey)
    #expect(run.out == "before\n")
    #expect(run.err == "runic: error: bad\\nkey\\u001b[2J\nrunic: hint: try again\n")
    #expect(
      Run(["fail", "--json"], commands: [failing]).out
        == "before\n{\"error\":{\"code\":\"wrong-key\",\"hint\":\"try again\","
        + "\"message\":\"bad\\nkey\\u001b[2J\"}}\n")
  }

  @Test func everyStatusHasItsNumberAndItsOwnMeaning() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 130])
    #expect(Set(ExitStatus.allCases.map(\.meaning)).count == ExitStatus.allCases.count)
  }

  /// The table of all commands, held to what parsing and help take for granted.
  @Test func everyDescriptionIsSound() {
    let all = Commands.all.map(\.description)
    #expect(Set(all.map(\.title)).count == all.count)
    for command in all {
      #expect((1...2).contains(command.name.count), "\(command.title)")
      #expect(command.summary.first?.isLowercase == true && command.summary.last != ".", "\(command.title)")
      #expect(command.arguments.dropLast().filter(\.isRepeating).isEmpty, "\(command.title)")
      let required = command.arguments.map(\.isRequired)
      let sorted = required.filter { $0 } + required.filter { !$0 }
      #expect(required == sorted, "\(command.title): required arguments come first")
      let spellings = (command.flags + GlobalFlags.all).flatMap { [$0.long] + ($0.short.map { [$0] } ?? []) }
      #expect(Set(spellings).count == spellings.count, "\(command.title): two flags of one spelling")
      #expect(
        command.flags.allSatisfy { $0.long.hasPrefix("--") && $0.short?.count ?? 2 == 2 }, "\(command.title)")
      for argument in command.arguments {
        #expect(argument.kind != .none, "\(command.title) \(argument.name): what sort of value?")
      }
      for flag in command.flags + GlobalFlags.all {
        #expect((flag.kind == .none) == (flag.value == nil), "\(command.title) \(flag.long): what sort?")
      }
      if !command.isHidden {
        #expect(!command.details.isEmpty && !command.examples.isEmpty, "\(command.title): no prose, no page")
      }
      for name in command.exclusive.joined() {
        #expect(command.flag(name) != nil, "\(command.title): \(name)")
      }
    }
  }
}
