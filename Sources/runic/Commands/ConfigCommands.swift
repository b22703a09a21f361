import CanonicalJSON
import RunicCore

/// The commands `runic config …`.
enum ConfigCommands {
  static let all = [configGetCommand, configSetCommand, configUnsetCommand, configListCommand]

  static let key = Argument("KEY", .required, kind: .configKey)
}

extension Setting {
  /// What it is for and what it takes, as a help text says it.
  fileprivate var meaning: String {
    let standard = standardSeconds.map { " (\($0))" } ?? ""
    return switch self {
    case .alertsCommand: "the program that the alert channel 'command' runs"
    case .hooksTimeout: "seconds that a hook may take before it is ended\(standard)"
    case .keyCommand:
      "a command that prints what 'runic key export' does; repository.key is removed once it has"
    case .remoteTimeout: "seconds without an answer after which a remote counts as lost\(standard)"
    case .syncStrategy:
      MergeStrategy.allCases.map {
        $0.rawValue + ($0 == MergeStrategy.lastWriterWins ? " (where nothing is set)" : "")
      }.joined(separator: ", ")
    case .watchActive: "seconds between two syncs of 'watch' while things change\(standard)"
    case .watchBackground: "the same while nothing does\(standard)"
    }
  }
}

/// `runic config get KEY`.
let configGetCommand = Command(
  description: CommandDescription(
    "config", "get", summary: "show one setting", group: .configure, arguments: [ConfigCommands.key],
    exitStatus: [.noRepository],
    details: [
      "Settings are this device's own and are never synced."
    ],
    examples: [
      Example("runic config get sync.strategy", "prints one setting")
    ])
) { invocation, context in
  let key = try invocation.required(0)
  let configuration = try Session.open(invocation, context).configuration
  guard let value = try configuration.value(key) else {
    throw CommandFailure.failed(
      "'\(key)' is not set", code: "unknown", hint: "'runic config set \(key) VALUE' sets it")
  }
  if context.output.style.wantsJSON {
    context.output.json(["key": .text(key), "value": .text(value)])
  } else {
    context.output.line(Escaping.oneLine(value))
  }
  return .done
}

/// `runic config set KEY VALUE`.
let configSetCommand = Command(
  description: CommandDescription(
    "config", "set", summary: "change a setting of this device", group: .configure,
    arguments: [ConfigCommands.key, Argument("VALUE", .required, kind: .configValue)],
    exitStatus: [.busy, .noRepository],
    details: [
      Setting.allCases.map { "\($0.rawValue): \($0.meaning)." }.joined(separator: " "),
      "Seconds are whole numbers \(boundsOfSeconds).",
    ],
    examples: [
      Example("runic config set sync.strategy manual", "leaves every conflict to be settled by hand"),
      Example("runic config set key.command 'pass show runic'", "fetches the key from a keychain"),
    ])
) { invocation, context in
  let (key, value) = (try invocation.required(0), try invocation.required(1))
  let repository = try Session.open(invocation, context)
  let words = "\(key) is \(value)"
  let json: JSONValue = ["key": .text(key), "value": .text(value)]
  if key == Configuration.keyCommandName {
    let isRemoved = try repository.useKeyCommand(value)
    context.output.result(
      isRemoved ? "\(words); repository.key, whose keys it prints, is removed" : words, json)
  } else {
    try repository.configure { try $0.set(key, to: value) }
    context.output.result(words, json)
  }
  return .done
}

/// `runic config unset KEY`.
let configUnsetCommand = Command(
  description: CommandDescription(
    "config", "unset", summary: "take a setting back to what it is by itself", group: .configure,
    arguments: [ConfigCommands.key], exitStatus: [.busy, .noRepository],
    details: [
      "Without a setting, runic does what its man page says it does by itself. Without key.command, that is to read"
        + " the key from its file: the keys that the command printed are put there."
    ],
    examples: [
      Example("runic config unset sync.strategy", "goes back to last-writer-wins")
    ])
) { invocation, context in
  let key = try invocation.required(0)
  if key == Configuration.keyCommandName {
    try unsetKeyCommand(invocation, context)
  } else {
    try Session.open(invocation, context).configure { try $0.unset(key) }
  }
  context.output.result("\(key) is not set any more", ["key": .text(key), "value": .null])
  return .done
}

/// A command that prints no key any more must not keep its own setting from being taken back.
private func unsetKeyCommand(_ invocation: Invocation, _ context: Context) throws {
  let environment = try Session.environment(invocation, context)
  let repository: Repository
  do { repository = try Session.open(invocation, context) } catch {
    try Repository.forgetKeyCommand(at: Session.path(invocation, context), environment: environment)
    do { _ = try Session.open(invocation, context) } catch {
      let failure = commandFailure(for: error)
      context.output.warning("\(failure.message)\(failure.hint.map { "; \($0)" } ?? "")")
    }
    return
  }
  try repository.useKeyFile()
}

/// `runic config list`.
let configListCommand = Command(
  description: CommandDescription(
    "config", "list", summary: "list the settings", group: .configure, exitStatus: [.noRepository],
    details: [
      "Only settings that were made are listed, as KEY=VALUE."
    ],
    examples: [
      Example("runic config list", "shows what differs from a new repository")
    ])
) { invocation, context in
  let settings = try Session.open(invocation, context).configuration.settings
  if context.output.style.wantsJSON {
    let members = settings.map { (key: JSONString($0.key), value: JSONValue.text($0.value)) }
    context.output.json(.object(JSONObject(members)))
    return .done
  }
  for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
    context.output.line(Escaping.oneLine("\(key)=\(value)"))
  }
  return .done
}
