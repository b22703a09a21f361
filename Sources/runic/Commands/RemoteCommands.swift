import CanonicalJSON
import ObjectStore
import RunicCore

/// The commands `runic remote …`.
enum RemoteCommands {
  static let all = [
    remoteAddCommand, remoteListCommand, remoteRemoveCommand, remoteRenameCommand, remoteSetURLCommand,
    remoteCheckCommand,
  ]

  static let name = Argument("NAME", .required, kind: .remote)
  static let url = Argument("URL", .required, kind: .address)

  static func json(_ setting: RemoteSetting) -> JSONValue {
    [
      "name": .text(setting.name), "repository": .text(setting.repository), "url": .text(setting.url),
    ]
  }

  /// Whether a remote is only out of reach: then its address may still be right.
  static func isOutOfReach(_ error: any Error) -> Bool {
    error is RemoteError && commandFailure(for: error).status == .unreachable
  }

  /// Says that an address was kept though nobody could look there.
  static func kept(_ setting: RemoteSetting, _ error: any Error) -> CommandFailure {
    let failure = commandFailure(for: error)
    let check = "'runic remote check \(setting.name) --create'"
    let reason = (error as? RemoteError)?.reason
    let isMissing = reason == .unreachable || reason == .empty
    return CommandFailure(
      failure.status, code: failure.code,
      "remote '\(setting.name)' is kept, but was not checked: \(failure.message)",
      hint: isMissing ? "once it is there: \(check)" : "\(failure.hint.map { "\($0); then " } ?? "")\(check)")
  }
}

/// `runic remote add NAME URL`.
let remoteAddCommand = Command(
  description: CommandDescription(
    "remote", "add", summary: "add a place to share through", group: .sync,
    arguments: [Argument("NAME", .required, kind: .newName), RemoteCommands.url],
    flags: [SyncCommands.noRetry],
    exitStatus: [.unreachable, .busy, .noRepository],
    details: [
      "Makes the repository's tree in a missing or empty folder, or checks the one that is there. A remote that "
        + "cannot be reached is kept, and checked by 'runic remote check NAME --create'. A place that is a remote "
        + "already, under another name, is refused."
    ],
    examples: [Example("runic remote add home /mnt/nas/runic", "shares through a folder")])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  var setting = RemoteSetting(
    name: try invocation.required(0), url: Session.address(try invocation.required(1)))
  var trial = repository.configuration
  try trial.add(setting)
  try repository.refuseUselessPlace(setting)
  do {
    let state = try repository.prepareRemote(setting)
    setting.repository = repository.id.hex
    try repository.addRemote(setting)
    context.output.result(
      state == .created
        ? "added remote \(setting.name): began the tree at \(setting.url)"
        : "added remote \(setting.name): found this repository at \(setting.url)",
      RemoteCommands.json(setting))
    return .done
  } catch  where RemoteCommands.isOutOfReach(error) {
    try repository.addRemote(setting)
    throw RemoteCommands.kept(setting, error)
  } catch let error as RemoteError {
    throw commandFailure(for: error).hinting { $0.replacing("push again", with: "add it again") }
  }
}

/// `runic remote list`.
let remoteListCommand = Command(
  description: CommandDescription(
    "remote", "list", summary: "list the remotes", group: .sync, exitStatus: [.noRepository],
    details: [
      "In the order in which they were added, which is the order in which pull, push and sync take "
        + "them."
    ],
    examples: [
      Example("runic remote list", "lists names and addresses")
    ])
) { invocation, context in
  let remotes = try Session.open(invocation, context).configuration.remotes
  if context.output.style.wantsJSON {
    for remote in remotes { context.output.json(RemoteCommands.json(remote)) }
    return .done
  }
  if remotes.isEmpty {
    context.output.note("no remote: nothing is synced; 'runic remote add NAME URL' adds one")
    return .done
  }
  var table = TextTable([
    .init("", shrinks: true), .init("", shrinks: true), .init("", isOptional: true),
  ])
  for remote in remotes {
    table.add([remote.name, remote.url, remote.repository == nil ? "not checked yet" : ""])
  }
  context.output.table(table)
  return .done
}

/// `runic remote remove NAME`.
let remoteRemoveCommand = Command(
  description: CommandDescription(
    "remote", "remove", summary: "forget a remote; what lies there stays", group: .sync,
    arguments: [RemoteCommands.name], exitStatus: [.busy, .noRepository],
    details: [
      "The tree at the remote is left as it is. Other devices go on using it."
    ],
    examples: [
      Example("runic remote remove usb", "forgets the remote usb")
    ])
) { invocation, context in
  let name = try invocation.required(0)
  try Session.open(invocation, context).removeRemote(name)
  context.output.result("forgot remote \(name); what lies there stays", ["name": .text(name)])
  return .done
}

