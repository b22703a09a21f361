import CanonicalJSON
import ObjectStore
import RunicCore
import Testing
import TestSupport

/// A machine with a home full of logs, and a repository on it.
final class ImportBench {
  let fileSystem: MemoryFileSystem
  let bench: Workbench
  let repository: Repository
  var variables = ["HOME": "/home/u"]
  var zone = ZoneRules.utc
  var programs: any ProgramRunner = FakePrograms()

  init(_ files: [String: String] = [:], fileSystem: MemoryFileSystem = MemoryFileSystem()) throws {
    self.fileSystem = fileSystem
    bench = try Workbench(fileSystem)
    repository = try bench.begin("a")
    for (path, text) in files { try write(path, text) }
  }

  /// Puts a file below the home, or at a path from the root.
  func write(_ path: String, _ text: String) throws {
    let path = absolute(path)
    try fileSystem.makeFolders(parent(of: path))
    try fileSystem.setContents(path, Array(text.utf8))
  }

  func absolute(_ path: String) -> String { path.hasPrefix("/") ? path : "/home/u/\(path)" }

  @discardableResult
  func collect(
    into target: Repository? = nil, through seam: (any FileSystem)? = nil,
    _ change: (inout CollectOptions) -> Void = { _ in }
  ) throws -> CollectOutcome {
    var options = CollectOptions()
    change(&options)
    let variables = variables
    let search = LogSearch(fileSystem: seam ?? fileSystem, zone: zone) { variables[$0] }
    return try (target ?? repository).collectUsage(options, search: search, programs: programs)
  }

  /// The requests that are recorded, as `id model input/output/cacheRead/cacheWrite`.
  func requests(in target: Repository? = nil) throws -> [String] {
    try payloads("request", in: target).map { payload in
      let id = payload["requestID"]?.textValue ?? "-"
      let counts = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"]
        .map { payload[JSONString($0)]?.intValue ?? -1 }.map(String.init).joined(separator: "/")
      return "\(id) \(payload["model"]?.textValue ?? "-") \(counts)"
    }.sorted()
  }

  func payloads(_ kind: String, in target: Repository? = nil) throws -> [JSONObject] {
    var found: [JSONObject] = []
    try (target ?? repository).read { snapshot in
      try snapshot.forEachRecord(of: kind, .history) { record in
        found.append(record.object)
        return true
      }
    }
    return found
  }

  /// The one value that a field has in all requests, as JSON; `-` where it is missing.
  func value(_ field: String) throws -> String {
    let values = Set(
      try payloads("request").map { payload in
        payload[JSONString(field)].map { String(decoding: $0.canonicalBytes, as: UTF8.self) } ?? "-"
      })
    return values.sorted().joined(separator: " ")
  }

  /// All tokens of all requests.
  func total(in target: Repository? = nil) throws -> Int64 {
    try payloads("request", in: target).reduce(0) { sum, payload in
      ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens"].reduce(sum) {
        $0 + (payload[JSONString($1)]?.intValue ?? 0)
      }
    }
  }

  /// The files of the repository's store, by name.
  func store(of target: Repository? = nil) throws -> [String: [UInt8]] {
    try fileSystem.tree((target ?? repository).layout.store)
  }
}

/// Programs that print what a test gave them, by the last argument that is a path.
struct FakePrograms: ProgramRunner {
  var installed: Set<String> = ["zstd", "sqlite3"]
  var printed: [String: String] = [:]
  var status: Int32 = 0
  /// Whether they run until their time is up.
  var hangs = false

  func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult {
    guard installed.contains(call.program) else { throw .missing(program: call.program) }
    if hangs { throw call.timeLimit == nil ? .interrupted : .timedOut }
    let path = call.arguments.last { printed[$0] != nil } ?? ""
    // In pieces that no line fits into.
    var rest = Array((printed[path] ?? "").utf8)[...]
    while !rest.isEmpty {
      onOutput(rest.prefix(7))
      rest = rest.dropFirst(7)
    }
    return ProgramResult(status: status)
  }
}

/// What a case of a table has on disk and what must be recorded of it.
struct ImportCase: CustomTestStringConvertible, Sendable {
  let name: String
  let files: [String: String]
  let requests: [String]

  init(_ name: String, _ files: [String: String], _ requests: [String]) {
    self.name = name
    self.files = files
    self.requests = requests.sorted()
  }

  var testDescription: String { name }

  func run() throws -> ImportBench {
    let bench = try ImportBench(files)
    try bench.collect()
    #expect(try bench.requests() == requests)
    return bench
  }
}

/// Lines, each with its end.
func lines(_ lines: String...) -> String { lines.map { $0 + "\n" }.joined() }
