import ObjectStore
import TestSupport

@testable import RunicCore

extension FuzzTarget {
  static let importerTargets = [
    FuzzTarget("import-claude") { try checkImport(ClaudeImporter(), $0, LogFile("/logs/a.jsonl")) },
    FuzzTarget("import-codex") { bytes in
      let name = "/logs/rollout-2026-09-05T12-00-00-01234567-89ab-7def-8123-456789abcdef.jsonl"
      try checkImport(CodexImporter(), bytes, LogFile(name))
    },
    FuzzTarget("import-gemini") { bytes in
      try checkImport(GeminiImporter(), bytes, LogFile("/logs/session-1.jsonl"))
      try checkImport(GeminiImporter(), bytes, LogFile("/logs/session-1.json"))
    },
    FuzzTarget("import-opencode") { bytes in
      try checkImport(OpenCodeImporter(), bytes, LogFile("/logs/opencode.db", .sqlite))
      try checkImport(OpenCodeImporter(), bytes, LogFile("/logs/message.json"))
    },
    FuzzTarget("import-ccusage") {
      try checkImport(CCUsageImporter(), $0, LogFile("/logs/c.json", .given($0)))
    },
  ]

  /// Reads a log and looks at what would be recorded.
  private static func checkImport(_ importer: any LogImporter, _ bytes: [UInt8], _ log: LogFile) throws {
    let files = MemoryFileSystem()
    try files.makeFolders("/logs")
    try files.setContents(log.path, bytes)
    let sink = ImportSink()
    sink.whenFull = { records in
      for record in records {
        try require(isCanonical(Array(record.payload)), "an imported payload is not canonical")
        try require((1...256).contains(record.id.count), "an imported record has no usable id")
        _ = try demand("an imported payload is refused by its own kind") {
          var output: [UInt8] = []
          try Array(record.payload).withUnsafeBytes { try record.kind.prepare($0, into: &output) }
          return true
        }
      }
    }
    let search = LogSearch(fileSystem: files) { $0 == "HOME" ? "/home/u" : nil }
    let input = LogInput(
      log, from: 0, siblings: LogSiblings([log]), search: search, programs: Printing(bytes: bytes),
      sink: sink,
      buffer: LineBuffer(longestLine: 1 << 16))
    do { try importer.read(input) } catch let error as BrokenLaw { throw error } catch {}
    try sink.flush()
  }
}

/// A program that prints the same whatever it is asked.
private struct Printing: ProgramRunner {
  let bytes: [UInt8]

  func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult {
    onOutput(bytes[...])
    return ProgramResult(status: 0, output: call.keepsOutput ? bytes : [])
  }
}