/// `runic remote rename OLD NEW`.
let remoteRenameCommand = Command(
  description: CommandDescription(
    "remote", "rename", summary: "give a remote another name", group: .sync,
    arguments: [Argument("OLD", .required, kind: .remote), Argument("NEW", .required, kind: .newName)],
    exitStatus: [.busy, .noRepository],
    details: [
      "Settings of the remote and what is known of it go with the name."
    ],
    examples: [
      Example("runic remote rename origin home", "calls the remote home from now on")
    ])
) { invocation, context in
  let (old, new) = (try invocation.required(0), try invocation.required(1))
  let repository = try Session.open(invocation, context)
  try repository.renameRemote(old, to: new)
  let renamed = try repository.configuration.remote(new)
  context.output.result("remote \(old) is called \(new) now", RemoteCommands.json(renamed))
  return .done
}

/// `runic remote set-url NAME URL`.
let remoteSetURLCommand = Command(
  description: CommandDescription(
    "remote", "set-url", summary: "change where a remote is", group: .sync,
    arguments: [RemoteCommands.name, RemoteCommands.url],
    exitStatus: [.unreachable, .busy, .noRepository],
    details: [
      "Another repository's place is refused. A place that cannot be reached is kept, unchecked.",
      "What the former place had shown is forgotten: the new one may have less.",
    ],
    examples: [
      Example("runic remote set-url home /media/stick/runic", "the tree was moved there")
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let (name, url) = (try invocation.required(0), Session.address(try invocation.required(1)))
  _ = try repository.configuration.remote(name)
  let setting = RemoteSetting(name: name, url: url)
  try repository.refuseUselessPlace(setting)
  var problem: (any Error)?
  do { try repository.checkRemote(setting) } catch  where RemoteCommands.isOutOfReach(error) {
    problem = error
  }
  try repository.moveRemote(name, to: url, isChecked: problem == nil)
  if let problem { throw RemoteCommands.kept(setting, problem) }
  let moved = try repository.configuration.remote(name)
  context.output.result("remote \(name) is at \(url) now", RemoteCommands.json(moved))
  return .done
}

/// `runic remote check NAME`.
let remoteCheckCommand = Command(
  description: CommandDescription(
    "remote", "check", summary: "check that this repository lies at a remote", group: .sync,
    arguments: [RemoteCommands.name],
    flags: [Flag("--create", "make the tree where nothing is"), SyncCommands.noRetry],
    exitStatus: [.unreachable, .busy, .noRepository],
    details: [
      "Says whether the place can be reached, whether it holds a tree, and of which repository. "
        + "With --create, makes the tree where the place is missing or empty."
    ],
    examples: [
      Example("runic remote check home", "after plugging in a drive"),
      Example("runic remote check home --create", "makes the tree that 'runic remote add' could not make"),
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let setting = try repository.configuration.remote(try invocation.required(0))
  let (made, found) = try RemoteRounds.naming(setting.name) {
    let made = try invocation.isSet("--create") && repository.prepareRemote(setting) == .created
    return (made, try repository.examine(setting))
  }
  if setting.repository != repository.id.hex {
    do {
      try repository.configure { $0.note(repository: repository.id.hex, ofRemote: setting.name) }
    } catch let error as SystemError where error.forbidsWriting {
      // The next look finds it again.
    }
  }
  RemoteCommands.show(
    found, of: try repository.configuration.remote(setting.name), isNew: made, context.output)
  if !found.damaged.isEmpty { return .damaged }
  if let failure = found.writing { throw failure }
  return .done
}

extension RemoteCommands {
  /// One screen: reachable, writable, ours, healthy, how far behind.
  static func show(
    _ found: RemoteExamination, of setting: RemoteSetting, isNew: Bool, _ output: Output
  ) {
    if output.style.wantsJSON {
      var json = json(setting).objectValue ?? [:]
      json["ahead"] = .integer(found.ahead)
      json["behind"] = .integer(found.behind)
      json["damaged"] = .texts(found.damaged)
      json["devices"] = .count(found.devices)
      json["heads"] = .count(found.heads)
      json["writable"] = .bool(found.writing == nil)
      return output.json(.object(json))
    }
    let place = Escaping.oneLine(setting.url)
    output.paragraph(isNew ? "began the tree at \(place)" : "this repository lies at \(place)")
    output.paragraph("  reachable   yes")
    output.paragraph("  writable    \(found.writing.map { "no: \(remoteFailure($0).message)" } ?? "yes")")
    output.paragraph("  holds       \(counted(found.heads, "head")) of \(counted(found.devices, "device"))")
    output.paragraph(
      "  healthy     \(found.damaged.isEmpty ? "as far as is known; 'runic fsck' reads all" : "no")")
    for path in found.damaged { output.paragraph("    damaged: \(path)") }
    output.paragraph("  to push     \(counted(found.ahead, "commit"))")
    output.paragraph("  to pull     \(counted(found.behind, "commit"))")
  }
}
