import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// The cases that the executable model of the merge printed, with the state that it says they give.
@Suite struct MergeModelTests {
  /// Conflicts as the model names them.
  struct Named: Hashable {
    let kind: String
    let place: String
  }

  @Test func everyModelCaseGivesTheModelsState() throws {
    let lines = try fixtureLines("merge-cases.jsonl")
    #expect(lines.count == 1000)
    for (number, line) in lines.enumerated() {
      let wanted = try CaseReader.read(line)
      let commits = wanted["commits"].members.map(Self.commit)
      let pure = definition(of: commits)
      expect(pure, wanted, "line \(number + 1), the definition")

      var generator = SeededRandom(seed: UInt64(number))
      for order in [commits, commits.reversed(), commits.shuffled(using: &generator)] {
        var incremental = KeyedState()
        for commit in order { incremental.apply(commit.change, commit.context) }
        expect(incremental, wanted, "line \(number + 1), commit by commit")
        #expect(incremental.view == pure.view, "line \(number + 1)")
      }
    }
  }

  private func expect(_ state: KeyedState, _ wanted: CaseValue, _ place: String) {
    var shown: CaseValue = .null
    if let record = state.shown {
      let members = record.registers.filter { $0.value != nil }
      shown = .object(
        members.map { member in
          let value = String(decoding: member.value ?? [], as: UTF8.self)
          return (String(decoding: member.key, as: UTF8.self), .string(value))
        })
    }
    #expect(shown == wanted["shown"], "\(place)")
    let conflicts = Set(
      wanted["conflicts"].items.map { Named(kind: $0.items[0].text ?? "", place: $0.items[1].text ?? "") })
    #expect(Set(state.conflicts.map(Self.named)) == conflicts, "\(place)")
  }

  private static func named(_ conflict: Conflict) -> Named {
    switch conflict {
    case .differing(.key(let key), _, _): Named(kind: "key", place: String(decoding: key, as: UTF8.self))
    case .differing(.whole, _, _): Named(kind: "key", place: "")
    case .hiddenEdit(let commit, _, _): Named(kind: "hidden edit", place: name(commit))
    case .overruledDelete(let delete): Named(kind: "overruled delete", place: name(delete.commit))
    }
  }

  private static func commit(_ name: String, _ value: CaseValue) -> MadeChange {
    let stamp = UInt64(max(0, value["stamp"].number))
    let settles = value["settles"].items.compactMap { $0.text.map(digest) }
    let generation = value["generation"].number
    let context = context(name, stamp: stamp)
    if value["op"].text == "delete" {
      let delete = RecordDelete(kind: "k", id: [1], generation: generation, settles: settles)
      return MadeChange(context: context, change: .delete(delete))
    }
    var writes: [RegisterKey: WrittenValue] = [:]
    for (name, written) in value["keys"].members {
      writes[key(name)] = WrittenValue(
        value: written.items[0].text.map(bytes),
        replaces: written.items[1].items.compactMap { $0.text.map(digest) })
    }
    let write = RegisterWrite(kind: "k", id: [1], generation: generation, writes: writes, settles: settles)
    return MadeChange(context: context, change: .set(write))
  }
}
