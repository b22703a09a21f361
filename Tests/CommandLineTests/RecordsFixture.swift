import CanonicalJSON
import ObjectStore
import RunicCore
import Synchronization
import TestSupport

@testable import runic

/// Devices of one repository in memory, a folder that they share, and a clock that moves when it is told to.
final class RecordsFixture {
  let fileSystem = MemoryFileSystem()
  private let random: RandomSource
  private let clock = TestClock(1_788_696_000_000)
  private(set) var devices: [String] = []

  static let shared = "/shared"

  /// The first device begins the repository; the others are clones.
  init(_ devices: [String] = ["laptop"], seed: UInt64 = 1) throws {
    random = .seeded(seed)
    for device in devices { try add(device) }
  }

  private func add(_ device: String) throws {
    defer { devices.append(device) }
    guard let first = devices.first else {
      let repository = try Repository.create(
        at: "/\(device)", name: device, passphrase: nil, environment: environment)
      let setting = RemoteSetting(name: "home", url: Self.shared)
      try repository.configure { try $0.add(setting) }
      _ = try repository.prepareRemote(setting)
      return
    }
    let origin = try open(first)
    _ = try Repository.clone(
      from: Self.shared, named: "home", to: "/\(device)", deviceName: device,
      unlock: .key(origin.repositoryKeys.newest.root, origin.id), environment: environment)
  }

  /// A device with all that another one holds, as the imaging of a machine makes it.
  func copy(_ device: String, to other: String) throws {
    for (file, bytes) in try fileSystem.tree("/\(device)") {
      let target = "/\(other)/\(file)"
      try fileSystem.makeDirectories(parent(of: target), permissions: 0o700)
      try fileSystem.setContents(target, bytes)
    }
    for folder in ["tmp", "index", "local", "hooks"] {
      try fileSystem.makeDirectories("/\(other)/\(folder)", permissions: 0o700)
    }
    devices.append(other)
  }

  /// A repository of its own that shares nothing with the others.
  func addStranger(_ device: String) throws {
    _ = try Repository.create(at: "/\(device)", name: device, passphrase: nil, environment: environment)
  }

  var environment: RunicCore.Environment {
    RunicCore.Environment(
      fileSystem: fileSystem, clock: Clock(now: clock.now, sleep: { _ in }), random: random)
  }

  func open(_ device: String) throws -> Repository {
    try Repository.open(at: "/\(device)", environment: environment)
  }

  // MARK: - Time

  var now: Int64 { clock.now() }

  func wait(_ milliseconds: Int64 = 1000) { clock.advance(milliseconds) }

  // MARK: - Doing

  /// Runs a command on a device; words are split at spaces.
  @discardableResult
  func run(_ line: String, on device: String = "laptop", input: String = "") -> CommandRun {
    run(line.split(separator: " ").map(String.init), on: device, input: input)
  }

  @discardableResult
  func run(
    _ arguments: [String], on device: String = "laptop", input: String = "",
    variables: [String: String] = [:]
  ) -> CommandRun {
    clock.advance(1)
    let (data, messages) = (MemorySink(), MemorySink())
    let context = Context(
      output: Output(data: data, messages: messages), environment: runic.Environment(variables),
      now: clock.now,
      input: TextSource(input), table: Commands.table, fileSystem: fileSystem, random: random)
    var program = Program(context: context, terminal: TerminalFacts())
    let status = program.run(["--repo", "/\(device)"] + arguments)
    return CommandRun(status: status, out: data.text, err: messages.text)
  }

  /// Pulls and pushes on every device, or on some, until all of them have seen all.
  func sync(_ some: [String]? = nil) throws {
    for _ in 0..<2 {
      for device in some ?? devices {
        clock.advance(1)
        let repository = try open(device)
        _ = try repository.pull("home")
        _ = try repository.push("home")
      }
    }
  }

  /// The files of a device's tree: what a command stored shows here.
  func storedFiles(_ device: String = "laptop") throws -> [String] {
    try files(below: "/\(device)/store")
  }

  private func files(below folder: String) throws -> [String] {
    try fileSystem.list(folder).flatMap { entry in
      let path = "\(folder)/\(entry.name)"
      return entry.type == .directory ? try files(below: path) : [path]
    }.sorted()
  }

  /// The id of the only record of a kind.
  func onlyID(_ kind: String, on device: String = "laptop") -> String {
    let rows = run("list \(kind) --all --json", on: device).rows
    return rows.count == 1 ? rows[0]["id"]?.textValue ?? "" : ""
  }
}

/// What a command printed and how it ended.
struct CommandRun {
  let status: ExitStatus
  let out: String
  let err: String

  /// The lines of JSON that it printed.
  var rows: [JSONValue] {
    out.split(separator: "\n").compactMap { try? JSONValue.parse(Array($0.utf8)) }
  }

  var object: JSONValue { rows.count == 1 ? rows[0] : .null }
}

final class TestClock: Sendable {
  private let time: Mutex<Int64>

  init(_ start: Int64) { time = Mutex(start) }

  var now: @Sendable () -> Int64 { { [self] in time.withLock { $0 } } }

  func advance(_ milliseconds: Int64) { time.withLock { $0 += milliseconds } }
}

/// Standard input in pieces of a few bytes, so that lines are cut anywhere.
final class TextSource: ByteSource {
  private static let piece = 7
  private var rest: ArraySlice<UInt8>

  init(_ text: String) { rest = Array(text.utf8)[...] }

  func next() -> [UInt8]? {
    guard !rest.isEmpty else { return nil }
    defer { rest = rest.dropFirst(Self.piece) }
    return Array(rest.prefix(Self.piece))
  }
}
