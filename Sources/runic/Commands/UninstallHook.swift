import ObjectStore
import RunicCore

/// `runic uninstall-hook TOOL`: takes away what `install-hook` made.
let uninstallHookCommand = Command(
  description: CommandDescription(
    "uninstall-hook", summary: "take runic's hook out of an AI tool's settings", group: .configure,
    arguments: [Argument("TOOL", .required, choices: HookFile.tools)],
    details: [
      "Everything else in the tool's settings stays as it is, byte for byte. A file that holds nothing but what "
        + "'runic install-hook' wrote is removed."
    ],
    examples: [Example("runic uninstall-hook claude", "no longer records when a session ends")])
) { invocation, context in
  let file = try HookFile(invocation, context)
  let isChanged = try file.uninstall()
  context.output.result(
    isChanged ? "took the hook out of '\(file.path)'" : "there is no hook of runic's in '\(file.path)'",
    ["changed": .bool(isChanged), "path": .text(file.path)])
  return .done
}
