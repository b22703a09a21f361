import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// The bounds of what is kept on a device alone: what was refused harms nothing that is there.
@Suite struct RecordsLocalTests {
  private func reading(_ number: Int64, length: Int) -> JSONObject {
    [
      "accountEmail": .string(JSONString(String(repeating: "a", count: length))),
      "primaryUsed": .integer(number),
      "providerID": "claude",
    ]
  }

  private func isTooLarge(_ error: any Error) -> Bool {
    if case .tooLarge? = error as? RunicError { true } else { false }
  }

  @Test func localRecordsThatCouldNotBeReadAgainAreRefused() throws {
    let a = try Workbench().begin("a")
    func add(_ number: Int64) throws {
      _ = try a.write { try $0.record(reading(number, length: 950_000), kind: .usage, isLocal: true) }
    }
    for number in Int64(1)...17 { try add(number) }
    #expect(throws: Never.self) { try a.read { _ in } }
    #expect { try add(18) } throws: { isTooLarge($0) }
    #expect(try a.usageCount == 17)
    // What is there can still be promoted, and makes room.
    let id = try #require(
      try a.read { $0.local.names(of: "usage", .history).first })
    try a.promote(kind: .usage, id: id.id)
    try add(18)
    #expect(try a.usageCount == 18)
  }

  @Test func aLocalRecordThatCouldNotBePromotedIsRefused() throws {
    let a = try Workbench().begin("a")
    #expect {
      try a.write { try $0.record(reading(1, length: 1 << 20), kind: .usage, isLocal: true) }
    } throws: { isTooLarge($0) }
    let long = JSONValue.string(JSONString(String(repeating: "a", count: 1 << 20)))
    #expect { try prefer(a, long, isLocal: true) } throws: { isTooLarge($0) }
  }

  // MARK: - Nesting

  private func nested(_ depth: Int) -> JSONValue {
    (1..<depth).reduce(.array([])) { value, _ in .array([value]) }
  }

  @discardableResult
  private func prefer(_ device: Repository, _ value: JSONValue, isLocal: Bool) throws -> Bool {
    try device.write { transaction in
      let id = Array("user-preferences".utf8)
      let patch = Patch(set: ["deep": value])
      return isLocal
        ? try transaction.patchLocally(kind: .preferences, id: id, patch)
        : try transaction.patch(kind: .preferences, id: id, patch)
    }
  }

  /// A payload may be as deep as a reader follows, wherever it is kept on the way.
  @Test(arguments: [false, true])
  func whatIsTooDeepForAReaderIsRefused(_ isLocal: Bool) throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    #expect {
      try prefer(a, nested(128), isLocal: isLocal)
    } throws: {
      if case .badPayload(let cause)? = $0 as? RunicError { cause.reason == .nestingTooDeep } else { false }
    }
    try prefer(a, nested(127), isLocal: isLocal)
    #expect(try bench.open("a").preferences?["deep"] == nested(127))
    if isLocal { try a.promote(kind: .preferences, id: Array("user-preferences".utf8)) }
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    #expect(try b.preferences?["deep"] == nested(127))
    #expect(try a.faults() == [])
  }

  @Test func aPrivateFileThatCouldNotBeReadAgainIsNotWritten() throws {
    let a = try Workbench().begin("a")
    let path = a.layout.local + "/file"
    try a.environment.fileSystem.makeDirectories(a.layout.local, permissions: 0o700)
    try a.files.writeObject(["a": nested(128)], to: path)
    #expect(try a.files.readObject(path) == ["a": nested(128)])
    let long = JSONValue.string(JSONString(String(repeating: "a", count: PrivateFiles.limit)))
    #expect { try a.files.writeObject(["a": long], to: path) } throws: { isTooLarge($0) }
    #expect { try a.files.writeLightly(["a": long], to: path) } throws: { isTooLarge($0) }
    #expect(throws: RunicError.self) { try a.files.writeObject(["a": nested(200)], to: path) }
    #expect(try a.files.readObject(path) == ["a": nested(128)])
  }
}
