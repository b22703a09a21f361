import CanonicalJSON
import ObjectStore
import Testing
import TestSupport

@testable import RunicCore

/// Two devices, each with a settings file of its own that follows one record.
@Suite struct TrackTests {
  private let disk = MemoryFileSystem()
  private let bench: Workbench
  private let a: Repository
  private let b: Repository
  private let record = RecordName(family: .keys, kind: "editor", id: Array("main".utf8))

  init() throws {
    bench = try Workbench(disk)
    a = try bench.begin("a")
    _ = try a.declare(Kind("editor", .perKey(key: nil)))
    _ = try a.push("shared")
    b = try bench.join("b", of: a)
    _ = try b.pull("shared")
  }

  private func file(_ device: Repository) -> TrackedFile {
    TrackedFile(path: bench.path("\(device.deviceName).json"), record: record)
  }

  private func put(_ text: String, _ device: Repository) throws {
    bench.clock.milliseconds += 10
    try disk.setContents(file(device).path, Array(text.utf8))
  }

  private func text(_ device: Repository) throws -> String {
    String(decoding: try disk.contents(file(device).path), as: UTF8.self)
  }

  private func shown(_ device: Repository) throws -> JSONObject? {
    try device.read { try $0.record(record)?.object }
  }

  @discardableResult
  private func track(
    _ device: Repository, _ file: TrackedFile? = nil, _ answer: TrackAnswer = TrackAnswer()
  ) throws -> TrackReport {
    let file = file ?? self.file(device)
    try device.track(file)
    let report = try device.captureTracked(file, answer: answer)
    _ = try device.writeTracked(file, makesFile: answer.choice == .preferRemote)
    return report
  }

  /// As a sync does it.
  @discardableResult
  private func sync(_ device: Repository) throws -> [TrackReport] {
    bench.clock.milliseconds += 10
    let captured = try device.captureTracked()
    _ = try device.pull("shared")
    _ = try device.push("shared")
    return captured + (try device.writeTracked())
  }

