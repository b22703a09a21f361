import CanonicalJSON
import Foundation
import ObjectStore
import RunicCore
import Testing
import TestSupport

/// A repository that version 0.1.0 wrote must open in every later version, and in a program that was written from
/// the format page alone.
@Suite struct GoldenRepositoryTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
  private static let golden = "\(root)/Tests/RunicCoreTests/Fixtures/golden-1"

  private func lines(_ name: String) throws -> [JSONValue] {
    try PosixFileSystem().read("\(Self.golden)/\(name)", limit: 1 << 20).split(separator: UInt8(ascii: "\n"))
      .map { try JSONValue.parse($0) }
  }

  private func withClone<Result>(_ body: (Repository) throws -> Result) throws -> Result {
    let work = FileManager.default.temporaryDirectory.appending(path: "runic-golden-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: work) }
    var text = try PosixFileSystem().read("\(Self.golden)/key.txt", limit: 1000)
    text.removeAll { $0 == UInt8(ascii: "\n") }
    let digits = try #require(Hexadecimal.decode(String(decoding: text, as: UTF8.self).dropFirst(12)))
    let repository = try Repository.clone(
      from: "\(Self.golden)/tree", named: "golden", to: work.path, deviceName: "reader",
      unlock: .key(
        SecretBytes(copying: Array(digits[16..<48])), try #require(RepositoryID(bytes: digits[..<16]))),
      environment: .system)
    let outcome = try repository.pull("golden")
    #expect(outcome.pending.isEmpty)
    return try body(repository)
  }

  @Test func itShowsWhatItShowedWhenItWasMade() throws {
    let expected = try lines("listing.jsonl")
    try withClone { repository in
      var shown: [JSONValue] = []
      try repository.read { snapshot in
        for (kind, family) in Self.kinds {
          try snapshot.forEachRecord(of: kind, family) { record in
            let id = String(decoding: record.name.id, as: UTF8.self)
            shown.append([
              "id": .string(JSONString(id)), "kind": .string(JSONString(kind)),
              "payload": .object(record.object),
            ])
            return true
          }
        }
      }
      #expect(Set(shown) == Set(expected))
      #expect(shown.count == expected.count)
    }
  }

  @Test func itListsTheConflictsThatItListed() throws {
    let expected = try lines("conflicts.jsonl").map { [$0["kind"], $0["id"], $0["key"], $0["shown"]] }
    try withClone { repository in
      let found = try repository.read { try $0.conflicts() }.map { conflict -> [JSONValue?] in
        [
          .string(JSONString(conflict.name.kind)),
          .string(JSONString(String(decoding: conflict.name.id, as: UTF8.self))),
          conflict.key.map(JSONValue.string) ?? .null,
          try conflict.shown.map { try JSONValue.parse($0) } ?? .null,
        ]
      }
      #expect(Set(found) == Set(expected))
    }
  }

  /// The script knows the page and a stock crypto module, and nothing of this code.
  @Test(arguments: [("listing.jsonl", [String]()), ("conflicts.jsonl", ["--conflicts"])])
  func theIndependentReaderListsTheSame(kept: String, flags: [String]) throws {
    let printed = try Self.readByScript("\(Self.golden)/tree", key: "\(Self.golden)/key.txt", flags)
    #expect(printed == (try lines(kept)))
    #expect(!printed.isEmpty)
  }

  /// It opens what was written before and after a rotation with the newest key alone.
  @Test func theIndependentReaderFollowsARotation() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "runic-rotation-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let bench = try Workbench(PosixFileSystem(), seed: 5, root: folder)
    let a = try bench.begin("a")
    try a.prefer(["theme": "dark"])
    for size in 1...2 {
      _ = try a.rotateKey(passphrases: [])
      try a.prefer(["size": .integer(Int64(size))])
    }
    _ = try a.push("shared")
    let key = try #require(try a.exportedKeys().map(KeyString.encode).first)
    try bench.fileSystem.writeDurably(
      Array(key.utf8), to: bench.path("key"), by: bench.path("new"), permissions: 0o600)
    let printed = try Self.readByScript(bench.path("shared"), key: bench.path("key"), [])
    #expect(printed.compactMap { $0["payload"] } == [["size": 2, "theme": "dark"]])
  }

  private static func readByScript(_ tree: String, key: String, _ flags: [String]) throws -> [JSONValue] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/python3")
    process.arguments = ["\(root)/scripts/read-repository.py", tree, "--key-file", key] + flags
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return try Array(bytes).split(separator: UInt8(ascii: "\n")).map { try JSONValue.parse($0) }
  }

  private static let kinds: [(String, Family)] = [
    ("alert", .keys), ("key-slot", .keys), ("kind", .keys), ("note", .keys), ("preferences", .keys),
    ("request", .history), ("usage", .history), ("usage", .keys), ("visit", .history),
  ]
}
