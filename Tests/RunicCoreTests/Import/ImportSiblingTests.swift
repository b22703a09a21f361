import RunicCore
import Testing

@Suite struct ImportSiblingTests {
  /// Of thousands of forks each asks for its parent: to look at all names each time would take a minute.
  @Test func eachLogIsLookedAtOnceHoweverManyAreAskedFor() {
    let siblings = LogSiblings(
      (0..<100).map { LogFile("/s/rollout-\($0 % 50).jsonl", $0 < 50 ? .plain : .zstandard) })
    var looks = 0
    for number in 0..<60 {
      let found = siblings.logs(withKey: "rollout-\(number).jsonl") { log in
        looks += 1
        return String(log.name)
      }
      #expect(found.map(\.form) == (number < 50 ? [.plain, .zstandard] : []))
    }
    #expect(looks == 100)
  }
}
