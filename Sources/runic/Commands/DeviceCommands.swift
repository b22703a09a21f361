import CanonicalJSON
import ObjectStore
import RunicCore

/// The commands `runic device …`.
enum DeviceCommands {
  static let all = [deviceListCommand, deviceRenameCommand, deviceRetireCommand]

  static func json(_ device: DeviceView) -> JSONValue {
    [
      "commit": .text(device.commit?.hash.hex), "current": .bool(device.isCurrent),
      "device": .text(device.id.hex), "forked": .bool(device.isForked), "name": .text(device.name),
      "own": .bool(device.isOwn), "platform": .text(device.platform), "retired": .bool(device.isRetired),
      "sequence": .integer(device.commit?.sequence ?? 0),
      "time": .time(device.time == 0 ? nil : device.time),
    ]
  }

  static func remarks(_ device: DeviceView) -> String {
    var remarks: [String] = []
    if device.isCurrent {
      remarks.append("this device")
    } else if device.isOwn {
      remarks.append("formerly this device")
    }
    if device.isForked { remarks.append("forked") }
    if device.isRetired { remarks.append("retired") }
    if let stamp = device.farAhead {
      remarks.append("clock ahead: \(Timestamp.text(milliseconds: stamp.milliseconds))")
    }
    return remarks.joined(separator: ", ")
  }
}

/// `runic device list`.
let deviceListCommand = Command(
  description: CommandDescription(
    "device", "list", summary: "list the devices that share the repository", group: .configure,
    exitStatus: [.busy, .noRepository],
    details: [
      "Every device whose heads were read here, with its name, its platform, the number of its "
        + "commits and when it last wrote."
    ],
    examples: [
      Example("runic device list", "shows which machines take part")
    ])
) { invocation, context in
  let devices = try Session.open(invocation, context).read { try $0.devices() }
  if context.output.style.wantsJSON {
    for device in devices { context.output.json(DeviceCommands.json(device)) }
    return .done
  }
  var table = TextTable([
    .init("DEVICE"), .init("NAME", shrinks: true), .init("PLATFORM", shrinks: true, isOptional: true),
    .init("COMMITS", .right, isOptional: true), .init("LAST", isOptional: true), .init(""),
  ])
  for device in devices {
    table.add([
      String(device.id.hex.prefix(8)), device.name, device.platform, "\(device.commit?.sequence ?? 0)",
      device.time == 0 ? "" : context.time(device.time), DeviceCommands.remarks(device),
    ])
  }
  context.output.table(table)
  return .done
}

/// `runic device rename NAME`.
let deviceRenameCommand = Command(
  description: CommandDescription(
    "device", "rename", summary: "give this device another name", group: .configure,
    arguments: [Argument("NAME", .required, kind: .newName)], exitStatus: [.busy, .noRepository],
    details: ["The others see the new name once they have pulled it."],
    examples: [
      Example("runic device rename tower", "calls this machine tower")
    ])
) { invocation, context in
  let name = try Session.deviceName(try invocation.required(0))
  let repository = try Session.open(invocation, context)
  try repository.rename(to: name)
  context.output.result(
    "this device is called \(name) now", ["device": .text(repository.deviceID.hex), "name": .text(name)])
  return .done
}

/// `runic device retire DEVICE`.
let deviceRetireCommand = Command(
  description: CommandDescription(
    "device", "retire", summary: "no longer wait for what is missing of a device", group: .configure,
    arguments: [Argument("DEVICE", .required, kind: .device)],
    flags: [Flag("--undo", "wait for it again")],
    exitStatus: [.busy, .noRepository],
    details: ["Nothing that it recorded is hidden, and what it brings later still counts."],
    examples: [
      Example("runic device retire laptop", "the laptop is lost, with what it had not pushed")
    ])
) { invocation, context in
  let typed = try invocation.required(0)
  let repository = try Session.open(invocation, context)
  let device = try repository.read { try $0.device(typed) }
  let isRetired = !invocation.isSet("--undo")
  if isRetired, device.isCurrent {
    throw CommandFailure.failed(
      "'\(typed)' is this device: nothing of it is waited for here", code: "own-device",
      hint: "'runic device list' shows the others")
  }
  try repository.retire(device.id, isRetired)
  context.output.result(
    isRetired
      ? "what is missing of \(device.name) is no longer waited for" : "\(device.name) is waited for again",
    ["device": .text(device.id.hex), "name": .text(device.name), "retired": .bool(isRetired)])
  return .done
}
