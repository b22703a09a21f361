import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport

@testable import runic

/// Some machines that share folders: all of them in one file system in memory.
struct World {
  let disk: MemoryFileSystem
  let random: RandomSource

  init(seed: UInt64 = 1) throws {
    disk = MemoryFileSystem()
    random = .seeded(seed)
    for folder in ["/a", "/b", "/c", "/mnt"] { try disk.makeFolders(folder) }
  }

  func machine(_ name: String) -> Machine { Machine(name: name, files: disk, random: random) }

  /// Machine `a` with a repository, a slot for the passphrase `secret`, and what it has pushed to `/mnt/share`.
  func shared() throws -> Machine {
    disk.restore(try Self.sharedDisk.get())
    return machine("a")
  }

  /// The same, and machine `b`, a clone through the folder.
  func cloned() throws -> (Machine, Machine) {
    disk.restore(try Self.clonedDisk.get())
    return (machine("a"), machine("b"))
  }

  // Passphrases cost a third of a second each: most tests go on from here. Each with its own seed, so that no
  // key is drawn twice.
  private static let sharedDisk = Result {
    let world = try World(seed: 2)
    let a = world.machine("a")
    try a.expect(.done, "init", "--name", "A", "--passphrase")
    try a.expect(.done, "remote", "add", "home", "/mnt/share")
    try a.prefer("theme", "dark")
    try a.expect(.done, "push")
    return world.disk.snapshot()
  }

  private static let clonedDisk = Result {
    let world = try World(seed: 3)
    world.disk.restore(try sharedDisk.get())
    try world.machine("b").expect(.done, "clone", "/mnt/share", "--name", "B")
    return world.disk.snapshot()
  }
}

/// One machine: a repository and a user who types.
struct Machine {
  let name: String
  let files: any FileSystem
  let random: RandomSource
  /// Milliseconds since 1970.
  var now: Int64 = 1_788_696_000_000
  var variables = ["RUNIC_PASSPHRASE": "secret"]

  /// Where its repository lies, if not in its own folder.
  var place: String?

  var root: String { place ?? "/\(name)/runic" }

  func with(_ variable: String, _ value: String?) -> Machine {
    var other = self
    other.variables[variable] = value
    return other
  }

  /// What one run printed and how it ended.
  struct Outcome {
    let status: ExitStatus
    let out: String
    let err: String

    /// The object that was printed, or the first of several.
    var json: JSONValue {
      (try? JSONValue.parse(Array(out.utf8).split(separator: UInt8(ascii: "\n")).first ?? [])) ?? .null
    }

    var lines: [JSONValue] {
      Array(out.utf8).split(separator: UInt8(ascii: "\n")).compactMap { try? JSONValue.parse($0) }
    }
  }

  func run(_ arguments: [String], terminal: TerminalFacts = TerminalFacts()) -> Outcome {
    let (data, messages) = (MemorySink(), MemorySink())
    let time = now
    let context = Context(
      output: Output(data: data, messages: messages), environment: Environment(variables), now: { time },
      input: MemorySource(), table: Commands.table, fileSystem: files, random: random)
    var program = Program(context: context, terminal: terminal)
    let status = program.run(["--repo", root, "--lock-wait", "0"] + arguments)
    return Outcome(status: status, out: data.text, err: messages.text)
  }

  func run(_ arguments: String...) -> Outcome { run(arguments) }

  struct Unexpected: Error { let status: ExitStatus, message: String }

  /// Runs what must end so for the test to make sense.
  @discardableResult
  func expect(_ status: ExitStatus, _ arguments: String...) throws -> Outcome {
    let outcome = run(arguments)
    guard outcome.status == status else {
      throw Unexpected(status: outcome.status, message: "\(arguments): \(outcome.err)\(outcome.out)")
    }
    return outcome
  }

  var environment: RunicCore.Environment {
    let time = now
    return RunicCore.Environment(
      fileSystem: files, clock: Clock(now: { time }, sleep: { _ in }), random: random, lockWait: 0)
  }

  func open() throws -> Repository { try Repository.open(at: root, environment: environment) }

  /// Sets a key of the preferences, or of another record of that kind.
  func prefer(_ key: JSONString, _ value: JSONValue, id: String = "user-preferences") throws {
    _ = try open().write { transaction in
      try transaction.patch(kind: .preferences, id: Array(id.utf8), Patch(set: [key: value]))
    }
  }

  /// What a record of the preferences shows.
  func preferences(_ id: String = "user-preferences") throws -> JSONObject? {
    try open().read { snapshot in
      let name = RecordName(family: .keys, kind: BuiltInName.preferences, id: Array(id.utf8))
      return try snapshot.record(name)?.object
    }
  }
}
