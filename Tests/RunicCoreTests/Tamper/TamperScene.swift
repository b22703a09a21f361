import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// A small shared folder of two devices, a third that has seen all of it, and a fourth that has seen nothing.
struct TamperScene {
  let start: MemoryFileSystem.Snapshot
  /// The shared folder's files, by path.
  let files: [String: [UInt8]]
  /// What the records are in truth: every one has one writer, so each is shown right or not at all.
  let truth: Repository.State
  let a: DeviceID
  let b: DeviceID

  init() throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.use("claude", 1)
    try a.prefer(["theme": "dark"])
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    try b.use("codex", 2)
    _ = try b.push("shared")
    try a.use("claude", 3)
    _ = try a.pull("shared")
    _ = try a.push("shared")
    _ = try b.pull("shared")
    let seer = try bench.join("seer", of: a)
    _ = try seer.pull("shared")
    _ = try bench.join("novice", of: a)
    start = bench.disk.snapshot()
    files = try bench.shared()
    truth = try a.state()
    (self.a, self.b) = (a.deviceID, b.deviceID)
  }

  /// The scene on a disk of its own.
  func bench(seed: UInt64 = 77) throws -> Workbench {
    try Workbench(MemoryFileSystem(start), seed: seed)
  }

  /// The paths of the heads, and of the objects that the newest heads list.
  func live(_ bench: Workbench) throws -> Set<String> {
    let a = try bench.open("a")
    var live = Set(files.keys.filter { $0.hasPrefix("heads/") })
    for device in [self.a, b] {
      guard let newest = try a.store.headNames().last(where: { $0.device == device }) else { continue }
      let head = try a.store.head(newest, keys: a.keys)
      live.formUnion(head.objects.map { TreeName.object(device, $0.digest).path })
    }
    return live
  }

  /// What is wrong with the way in which a tampered folder was met; nothing, where all is well.
  ///
  /// - Parameter path: the file that must be named; nil where a stranger was put in, which may be.
  func problems(_ bench: Workbench, naming path: String?) throws -> [String] {
    var problems: [String] = []
    let novice = try bench.open("novice")
    var named = names(&problems) { try novice.pull("shared").warnings.compactMap(\.file) }
    for (key, value) in try novice.state() where truth[key] != value {
      problems.append("a wrong record is shown: \(String(decoding: key, as: UTF8.self))")
    }
    let seer = try bench.open("seer")
    named.formUnion(names(&problems) { try seer.pull("shared").warnings.compactMap(\.file) })
    if try seer.state() != truth { problems.append("what was there before has changed") }
    guard let path, !named.contains(path) else { return problems }
    named = names(&problems) {
      let report = try novice.check(remote: "shared")
      return report.damage.map(\.path) + report.pending.map(\.path) + report.strangers
    }
    if !named.contains(path) { problems.append("\(path) is not named") }
    return problems
  }

  /// The files that a command names, by a warning or in its error.
  private func names(_ problems: inout [String], _ command: () throws -> [String]) -> Set<String> {
    do { return Set(try command()) } catch is DamagedFile { return ["runic.json"] } catch is RunicError {
      return ["runic.json"]
    } catch let error as RemoteError where error.reason == .notARepository {
      return ["runic.json"]
    } catch {
      problems.append("\(error)")
      return []
    }
  }
}

extension SyncWarning {
  /// The file that is warned of.
  fileprivate var file: String? {
    switch self {
    case .damaged(let file), .unreadable(_, _, let file, _): file
    default: nil
    }
  }
}
