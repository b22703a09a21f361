import CanonicalJSON

/// The version of the program, as its releases are numbered (semver.org).
let runicVersion = "0.1.0"

/// `runic version`.
let versionCommand = Command(
  description: CommandDescription("version", summary: "show the version", group: .program)
) { _, context in
  if context.output.style.wantsJSON {
    context.output.json(["version": .text(runicVersion)])
  } else {
    context.output.line("runic \(runicVersion)")
  }
  return .done
}
