import CanonicalJSON
import ObjectStore
import RunicCore

/// What all forms of `runic record` have in common: flags, then a payload or lines, then what became of it.
struct Recording {
  static let localFlag = Flag("--local", "never sync it, until 'runic promote'")
  static let ifFlag = Flag(
    "--if", value: "FINGERPRINT", kind: .fingerprint, "only if the record still is what 'get --json' showed")
  static let skipFlag = Flag(
    "--skip-bad", "with -: record the lines that are right, and say how many are not")
  static let replaceFlag = Flag("--replace", "what is given is the whole payload: unset all other keys")
  static let unsetFlag = Flag("--unset", value: "KEY", repeatable: true, kind: .recordKey, "remove a key")
  static let idFlag = Flag("--id", value: "ID", kind: .recordID, "the record's id")

  static let historyFlags = [localFlag, skipFlag]
  static let keyedFlags = [unsetFlag, replaceFlag, localFlag, ifFlag, skipFlag]

  static let status: [ExitStatus] = [.busy, .noRepository]

  let invocation: Invocation
  let context: Context
  let repository: Repository
  let kind: Kind

  init(_ invocation: Invocation, _ context: Context, kind typed: String) throws {
    self.invocation = invocation
    self.context = context
    repository = try Session.open(invocation, context)
    if let builtIn = KindRegistry.builtIn(typed), !builtIn.isReserved {
      kind = builtIn
    } else {
      kind = try repository.read { try $0.writableKind(typed) }
    }
  }

  private func isSet(_ flag: Flag) -> Bool {
    invocation.command.flag(flag.long) != nil && invocation.isSet(flag.long)
  }

  private func condition() throws -> Digest? {
    invocation.command.flag(Self.ifFlag.long) == nil ? nil : try invocation.condition()
  }

  // MARK: - A payload

  /// Records what was typed.
  ///
  /// - Parameters:
  ///   - typed: fields and their values, as typed.
  ///   - id: the record's id, where it was typed beside them.
  func record(_ typed: [(field: JSONString, text: String)], id: String? = nil) throws -> ExitStatus {
    guard !isSet(Self.skipFlag) else {
      throw CommandFailure.usage("--skip-bad goes with lines on standard input", hint: invocation.helpHint)
    }
    var payload = JSONObject()
    for (field, text) in typed {
      if text.isEmpty, kind.field(field)?.isRequired == true {
        throw CommandFailure.usage("\(kind.name): '\(field)' is empty", hint: invocation.helpHint)
      }
      payload[field] = try kind.value(forField: field, typed: text)
    }
    let status = try record(payload, id: id.map { Array($0.utf8) })
    for (field, _) in typed { hint(at: field.string) }
    return status
  }

  /// Any key is kept, but one that is nearly a known one is likely a slip.
  private func hint(at typed: String) {
    let known = kind.fields.map(\.name.string)
    guard !known.contains(typed), let nearest = Suggestion.nearest(to: typed, among: known) else { return }
    context.output.note("runic: hint: '\(typed)' is a new key; did you mean '\(nearest)'?")
  }

  func record(_ payload: JSONObject, id: [UInt8]? = nil) throws -> ExitStatus {
    if let id { try requireOneID(String(decoding: id, as: UTF8.self), payload) }
    if kind.family == .history {
      let result = try recordAdd(payload, id: id)
      report(id: result.id, isStored: result.isStored, isOutdone: result.isOutdone)
    } else {
      let result = try recordPatch(payload, id: id)
      report(id: result.id, isStored: result.isStored)
    }
    return .done
  }

  /// The id and the field that holds it must not say two things: one of them would be stored, and not the other.
  private func requireOneID(_ id: String, _ payload: JSONObject) throws {
    guard let key = kind.key.map({ JSONString($0) }), let named = payload[key] else { return }
    if named != (try kind.value(forField: key, typed: id)), named != .string(JSONString(id)) {
      throw CommandFailure.usage(
        "the id is '\(id)', and '\(key)' says another", hint: "leave one of them out: '\(key)' holds the id")
    }
  }

  private func recordAdd(
    _ payload: JSONObject, id: [UInt8]?
  ) throws -> (id: [UInt8], isStored: Bool, isOutdone: Bool) {
    for flag in [Self.unsetFlag, Self.replaceFlag, Self.ifFlag] where isSet(flag) {
      throw CommandFailure.usage(
        "\(flag.long) is of no use for '\(kind.name)': what a history holds is never changed",
        hint: "leave it out; 'runic retract' leaves a record out of lists and reports")
    }
    var whole = payload
    if let id {
      guard let key = kind.key.map({ JSONString($0) }), let text = JSONString(utf8: id) else {
        throw CommandFailure.usage(
          "the id of a record of '\(kind.name)' comes from its payload", hint: "leave the id out")
      }
      if whole[key] == nil { whole[key] = try kind.value(forField: key, typed: text.string) }
    }
    return try repository.write { try $0.record(whole, kind: kind, isLocal: isSet(Self.localFlag)) }
  }

