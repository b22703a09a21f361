import CanonicalJSON

/// The version of the program, as its releases are numbered (semver.org).
let runicVersion = "0.1.0"

/// `runic version`.
let versionCommand = Command(
  description: CommandDescription(
    "version", summary: "show the version", group: .program,
    details: [
      "With --verbose, also what the program was built with: the compiler, the libraries, the kind "
        + "of build and the version of the format that it writes. --json always tells all of it."
    ],
    examples: [
      Example("runic version --verbose", "what to add to a report of a fault")
    ])
) { _, context in
  if context.output.style.wantsJSON {
    context.output.json(["version": .text(runicVersion)])
  } else {
    context.output.line("runic \(runicVersion)")
  }
  return .done
}
