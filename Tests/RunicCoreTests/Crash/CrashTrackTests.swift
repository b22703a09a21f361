import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// The n-th call fails while a settings file is taken, or written: no edit is lost, none is invented, and what is
/// edited next is no conflict with what was taken before.
@Suite struct CrashTrackTests {
  private static let record = RecordName(family: .keys, kind: "editor", id: Array("main".utf8))

  private static func put(_ text: String, _ bench: Workbench) throws {
    try bench.disk.setContents(bench.path("settings.json"), Array(text.utf8))
  }

  private static func set(_ size: Int64, on device: Repository) throws {
    try device.write {
      _ = try $0.patch(
        kind: try $0.current.kinds.kind("editor"), id: record.id, Patch(set: ["size": .integer(size)]))
    }
  }

  /// `a` follows a file, and `b` knows what it held.
  private static func prepare(_ bench: Workbench) throws {
    let a = try bench.begin("a")
    _ = try a.declare(Kind("editor", .perKey(key: nil)))
    try put("{\"size\": 1}", bench)
    try a.track(TrackedFile(path: bench.path("settings.json"), record: record))
    try sync(a)
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
  }

  private static func sync(_ device: Repository) throws {
    _ = try device.captureTracked()
    _ = try device.pull("shared")
    _ = try device.push("shared")
    _ = try device.writeTracked()
  }

  /// After the next sync, one more edit of the file is all that there is.
  private static func problems(_ bench: Workbench, holding size: Int64) throws -> [String] {
    let (a, b) = (try bench.open("a"), try bench.open("b"))
    try sync(a)
    var problems: [String] = []
    let path = bench.path("settings.json")
    let text = String(decoding: try bench.disk.contents(path), as: UTF8.self)
    if text != "{\"size\": \(size)}" { problems.append("the file holds \(text)") }
    let beside = try bench.disk.list(bench.root).map(\.name).filter { $0.hasPrefix(".runic") }
    if !beside.isEmpty { problems.append("left beside it: \(beside)") }
    let early = try a.read { try $0.conflicts() }
    if !early.isEmpty { problems.append("an edit is a conflict with the one before it: \(early)") }
    try put("{\"size\": 9}", bench)
    for device in [a, b] { try sync(device) }
    for device in [a, b] {
      let shown = try device.read { try $0.record(record)?.object }
      if shown != ["size": 9] { problems.append("\(device.deviceName) shows \(String(describing: shown))") }
      let conflicts = try device.read { try $0.conflicts() }
      if !conflicts.isEmpty { problems.append("\(device.deviceName) lists a conflict: \(conflicts)") }
    }
    return problems
  }

  /// A capture of this text goes wrong at every call in turn; then the problems are asked for.
  private func strikeCapture(
    of text: String, _ blow: Blow, problems: @escaping (Workbench) throws -> [String]
  ) throws {
    let drill = try CrashDrill { bench in
      try Self.prepare(bench)
      try Self.put(text, bench)
    } act: { bench in
      _ = try bench.open("a").captureTracked()
    } problems: { bench, _ in
      try problems(bench)
    }
    #expect(try drill.run(blow) > 10)
  }

  @Test(arguments: Blow.allCases)
  func aStruckCaptureIsNoConflictWithTheNextEdit(_ blow: Blow) throws {
    try strikeCapture(of: "{\"size\": 2}", blow) { try Self.problems($0, holding: 2) }
  }

  /// The file is edited again before anything else happens.
  @Test(arguments: Blow.allCases)
  func anEditAfterAStruckCaptureReplacesWhatWasStored(_ blow: Blow) throws {
    try strikeCapture(of: "{\"size\": 2}", blow) { bench in
      try Self.put("{\"size\": 3}", bench)
      return try Self.problems(bench, holding: 3)
    }
  }

  /// The edit was stored, and somebody who saw that types another value before the file is looked at again.
  @Test(arguments: Blow.allCases)
  func aStruckCaptureIsNotTakenAgainOverWhatIsTypedNext(_ blow: Blow) throws {
    try strikeCapture(of: "{\"size\": 2}", blow) { bench in
      let a = try bench.open("a")
      let isStored = try a.read { try $0.record(Self.record)?.object } == ["size": 2]
      if isStored { try Self.set(5, on: a) }
      return try Self.problems(bench, holding: isStored ? 5 : 2)
    }
  }

  /// As `watch` does it while its remote is away: it only takes.
  @Test(arguments: Blow.allCases)
  func capturesAfterAStruckOneReplaceWhatWasStored(_ blow: Blow) throws {
    try strikeCapture(of: "{\"size\": 2, \"new\": 1}", blow) { bench in
      let a = try bench.open("a")
      _ = try a.captureTracked()
      try Self.put("{\"size\": 3}", bench)
      _ = try a.captureTracked()
      return try Self.problems(bench, holding: 3)
    }
  }

  @Test(arguments: Blow.allCases)
  func aStruckWriteIsNoConflictWithTheNextEdit(_ blow: Blow) throws {
    let drill = try CrashDrill { bench in
      try Self.prepare(bench)
      let b = try bench.open("b")
      try Self.set(2, on: b)
      _ = try b.push("shared")
      _ = try bench.open("a").pull("shared")
    } act: { bench in
      _ = try bench.open("a").writeTracked()
    } problems: { bench, _ in
      try Self.problems(bench, holding: 2)
    }
    #expect(try drill.run(blow) > 10)
  }

  /// Between the crash and the next sync somebody types another value.
  @Test func aFileThatWasWrittenBeforeACrashIsNoEditOverWhatIsTypedNext() throws {
    let drill = try CrashDrill { bench in
      try Self.prepare(bench)
      let b = try bench.open("b")
      try Self.set(2, on: b)
      _ = try b.push("shared")
      _ = try bench.open("a").pull("shared")
    } act: { bench in
      _ = try bench.open("a").writeTracked()
    } problems: { bench, _ in
      try Self.set(5, on: bench.open("a"))
      return try Self.problems(bench, holding: 5)
    }
    #expect(try drill.run(.death) > 10)
  }
}
