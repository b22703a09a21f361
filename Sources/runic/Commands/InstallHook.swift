import ObjectStore
import RunicCore

/// `runic install-hook TOOL`: the tool collects its own usage whenever a session of it ends.
let installHookCommand = Command(
  description: CommandDescription(
    "install-hook", summary: "let an AI tool record its usage when it is done", group: .configure,
    arguments: [Argument("TOOL", .required, choices: HookFile.tools)],
    flags: [Flag("--sync", "pull and push afterwards too")],
    details: [
      "claude: a SessionEnd hook in settings.json of Claude Code's folder. Claude Code may end a hook that "
        + "takes long when it quits; what was not recorded then is recorded by the next run.",
      "codex: a Stop hook in hooks.json of Codex's folder. Codex has no hook for the end of a session; this "
        + "one runs after each turn. Codex asks you once whether you trust it; versions without hooks ignore "
        + "the file.",
      "The rest of the file stays as it is, byte for byte, and a copy of it is kept beside it. The hook runs "
        + "'runic' as it is found in PATH.",
    ],
    examples: [Example("runic install-hook claude --sync", "records, pulls and pushes after every session")])
) { invocation, context in
  let file = try HookFile(invocation, context)
  let hook = file.hook(isSyncing: invocation.isSet("--sync"), repository: invocation.flag("--repo"))
  let isNew = try file.install(hook)
  context.output.result(
    isNew ? "installed the hook in '\(file.path)'" : "the hook is in '\(file.path)' already",
    [
      "changed": .bool(isNew), "command": .text(hook.command), "event": .text(hook.event),
      "path": .text(file.path),
    ])
  return .done
}
