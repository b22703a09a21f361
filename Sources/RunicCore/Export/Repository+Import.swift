import CanonicalJSON
import ObjectStore

extension Repository {
  /// A record with many heads makes a long line.
  private static let importLineLimit = 64 << 20

  /// Takes in the lines of an export, all of it in one step or, where a line is bad, none of it.
  ///
  /// - Parameter input: where the lines come from.
  /// - Throws: `badLine` with the line's number and what is wrong with it.
  public func importRecords(linesOf input: BatchInput) throws -> ImportOutcome {
    let lines = try InputLines(input, repository: self, lineLimit: Self.importLineLimit)
    return try write(lines) { transaction, lines in
      let importer = Importer(into: transaction)
      var isFirst = true
      try lines.forEachLine { number, line in
        if let line, line.isBlankLine { return }
        do {
          let object = try Self.object(line)
          if isFirst {
            try ExportCoding.check(header: object)
          } else {
            try importer.add(try ExportCoding.record(object))
          }
          isFirst = false
        } catch let error as RunicError {
          throw RunicError.badLine(number: number, cause: error)
        }
      }
      if isFirst { throw RunicError.badLine(number: 1, cause: RunicError.badPayload(Self.noLine)) }
      return try importer.finish()
    }
  }

  private static let noLine = JSONError(position: 0, reason: .unexpectedEnd)

  private static func object(_ line: UnsafeRawBufferPointer?) throws(RunicError) -> JSONObject {
    guard let line else { throw .tooLarge(what: "line", limit: importLineLimit) }
    do throws(JSONError) {
      // The record's own nesting stands one or two deeper than in a payload.
      guard let object = try JSONValue.parse(line, maximumNesting: JSONLimits.nesting + 4).objectValue else {
        throw JSONError(position: 0, reason: .typeMismatch)
      }
      return object
    } catch {
      throw .badPayload(error)
    }
  }
}
