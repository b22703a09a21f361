import ObjectStore

/// What `ccusage --json` prints (`docs/import.md`, "ccusage"): sums of days, weeks, months, sessions
/// or blocks, for machines where nothing finer is left.
struct CCUsageImporter: LogImporter {
  let name = "ccusage"
  let providers: [String] = []
  let revision: Int64 = 1

  func logs(in search: LogSearch) -> [LogFile] { [] }

  func recognizes(_ file: NamedLog) -> Bool {
    file.mentions("\"daily\"", "\"weekly\"", "\"monthly\"", "\"session\"", "\"sessions\"", "\"blocks\"")
      && file.mentions("Tokens\"", "\"tokenCounts\"", "\"totals\"")
  }

  func read(_ input: LogInput) throws {
    try input.withDocument { document in
      guard let table = try CCUsageTable.finest(in: &document) else {
        throw ImportSkipError(skip: .unknownFormat)
      }
      for row in table.rows {
        if row.isGap { continue }
        guard let time = row.time else {
          input.skip(.noTime)
          continue
        }
        guard !row.hasUnknownTokens else {
          input.skip(.unknownTokenFields)
          continue
        }
        for part in row.parts { try input.add(part.request(of: row, in: table.name, at: time)) }
      }
    }
  }
}

/// The rows of one table of the output.
private struct CCUsageTable {
  let name: String
  let rows: [CCUsageRow]

  /// The same usage may stand in several tables: the first of these that is there is taken.
  private static let names = ["blocks", "sessions", "session", "daily", "weekly", "monthly"]

  static func finest(in document: inout LogCursor) throws -> CCUsageTable? {
    var found: [String: [CCUsageRow]] = [:]
    guard try document.beginObject() else { return nil }
    while let key = try document.nextKey() {
      let name = key.string
      guard names.contains(name) else {
        try document.skip()
        continue
      }
      var rows: [CCUsageRow] = []
      guard try document.beginArray() else { continue }
      while try document.nextElement() { rows.append(try CCUsageRow(&document)) }
      found[name] = rows
    }
    try document.finish()
    return names.first { found[$0] != nil }.map { CCUsageTable(name: $0, rows: found[$0] ?? []) }
  }
}
