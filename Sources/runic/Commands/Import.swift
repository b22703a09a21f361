import CanonicalJSON
import RunicCore

/// `runic import`.
let importCommand = Command(
  description: CommandDescription(
    "import", summary: "take in what 'runic export' printed", group: .maintain,
    arguments: [Argument("FILE", .required, kind: .file)], exitStatus: Recording.status,
    details: [
      "Records keep their devices and times. Nothing that is here is replaced: where the two differ, the newer "
        + "shows and the other is a conflict. What was imported before is not imported again.",
      "- reads standard input. A bad line refuses all of them.",
    ],
    examples: [Example("runic import records.jsonl", "takes in a file")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let source = try FileSource.source(try invocation.required(0), context)
  context.output.progress("importing")
  let outcome: ImportOutcome
  do {
    outcome = try repository.importRecords(linesOf: source.batch)
  } catch let error as RunicError {
    guard case .badLine(_, let cause) = error else { throw error }
    var cure = "mend the line, or take it out"
    if case RunicError.kindDeclaredTwice = cause { cure = "give the kind another name, in all its lines" }
    throw commandFailure(for: error).hinting("nothing was imported: \(cure)")
  }
  context.output.clearProgress()
  context.output.result(
    "imported \(outcome.stored) of \(counted(outcome.records, "record"))",
    ["recordCount": .count(outcome.records), "storedCount": .count(outcome.stored)])
  return .done
}
