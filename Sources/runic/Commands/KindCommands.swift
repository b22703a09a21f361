import CanonicalJSON
import ObjectStore
import RunicCore

/// The commands `runic kind …`.
enum KindCommands {
  static let all = [kindAddCommand, kindListCommand]

  private static let defaultsHint = "it is one JSON object: the keys, and what each shows by itself"
  static let defaultsLimit = 1 << 20

  static func rule(_ invocation: Invocation) throws -> Kind.Rule {
    let key = invocation.flag("--key")
    if key == "" { throw CommandFailure.usage("--key is empty", hint: "name the field that holds the id") }
    if invocation.isSet("--history") { return .history(key: key) }
    if invocation.isSet("--per-key") { return .perKey(key: key) }
    if invocation.isSet("--last-writer-wins") { return .lastWriterWins(key: key) }
    throw CommandFailure.usage(
      "kind add: it takes one of --history, --per-key and --last-writer-wins", hint: invocation.helpHint)
  }

  /// The payload that a file of defaults holds.
  static func defaults(_ path: String, of kind: Kind, _ context: Context) throws -> JSONObject {
    guard let bytes = try FileSource.source(path, context).readAll(limit: defaultsLimit) else {
      throw CommandFailure.failed(
        "'\(path)' is too long for defaults: at most \(defaultsLimit) bytes are taken",
        hint: defaultsHint)
    }
    do {
      guard let object = try JSONValue.parse(bytes).objectValue else {
        throw CommandFailure.failed("'\(path)' holds no JSON object", code: "bad-json", hint: defaultsHint)
      }
      let patch = try kind.patch(object)
      return patch.applied(to: [:])
    } catch let error as CommandFailure {
      throw error
    } catch {
      throw CommandFailure.failed(
        "'\(path)': \(commandFailure(for: error).message)", code: "bad-json", hint: defaultsHint)
    }
  }
}

/// `runic kind add`.
let kindAddCommand = Command(
  description: CommandDescription(
    "kind", "add", summary: "declare a kind of records", group: .configure,
    arguments: [Argument("NAME", .required, kind: .newName)],
    flags: [
      Flag("--history", "records are added and never change"),
      Flag("--per-key", "records whose keys are set and merged one by one"),
      Flag("--last-writer-wins", "records that are set and merged as a whole"),
      Flag("--key", value: "FIELD", kind: .newName, "the field that holds a record's id"),
      Flag(
        "--defaults", value: "FILE", kind: .file,
        "what its records show where they say nothing: a JSON object"),
    ], exclusive: [["--history", "--per-key", "--last-writer-wins"]], exitStatus: Recording.status,
    details: [
      "A declaration is synced like a record; the defaults are this device's own and stored in no record.",
      "Declaring a kind again as it is changes nothing but its defaults.",
    ],
    examples: [
      Example("runic kind add host --per-key --key name", "records of hosts, told apart by their name")
    ])
) { invocation, context in
  let kind = Kind(try invocation.required(0), try KindCommands.rule(invocation))
  let repository = try Session.open(invocation, context)
  let defaults = try invocation.flag("--defaults").map { try KindCommands.defaults($0, of: kind, context) }
  let isNew = try repository.declare(kind)
  if let defaults { try repository.configure { $0.setDefaults(defaults, ofKind: kind.name) } }
  context.output.result(
    isNew ? "declared the kind '\(kind.name)'" : "the kind '\(kind.name)' is declared already",
    ["added": .bool(isNew), "kind": .text(kind.name)])
  return .done
}

/// `runic kind list`.
let kindListCommand = Command(
  description: CommandDescription(
    "kind", "list", summary: "list the kinds of records", group: .configure, exitStatus: [.noRepository],
    details: [
      "Shows how the records of each kind merge, which field holds their id, and whether the kind is built in."
    ],
    examples: [
      Example("runic kind list", "lists the built-in kinds and your own")
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let kinds = try repository.read(\.kinds)
  if context.output.style.wantsJSON {
    for kind in kinds.usable {
      let defaults = repository.configuration.defaults[kind.name].map(JSONValue.object) ?? .null
      context.output.json([
        "builtIn": .bool(kinds.isBuiltIn(kind.name)), "defaults": defaults, "family": .text(kind.family.name),
        "key": .text(kind.key), "name": .text(kind.name), "rule": .text(kind.rule.words),
      ])
    }
    return .done
  }
  var table = TextTable([
    .init("KIND", shrinks: true), .init("RULE", shrinks: true), .init("KEY"), .init("", isOptional: true),
  ])
  for kind in kinds.usable {
    table.add([
      kind.name, kind.rule.words, kind.key ?? "",
      kinds.isBuiltIn(kind.name) ? "built in" : "",
    ])
  }
  context.output.table(table)
  return .done
}
