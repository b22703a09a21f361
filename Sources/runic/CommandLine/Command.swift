import ObjectStore
import RunicCore

/// A command: what it is, and what it does.
struct Command: Sendable {
  let description: CommandDescription
  let run: @Sendable (Invocation, inout Context) throws -> ExitStatus
}

/// What a command may touch outside the repository; tests pass their own.
struct Context {
  /// Everything that is printed.
  let output: Output
  /// Variables of the environment.
  let environment: Environment
  /// Milliseconds since 1970, UTC.
  let now: @Sendable () -> Int64
  /// Standard input.
  let input: any ByteSource
  let table: CommandTable
  /// Where the repository and its remotes lie.
  let fileSystem: any FileSystem
  /// Where keys, ids and nonces come from.
  let random: RandomSource

  /// Every command there is, for those that talk about commands.
  var commands: [Command] { table.all }

  init(
    output: Output, environment: Environment, now: @escaping @Sendable () -> Int64, input: any ByteSource,
    table: CommandTable, fileSystem: any FileSystem = PosixFileSystem(), random: RandomSource = .system
  ) {
    self.output = output
    self.environment = environment
    self.now = now
    self.input = input
    self.table = table
    self.fileSystem = fileSystem
    self.random = random
  }
}

/// The variables of the environment, looked up one by one: most runs need two or three of them.
struct Environment: Sendable {
  private let lookUp: @Sendable (String) -> [UInt8]?

  init(_ lookUp: @escaping @Sendable (String) -> [UInt8]?) { self.lookUp = lookUp }

  init(_ variables: [String: String]) { lookUp = { variables[$0].map { Array($0.utf8) } } }

  /// The bytes of the variable's value, which need be no text; nil where it is not set.
  func bytes(_ name: String) -> [UInt8]? { lookUp(name) }

  /// The variable's value; nil where it is not set.
  subscript(name: String) -> String? { lookUp(name).map { String(decoding: $0, as: UTF8.self) } }

  /// The variable's value; nil where it is not set or empty.
  func nonEmpty(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }
}

/// Bytes that come in pieces.
protocol ByteSource {
  /// The next piece, never empty; nil at the end.
  func next() throws -> [UInt8]?
  /// The same for whoever can make use of a file.
  var batch: BatchInput { get }
}

extension ByteSource {
  var batch: BatchInput { .stream(next) }

  /// Everything up to the end; nil where it is longer than `limit` bytes.
  func readAll(limit: Int) throws -> [UInt8]? {
    var all: [UInt8] = []
    while let piece = try next() {
      guard piece.count <= limit - all.count else { return nil }
      all += piece
    }
    return all
  }
}