  private func recordPatch(_ payload: JSONObject, id typed: [UInt8]?) throws -> (id: [UInt8], isStored: Bool)
  {
    let (id, named) = try kind.identify(payload, id: typed ?? kind.defaultID.map { Array($0.utf8) })
    var patch =
      isSet(Self.replaceFlag) ? Patch(replacingAllBy: try kind.checked(named)) : try kind.patch(named)
    let unset = Set(invocation.values(Self.unsetFlag.long).map { JSONString($0) })
    if let both = unset.intersection(payload.map(\.key)).first {
      throw CommandFailure.usage("'\(both)' is both set and unset")
    }
    patch.unset = unset
    let condition = try condition()
    let isStored = try repository.write { transaction in
      isSet(Self.localFlag)
        ? try transaction.patchLocally(kind: kind, id: id, patch, if: condition)
        : try transaction.patch(kind: kind, id: id, patch, if: condition)
    }
    return (id, isStored)
  }

  private func report(id: [UInt8], isStored: Bool, isOutdone: Bool = false) {
    let record = "\(kind.name) '\(RecordText.short(id))'"
    let tokens = kind.name == BuiltInName.request ? ", with as many tokens or more" : ""
    let standing =
      isOutdone ? "\(record) stands as it was\(tokens): nothing was recorded" : "\(record) says that already"
    context.output.result(
      isStored ? "recorded \(record)" : standing,
      [
        "id": RecordText.id(id), "kind": .text(kind.name), "recordedCount": .count(isStored ? 1 : 0),
        "skippedCount": 0, "unchangedCount": .count(isStored ? 0 : 1),
      ])
  }

  // MARK: - Lines

  /// The flags that say something of lines; all others say what a line itself does.
  private static let lineFlags = Set([idFlag, replaceFlag, localFlag, ifFlag, skipFlag].map(\.long))

  /// Records the lines of standard input.
  ///
  /// - Parameter idFlag: the command's own name for the id.
  func recordLines(id: String? = nil, idFlag: String? = nil) throws -> ExitStatus {
    for flag in invocation.command.flags.map(\.long) where flag != idFlag && !Self.lineFlags.contains(flag) {
      guard invocation.isSet(flag) else { continue }
      throw CommandFailure.usage(
        "\(invocation.command.title): \(flag) does not go with -: the lines say it", hint: invocation.helpHint
      )
    }
    var options = BatchOptions(kind: kind, id: id.map { Array($0.utf8) })
    if id != nil, kind.family == .history {
      throw CommandFailure.usage(
        "the id of a record of '\(kind.name)' comes from its payload", hint: "leave the id out")
    }
    options.replacesAll = isSet(Self.replaceFlag)
    options.skipsBad = isSet(Self.skipFlag)
    options.isLocal = isSet(Self.localFlag)
    options.condition = try condition()
    let outcome = try repository.record(linesOf: context.input.batch, options)
    for line in outcome.examples {
      context.output.warning("line \(line.number) is skipped: \(commandFailure(for: line.cause).message)")
    }
    if outcome.skipped > outcome.examples.count {
      context.output.warning("and \(outcome.skipped - outcome.examples.count) more lines are skipped")
    }
    report(outcome)
    return .done
  }

  private func report(_ outcome: BatchOutcome) {
    var text = "recorded \(counted(outcome.recorded, "record")) of '\(kind.name)'"
    if outcome.unchanged > 0 { text += ", \(outcome.unchanged) there already" }
    if outcome.skipped > 0 { text += ", \(outcome.skipped) skipped" }
    context.output.result(
      text,
      [
        "kind": .text(kind.name), "recordedCount": .count(outcome.recorded),
        "skipped": .array(
          outcome.examples.map {
            ["line": .count($0.number), "reason": .text(commandFailure(for: $0.cause).message)]
          }), "skippedCount": .count(outcome.skipped), "unchangedCount": .count(outcome.unchanged),
      ])
  }
}

extension Invocation {
  /// `KEY=VALUE` arguments, in order.
  func assignments(_ arguments: [String]) throws(CommandFailure) -> [(field: JSONString, text: String)] {
    var result: [(field: JSONString, text: String)] = []
    for argument in arguments {
      let (key, value) = FlagSyntax.split(argument)
      guard let value, !key.isEmpty else {
        throw .usage("'\(argument)' is no KEY=VALUE", hint: helpHint)
      }
      if result.contains(where: { $0.field == JSONString(key) }) { throw .usage("'\(key)' is given twice") }
      result.append((JSONString(key), value))
    }
    return result
  }
}
