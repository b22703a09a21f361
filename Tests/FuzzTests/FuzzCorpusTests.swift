import Foundation
import TestSupport
import Testing

/// Every parser takes its corpus, and what random damage makes of it, without a trap and without breaking a law.
///
/// `RUNIC_FUZZ_ROUNDS` says how many damaged inputs each parser is given. `scripts/fuzz` looks further, with coverage.
@Suite struct FuzzCorpusTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["RUNIC_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 150

  private static func corpus(_ target: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = Bundle.module.bundleURL.appendingPathComponent("Corpus/\(target)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
      (name, [UInt8](try Data(contentsOf: folder.appendingPathComponent(name))))
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func theCorpusBreaksNoLaw(_ name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let corpus = try Self.corpus(name)
    #expect(!corpus.isEmpty)
    for (file, bytes) in corpus {
      let problem = target.problem(with: bytes)
      #expect(problem == nil, "\(name)/\(file)")
    }
  }

  @Test(arguments: FuzzTarget.all.map(\.name))
  func whatDamageMakesOfTheCorpusBreaksNoLaw(_ name: String) throws {
    let target = try #require(FuzzTarget.named(name))
    let corpus = try Self.corpus(name).map(\.bytes)
    let seed = UInt64.random(in: 0...(.max))
    var damage = FuzzDamage(random: SeededRandom(seed: seed))
    for round in 0..<Self.rounds {
      let bytes = damage.input(from: corpus)
      if let problem = target.problem(with: bytes) {
        let text = String(decoding: bytes, as: UTF8.self)
        Issue.record(
          "\(problem); seed \(seed), round \(round): \(bytes.count) bytes: \(text.debugDescription)")
      }
    }
  }

  /// A law that nothing can break would prove nothing.
  @Test func aBrokenLawIsReported() throws {
    let target = FuzzTarget("sample") { try require($0.count < 3, "too many") }
    #expect(target.problem(with: [1, 2]) == nil)
    #expect(target.problem(with: [1, 2, 3]) == "sample: too many")
  }
}

/// Makes inputs from those of a corpus: changed, cut, doubled, put together.
struct FuzzDamage {
  var random: SeededRandom

  mutating func input(from corpus: [[UInt8]]) -> [UInt8] {
    guard var bytes = corpus.randomElement(using: &random) else { return [] }
    if number(0...9) == 0, let other = corpus.randomElement(using: &random) {
      bytes = Array(bytes.prefix(number(0...bytes.count))) + other.suffix(number(0...other.count))
    }
    for _ in 0..<number(1...4) { change(&bytes) }
    return bytes
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func change(_ bytes: inout [UInt8]) {
    guard !bytes.isEmpty else { return bytes.append(UInt8(number(0...255))) }
    let place = number(0...bytes.count - 1)
    let end = min(bytes.count, place + number(1...16))
    switch number(0...6) {
    case 0: bytes[place] = UInt8(number(0...255))
    case 1: bytes[place] ^= 1 << UInt8(number(0...7))
    case 2: bytes.removeSubrange(place..<end)
    case 3: bytes.insert(contentsOf: bytes[place..<end], at: number(0...bytes.count))
    case 4: bytes.insert(UInt8(number(0x20...0x7e)), at: place)
    case 5: bytes.replaceSubrange(place..<end, with: Array("9223372036854775807".utf8.prefix(number(1...19))))
    default: bytes.removeSubrange(place...)
    }
  }
}