  @Test func keysEditedOnTwoMachinesMerge() throws {
    try put("{\"size\": 12.0, \"theme\": \"dark\", \"tabs\": true}", a)
    try put("{}", b)
    try track(a)
    try sync(a)
    try track(b)
    try sync(b)
    #expect(
      try SettingsText(disk.contents(file(b).path)).payload == ["size": 12, "tabs": true, "theme": "dark"])
    try put("{\"size\": 13, \"theme\": \"dark\", \"tabs\": true}", a)
    try put("{\"size\": 12, \"theme\": \"light\"}", b)
    for device in [a, b, a] { try sync(device) }
    #expect(try text(a) == "{\"size\": 13, \"theme\": \"light\"}")
    #expect(try text(b) == "{\"size\": 13, \"theme\": \"light\"}")
    #expect(try a.read { try $0.conflicts() }.isEmpty)
  }

  @Test func theSameKeyEditedOnBothIsAConflict() throws {
    try put("{\"size\": 1}", a)
    try put("{\"size\": 1}", b)
    try track(a)
    try sync(a)
    try sync(b)
    try track(b)
    try put("{\"size\": 2}", a)
    try put("{\"size\": 3}", b)
    for device in [a, b, a] { try sync(device) }
    #expect(try text(a) == "{\"size\": 3}")
    #expect(try text(b) == "{\"size\": 3}")
    #expect(try a.read { try $0.conflicts() }.map(\.key) == ["size"])
    // An edit after both were seen settles it.
    try put("{\"size\": 4}", a)
    for device in [a, b] { try sync(device) }
    #expect(try text(b) == "{\"size\": 4}")
    #expect(try b.read { try $0.conflicts() }.isEmpty)
  }

  @Test func withoutABaseKeysThatDifferWait() throws {
    try put("{\"size\": 1, \"only\": true}", a)
    try track(a)
    try sync(a)
    try sync(b)
    try put("{\"size\": 2, \"mine\": 1}", b)
    #expect(try track(b).waiting == ["size"])
    try sync(b)
    #expect(try text(b) == "{\"size\": 2, \"mine\": 1, \"only\": true}")
    #expect(try shown(b) == ["mine": 1, "only": true, "size": 1])
    // It waits on, whatever is edited beside it, and whatever is edited in it.
    try put("{\"size\": 3, \"mine\": 2, \"only\": true}", b)
    try sync(b)
    #expect(try shown(b) == ["mine": 2, "only": true, "size": 1])
    #expect(try b.waitingKeys().map(\.keys) == [["size"]])
    let status = try b.status()
    #expect(status.warnings == [.waitingKeys(path: file(b).path, count: 1)])
    try track(b, nil, TrackAnswer(choice: .preferRemote))
    #expect(try text(b) == "{\"size\": 1, \"mine\": 2, \"only\": true}")
    #expect(try b.waitingKeys().map(\.keys) == [[]])
  }

  @Test func takeFileMakesTheFileRight() throws {
    try put("{\"size\": 1}", a)
    try track(a)
    try sync(a)
    try sync(b)
    try put("{\"size\": 2}", b)
    try track(b, nil, TrackAnswer(choice: .preferLocal))
    #expect(try shown(b) == ["size": 2])
    #expect(try b.read { try $0.conflicts() }.isEmpty)
  }

  @Test(arguments: ["", "  \n", "{\"size\": 2", "[]", "nonsense", "{\"size\":1,\"size\":2}"])
  func aBrokenFileIsLeftAlone(_ broken: String) throws {
    try put("{\"size\": 1, \"theme\": \"dark\"}", a)
    try track(a)
    try put(broken, a)
    try a.write {
      _ = try $0.patch(
        kind: try $0.current.kinds.kind("editor"), id: record.id, Patch(set: ["theme": "light"]))
    }
    let reports = try sync(a)
    #expect(reports.allSatisfy { if case .content? = $0.problem { true } else { false } })
    #expect(try text(a) == broken)
    #expect(try shown(a) == ["size": 1, "theme": "light"])
    // Once it is whole again, it gets what it missed.
    try put("{\"size\": 1, \"theme\": \"dark\"}", a)
    try sync(a)
    #expect(try text(a) == "{\"size\": 1, \"theme\": \"light\"}")
  }

  @Test func anAbsentFileIsLeftAlone() throws {
    try put("{\"size\": 1}", a)
    try track(a)
    try disk.remove(file(a).path)
    let reports = try sync(a)
    #expect(reports.allSatisfy { if case .absent? = $0.problem { true } else { false } })
    #expect(try shown(a) == ["size": 1])
    #expect(try disk.status(file(a).path) == nil)
    try track(a, nil, TrackAnswer(choice: .preferRemote))
    #expect(try text(a) == "{\n  \"size\": 1\n}\n")
  }

  @Test func theLossOfMoreThanHalfAsks() throws {
    try put("{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}", a)
    try track(a)
    try put("{\"a\": 1, \"e\": 5}", a)
    guard case .massRemoval(3, 4)? = try sync(a).first?.problem else { return #expect(Bool(false)) }
    #expect(try a.trackedFiles().first?.problem == .massRemoval(lost: 3, of: 4))
    // Neither side is touched until somebody says that it is meant.
    #expect(try shown(a) == ["a": 1, "b": 2, "c": 3, "d": 4])
    #expect(try text(a) == "{\"a\": 1, \"e\": 5}")
    try track(a, nil, TrackAnswer(allowsMassRemoval: true))
    #expect(try shown(a) == ["a": 1, "e": 5])
    // Half of them may go without a question.
    try put("{\"a\": 1}", a)
    try sync(a)
    #expect(try shown(a) == ["a": 1])
  }

  @Test func onlyNamedKeysFollow() throws {
    try put("{\"size\": 1, \"secret\": \"x\"}", a)
    var some = file(a)
    some.keys = ["size"]
    try track(a, some)
    #expect(try shown(a) == ["size": 1])
    try a.write {
      _ = try $0.patch(
        kind: try $0.current.kinds.kind("editor"), id: record.id, Patch(set: ["secret": "y", "size": 2]))
    }
    try sync(a)
    #expect(try text(a) == "{\"size\": 2, \"secret\": \"x\"}")
    // A key that is followed from now on has no base: it waits.
    some.keys = ["secret", "size"]
    #expect(try track(a, some).waiting == ["secret"])
    // One that is followed no longer is not removed.
    some.keys = ["size"]
    try track(a, some)
    #expect(try shown(a) == ["secret": "y", "size": 2])
  }

  @Test func defaultsAreStoredNowhereUnlessAnotherValueWas() throws {
    var some = file(a)
    some.defaults = ["size": 12, "theme": "dark"]
    try put("{\"size\": 12, \"theme\": \"light\"}", a)
    try track(a, some)
    #expect(try shown(a) == ["theme": "light"])
    let view = try a.read { try $0.record(record) }
    let payload = try a.read { snapshot in view.map { snapshot.payloadWithDefaults($0) } }
    #expect(payload.map { String(decoding: $0, as: UTF8.self) } == #"{"size":12,"theme":"light"}"#)
    try sync(a)
    #expect(try text(a) == "{\"size\": 12, \"theme\": \"light\"}")
    // Back to the default is an edit, where another value was stored.
    try put("{\"size\": 12, \"theme\": \"dark\"}", a)
    try sync(a)
    #expect(try shown(a) == ["theme": "dark"])
    // Gone from the file is no removal of what was never stored.
    try put("{\"theme\": \"dark\"}", a)
    try sync(a)
    #expect(try shown(a) == ["theme": "dark"])
  }

  @Test func aFileKeepsItsModeAndIsReplacedAsAWhole() throws {
    try put("{\"size\": 1}", a)
    try disk.setPermissions(file(a).path, 0o640)
    try track(a)
    let before = try disk.status(file(a).path)
    try a.write {
      _ = try $0.patch(kind: try $0.current.kinds.kind("editor"), id: record.id, Patch(set: ["size": 2]))
    }
    try sync(a)
    let after = try disk.status(file(a).path)
    #expect(after?.permissions == 0o640)
    #expect(before?.identity != after?.identity)
    #expect(try disk.list(bench.root).filter { $0.name.hasPrefix(".runic") }.isEmpty)
  }

  @Test func aFieldThatItsKindRefusesIsNotTaken() throws {
    let preferences = RecordName(family: .keys, kind: "preferences", id: Array("user-preferences".utf8))
    try put("{\"refreshInterval\": 0}", a)
    let report = try track(a, TrackedFile(path: file(a).path, record: preferences))
    guard case .field("refreshInterval", _)? = report.problem else { return #expect(Bool(false)) }
    #expect(try a.read { try $0.record(preferences) } == nil)
  }

  /// What came with the record, from a version that knows more, say, is no edit: the file is followed all the same.
  @Test func aFieldThatItsKindRefusesIsHandedOver() throws {
    let preferences = RecordName(family: .keys, kind: "preferences", id: Array("user-preferences".utf8))
    try put("{\"size\": 1}", a)
    try track(a, TrackedFile(path: file(a).path, record: preferences))
    try b.capture(["theme": 3], from: "app", into: preferences)
    try sync(b)
    try sync(a)
    #expect(try text(a) == "{\"size\": 1, \"theme\": 3}")
    try put("{\"size\": 2, \"theme\": 3}", a)
    for report in try sync(a) { #expect(report.problem == nil) }
    try b.capture(["tabs": true], from: "other", into: preferences)
    for device in [b, a] { try sync(device) }
    #expect(try text(a) == "{\"size\": 2, \"theme\": 3, \"tabs\": true}")
    #expect(try b.read { try $0.record(preferences)?.object["size"] } == 2)
  }

  @Test func aKindThatDoesNotMergeKeyByKeyIsRefused() throws {
    let request = RecordName(family: .keys, kind: "request", id: [1])
    #expect(throws: RunicError.self) { try a.track(TrackedFile(path: "/x", record: request)) }
  }

  @Test func untrackingLeavesBothAsTheyAre() throws {
    try put("{\"size\": 1}", a)
    try track(a)
    #expect(try a.untrack(file(a).path))
    try put("{\"size\": 2}", a)
    try sync(a)
    #expect(try shown(a) == ["size": 1])
    #expect(try text(a) == "{\"size\": 2}")
    #expect(try a.readLedger().sources.isEmpty)
  }

  /// What a process that died left of a file that is followed no longer makes no edits of what changed meanwhile.
  @Test func aFileThatIsFollowedAgainBeginsAnew() throws {
    try put("{\"size\": 1, \"theme\": 3}", a)
    try track(a)
    try a.configure { $0.untrack(file(a).path) }
    for size in [1, 100] as [JSONValue] {
      try a.capture(["size": size, "theme": 3], from: "other", into: record)
    }
    try put("{\"size\": 1}", a)
    #expect(try track(a).waiting == ["size"])
    #expect(try shown(a) == ["size": 100, "theme": 3])
  }

  @Test func whereUntrackingFailsTheFileIsFollowedOn() throws {
    try put("{\"size\": 1}", a)
    try track(a)
    let other = try OpenFile(a.layout.ledgerLock, .openOrCreate(permissions: 0o600), in: disk)
    #expect(try disk.lock(other.descriptor))
    #expect(throws: LockTimeout.self) { try a.untrack(file(a).path) }
    #expect(a.configuration.tracked.map(\.path) == [file(a).path])
  }

  @Test func aWriteInTheLastMomentIsNotLost() throws {
    try put("{\"size\": 1}", a)
    let there = try TrackedText(of: file(a), in: disk)
    try put("{\"size\": 7}", a)
    #expect(throws: TrackProblem.self) {
      try TrackedText.replace(there, of: file(a), with: Array("{}".utf8), by: a.deviceID, in: disk)
    }
    #expect(try text(a) == "{\"size\": 7}")
    #expect(try disk.list(bench.root).filter { $0.name.hasPrefix(".runic") }.isEmpty)
  }

  @Test func aFileThatNobodyMayWriteIsTakenAndNotWritten() throws {
    try put("{\"size\": 1}", a)
    try track(a)
    try put("{\"size\": 2}", a)
    try disk.setPermissions(file(a).path, 0o444)
    #expect(try sync(a).first?.captured == ["size"])
    try a.write {
      _ = try $0.patch(kind: try $0.current.kinds.kind("editor"), id: record.id, Patch(set: ["size": 3]))
    }
    guard case .readOnly? = try sync(a).last?.problem else { return #expect(Bool(false)) }
    #expect(try text(a) == "{\"size\": 2}")
    #expect(try shown(a) == ["size": 3])
    try disk.setPermissions(file(a).path, 0o644)
    try sync(a)
    #expect(try text(a) == "{\"size\": 3}")
  }

  /// A file that was set by hand to what came from elsewhere has seen it.
  @Test func anEditAfterTheSameOneElsewhereIsNoConflict() throws {
    try put("{\"size\": 1}", a)
    try track(a)
    for device in [a, b] { try sync(device) }
    try b.write {
      _ = try $0.patch(kind: try $0.current.kinds.kind("editor"), id: record.id, Patch(set: ["size": 2]))
    }
    _ = try b.push("shared")
    _ = try a.pull("shared")
    try put("{\"size\": 2}", a)
    _ = try a.captureTracked()
    try put("{\"size\": 3}", a)
    for device in [a, b] { try sync(device) }
    #expect(try shown(b) == ["size": 3])
    #expect(try a.read { try $0.conflicts() }.isEmpty)
  }
}
