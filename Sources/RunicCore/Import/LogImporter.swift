import ObjectStore

/// How one AI tool's logs are found and read: all that has to be written to add a tool (see
/// `CONTRIBUTING.md`).
public protocol LogImporter: Sendable {
  /// What `--from` takes.
  var name: String { get }
  /// The program's own name and the names of the provider it uses, by any of which it can be enabled. Empty
  /// where each request names its own provider.
  var providers: [String] { get }
  /// The second place of a request's rank. Raise it when numbers were wrong: logs are read again, and the
  /// right ones replace the wrong ones everywhere.
  var revision: Int64 { get }
  /// Whether each line means the same without those before it, so that of a log that grew only the new lines
  /// need to be read.
  var linesStandAlone: Bool { get }

  /// The logs that are there now.
  func logs(in search: LogSearch) -> [LogFile]
  /// Whether a file that the user named is such a log.
  func recognizes(_ file: NamedLog) -> Bool
  /// Reads one log and hands over what it holds.
  ///
  /// - Throws: only what `input` throws.
  func read(_ input: LogInput) throws
}

extension LogImporter {
  public var linesStandAlone: Bool { false }
}

/// A log of a tool.
public struct LogFile: Hashable, Sendable {
  /// How its bytes are to be had.
  public enum Form: Hashable, Sendable {
    case plain
    /// Through the `zstd` program.
    case zstandard
    /// Through the `sqlite3` program, which is safe while the tool writes.
    case sqlite
    /// They were handed over.
    case given([UInt8])
  }

  public let path: String
  public let form: Form

  public init(_ path: String, _ form: Form = .plain) {
    self.path = path
    self.form = form
  }

  /// The file's name without its folder.
  public var name: Substring {
    path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...]
  }

  /// Files whose change is a change of the log too.
  var companions: [String] { form == .sqlite ? ["\(path)-wal"] : [] }
}

/// A file that the user named with `--from`, as far as telling its format needs.
public struct NamedLog: Sendable {
  public let path: String
  /// What it begins with, at most 64 KiB.
  public let head: [UInt8]

  /// Whether one of the words stands in what the file begins with.
  func mentions(_ words: StaticString...) -> Bool {
    head.withUnsafeBytes { bytes in words.contains { bytes.contains($0) } }
  }
}

/// Every importer, in the order in which they run.
public enum Importers {
  public static let all: [any LogImporter] = [
    ClaudeImporter(), CodexImporter(), GeminiImporter(), OpenCodeImporter(),
  ]
  /// Reads what the user hands over, never what lies about.
  public static let ccusage: any LogImporter = CCUsageImporter()
}
