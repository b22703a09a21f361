import CanonicalJSON
import RunicCore

/// `runic record KIND`: a record of any kind.
let recordCommand = Command(
  description: CommandDescription(
    "record", summary: "record a payload of any kind", group: .record,
    arguments: [
      Argument("KIND", .required, kind: .kind), Argument("ID", .optional, kind: .recordID),
      Argument("KEY=VALUE", .repeating, kind: .assignment),
    ], flags: [Recording.idFlag] + Recording.keyedFlags, exitStatus: Recording.status,
    details: [
      "Of a keyed kind, the keys that are named are set and those after --unset removed; all others stay. Of a "
        + "history, KEY=VALUE make a whole payload.",
      "A value that reads as JSON is that JSON (600, true, [\"a\",\"b\"], \"600\"), anything else a string; the "
        + "type of a known field decides first.",
      "With - in place of KEY=VALUE, standard input holds JSON Lines: a payload a line, for keyed kinds with the "
        + "id in the kind's key field or as {\"id\",\"payload\"}. A bad line refuses all of them, unless "
        + "--skip-bad is given.",
    ],
    examples: [
      Example("runic record note n1 title=hello", "sets a key of the note n1"),
      Example("runic record note - < notes.jsonl", "records a file of notes"),
    ])
) { invocation, context in
  let recording = try Recording(invocation, context, kind: try invocation.required(0))
  var rest = invocation.positionals(from: 1)
  var id = invocation.flag(Recording.idFlag.long)
  if let first = rest.first, first != "-", FlagSyntax.split(first).value == nil {
    guard id == nil else {
      throw CommandFailure.usage("record: the id is given twice", hint: invocation.helpHint)
    }
    id = first
    rest.removeFirst()
  }
  if rest == ["-"] { return try recording.recordLines(id: id) }
  return try recording.recordKeys(rest, id: id)
}
