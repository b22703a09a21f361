import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// What values by key are kept in.
@Suite struct KeyValueStoreTests {
  /// Whoever takes over what the record shows holds the lock, and must not wait for it.
  @Test func takingOverMakesAMissingIndexAnew() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    let record = KeyValueRecord(suite: "s")
    try record.write(["x": 1, "y": 2], in: a)
    let late = try bench.open("a")
    try SortedTable.destroy(folder: late.layout.index, fileSystem: bench.fileSystem)
    let taken = try late.takeKeyValues(["x"], from: record, into: "s")
    #expect(taken.came == ["x"])
    #expect(try late.readKeyValues("s").values == ["x": 1])
  }

  @Test func editsArePartedSoThatEachPartFitsInAChange() {
    let text = JSONValue.string(JSONString(String(repeating: "a", count: 200_000)))
    let edits = Dictionary(uniqueKeysWithValues: (0..<10).map { ("k\($0)", JSONValue?.some(text)) })
    let parts = KeyValueRecord.parts(of: edits)
    #expect(parts.count == 5)
    #expect(parts.reduce(into: [:]) { $0.merge($1) { $1 } } == edits)
    #expect(KeyValueRecord.parts(of: ["a": nil, "b": 1]).count == 1)
    #expect(KeyValueRecord.parts(of: [:]).isEmpty)
  }
}
