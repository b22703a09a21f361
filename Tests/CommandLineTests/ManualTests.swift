import Foundation
import RunicCore
import Synchronization
import TestSupport
import Testing

@testable import runic

@Suite struct ManualTests {
  private static let folder = BuiltProgram.package + "/docs/man"

  @Test func theFilesAreThoseThatTheProgramWrites() throws {
    let manual = Manual(Commands.all)
    let files = manual.pages.map { manual.file(of: $0) }
    let there = try FileManager.default.contentsOfDirectory(atPath: Self.folder)
    #expect(there.sorted() == files.map(\.name).sorted(), "run 'make man'")
    for file in files {
      let stored = try? String(contentsOfFile: "\(Self.folder)/\(file.name)", encoding: .utf8)
      #expect(stored == file.text, "\(file.name) is not what the descriptions say: run 'make man'")
    }
  }

  @Test func everyPageOfACommandListsEveryStatusAndFlagThatItHas() {
    let manual = Manual(Commands.all)
    for command in manual.commands {
      let text = manual.file(of: ManualPage(command)).text
      for status in command.allExitStatus {
        #expect(text.contains("\\fB\(status.rawValue)\\fR\n"), "\(command.title): \(status)")
      }
      for flag in command.flags + GlobalFlags.all {
        #expect(text.contains(ManualRoff.escaped(flag.long)), "\(command.title): \(flag.long)")
      }
    }
  }

  /// What help shows is the page, so every word of its prose must be in it.
  @Test func helpSaysWhatThePageSays() {
    for command in Manual(Commands.all).commands {
      let run = Run(["help"] + command.name, commands: Commands.all)
      let words = run.out.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
      for section in ManualPage(command).sections {
        for block in section.blocks {
          switch block {
          case .paragraph(let text): #expect(words.contains(text), "\(command.title)")
          case .terms(let rows): for row in rows { #expect(words.contains(row.text), "\(command.title)") }
          case .example(let example): #expect(run.out.contains(example.line), "\(command.title)")
          }
        }
      }
    }
    #expect(Run(["help", "concepts"], commands: Commands.all).out.contains("how records merge"))
    #expect(Run(["help", "runic"], commands: Commands.all).out.contains("RUNIC_PASSPHRASE_COMMAND"))
  }

  /// What moves a folder stands where variables are looked up, in the help of what reads it, and in its page.
  @Test func everyVariableThatMovesLogsIsNamed() throws {
    let overview = Run(["help", "runic"], commands: Commands.all).out
    let help = Run(["help", "record", "usage"], commands: Commands.all).out
    let page = try String(contentsOfFile: "\(BuiltProgram.package)/docs/import.md", encoding: .utf8)
    let asked = Mutex<Set<String>>([])
    let search = LogSearch(fileSystem: MemoryFileSystem()) { name in
      asked.withLock { _ = $0.insert(name) }
      return nil
    }
    for importer in Importers.all { _ = importer.logs(in: search) }
    let names = asked.withLock { $0 }.subtracting(["HOME"])
    #expect(names.count == 6)
    for name in names {
      #expect(overview.contains(name) && help.contains(name) && page.contains("`\(name)`"), "\(name)")
    }
  }

  @Test func theConceptsNameEveryHook() {
    let page = Run(["help", "concepts"], commands: Commands.all).out
    for hook in Hook.allCases { #expect(page.contains(hook.rawValue), "\(hook)") }
  }

  @Test func textIsWrittenOutWhereRoffWouldTakeItForItsOwn() {
    #expect(ManualRoff.escaped("a-b\\c'd…é~") == "a\\-b\\ec\\(aqd...\\[u00E9]\\(ti")
  }

  @Test(arguments: [
    ("mandoc", "mandoc -Tlint *.[17]"),
    (
      "man",
      "for page in *.[17]; do man --warnings -E UTF-8 -l -Tutf8 -Z \"$page\" 2>&1 >/dev/null; done"
    ),
  ])
  func formattersFindNothingToSay(_ tool: String, _ script: String) throws {
    guard BuiltProgram.hasTool(tool) else {
      print("not tried: the man pages under \(tool): it is not installed")
      return
    }
    let folder = try TestFolder()
    defer { folder.remove() }
    let complaints = try folder.run(
      ["sh", "-c", "cd \"$PAGES\" && { \(script); } || :"], program: "", ["PAGES": Self.folder])
    #expect(complaints == "")
  }

  /// What a reader sees: the parts in their order, within the width of the terminal.
  @Test func pagesReadWell() throws {
    guard BuiltProgram.hasTool("mandoc") else {
      print("not tried: reading the man pages: mandoc is not installed")
      return
    }
    let folder = try TestFolder()
    defer { folder.remove() }
    let text = try folder.run(
      ["sh", "-c", "mandoc -Tutf8 -Owidth=78 \"$PAGES/runic-remote-add.1\" | sed 's/.\\x08//g'"], program: "",
      ["PAGES": Self.folder])
    let lines = text.split(separator: "\n").map(String.init)
    let titles = lines.filter { $0.first?.isUppercase == true }.dropFirst()
    #expect(
      Array(titles) == [
        "NAME", "SYNOPSIS", "DESCRIPTION", "ARGUMENTS", "FLAGS", "EVERYWHERE", "EXIT STATUS", "EXAMPLES",
        "SEE ALSO",
      ])
    #expect(lines.allSatisfy { TextWidth.columns($0) <= 80 })
  }
}
