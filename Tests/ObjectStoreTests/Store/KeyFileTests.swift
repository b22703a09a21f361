import TestSupport
import Testing

@testable import ObjectStore

@Suite struct KeyFileTests {
  private static let keys = LogBench.keys

  private static func key(_ number: Int64, seed: UInt64) throws -> RepositoryKey {
    try RepositoryKey(root: RandomSource.seeded(seed).secret(32), number: number, repository: keys.repository)
  }

  private static func file(_ key: RepositoryKey, _ keys: RepositoryKeys) throws -> KeyFile {
    try KeyFile(adding: key, to: keys, random: .seeded(3))
  }

  @Test func theKeyGivesItselfAndAllOlderOnes() throws {
    let second = try Self.key(2, seed: 20)
    let third = try Self.key(3, seed: 30)
    let held = Self.keys.adding([second])
    let file = try Self.file(third, held)
    let read = try KeyFile(decoding: file.bytes, name: file.name)
    #expect(read.bytes == file.bytes)
    let opened = try read.open(with: third.root)
    #expect(opened.map(\.id) == [third.id, Self.keys.newest.id, second.id])
    #expect(opened.map(\.number) == [3, 1, 2])
    #expect(opened.dropFirst().map(\.root) == held.all.map(\.root))
  }

  @Test func aKeyThatDoesNotComeAfterAllOthersMakesNoFile() throws {
    let held = Self.keys.adding([try Self.key(2, seed: 20)])
    for number in [Int64(1), 2] {
      #expect(throws: FormatError.content("number")) {
        try Self.file(try Self.key(number, seed: 30), held)
      }
    }
  }

  @Test func noOtherKeyOpensIt() throws {
    let second = try Self.key(2, seed: 20)
    let file = try Self.file(second, Self.keys)
    for root in [Self.keys.newest.root, try Self.key(2, seed: 21).root] {
      #expect(throws: FormatError.authentication) { try file.open(with: root) }
    }
  }

  @Test func itNamesNoKeyInTheClear() throws {
    let second = try Self.key(2, seed: 20)
    let text = String(decoding: try Self.file(second, Self.keys).bytes, as: UTF8.self)
    for key in [second, Self.keys.newest] {
      #expect(!text.contains(key.root.withUnsafeBytes { Hexadecimal.encode($0) }))
    }
  }

  /// Whoever renames the file gives its key another place in the order of keys.
  @Test func aFileUnderAnotherNumberDoesNotOpen() throws {
    let second = try Self.key(2, seed: 20)
    let file = try Self.file(second, Self.keys)
    let moved = KeyFileName(number: 9, key: second.id)
    #expect(throws: FormatError.content("key file")) { try KeyFile(decoding: file.bytes, name: moved) }
    let text = String(decoding: file.bytes, as: UTF8.self)
    let parts = text.split(separator: "\"number\":2", omittingEmptySubsequences: false)
    try #require(parts.count == 2)
    let forged = try KeyFile(decoding: Array("\(parts[0])\"number\":9\(parts[1])".utf8), name: moved)
    #expect(throws: (any Error).self) { try forged.open(with: second.root) }
  }

  @Test func everyChangedByteOfWhatIsSealedIsFound() throws {
    let second = try Self.key(2, seed: 20)
    let file = try Self.file(second, Self.keys)
    let text = String(decoding: file.bytes, as: UTF8.self)
    let parts = text.split(separator: "\"older\":\"", omittingEmptySubsequences: false)
    let digits = try #require(parts.last?.prefix { $0 != "\"" })
    for index in stride(from: 0, to: digits.count, by: 7) {
      var changed = Array(digits)
      changed[index] = changed[index] == "0" ? "1" : "0"
      let rest = parts[1].dropFirst(digits.count)
      let bytes = Array("\(parts[0])\"older\":\"\(String(changed))\(rest)".utf8)
      let read = try KeyFile(decoding: bytes, name: file.name)
      #expect(throws: (any Error).self) { try read.open(with: second.root) }
    }
  }

  @Test func aFileThatIsCutOrTooLongIsRefused() throws {
    let file = try Self.file(try Self.key(2, seed: 20), Self.keys)
    for count in 0..<file.bytes.count - 1 {
      #expect(throws: FormatError.self) {
        try KeyFile(decoding: Array(file.bytes.prefix(count)), name: file.name)
      }
    }
    let long = file.bytes + [UInt8](repeating: 0x20, count: Limits.smallFile)
    #expect(throws: FormatError.length) { try KeyFile(decoding: long, name: file.name) }
  }

  /// A number in it that is not below the file's would put an old key before the new one.
  @Test func aFileThatHoldsANewerKeyIsRefused() throws {
    let second = try Self.key(2, seed: 20)
    let newer = Self.keys.adding([try Self.key(5, seed: 50)])
    let file = try KeyFile(sealing: newer, under: second, random: .seeded(3))
    #expect(throws: FormatError.authentication) { try file.open(with: second.root) }
  }

  @Test func theNewestKeyIsTheOneOfTheHighestNumberThenId() throws {
    let keys = [try Self.key(2, seed: 20), try Self.key(2, seed: 21), try Self.key(1, seed: 9)]
    let greater = keys[0].id < keys[1].id ? keys[1].id : keys[0].id
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
      #expect(Self.keys.adding(order.map { keys[$0] }).newest.id == greater)
    }
  }
}
