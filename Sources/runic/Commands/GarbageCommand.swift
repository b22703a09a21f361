import CanonicalJSON
import RunicCore

/// `runic gc`.
let gcCommand = Command(
  description: CommandDescription(
    "gc", summary: "free what nobody needs", group: .maintain, exitStatus: [.busy, .noRepository],
    details: [
      "Rolls up what 'record' left to do, and removes leftovers, old heads but for the newest four of this device, "
        + "and replaced objects but for the newest 16: for devices that lag behind. One that 'fsck' found damaged "
        + "goes too. Changes nothing that is shown."
    ],
    examples: [
      Example("runic gc", "frees space on this device; the next push frees it at the remotes")
    ])
) { invocation, context in
  context.output.progress("rolling up")
  let freed = try Session.open(invocation, context).collectGarbage()
  context.output.clearProgress()
  context.output.result("freed \(readableSize(freed))", ["bytesFreed": .integer(freed)])
  return .done
}
