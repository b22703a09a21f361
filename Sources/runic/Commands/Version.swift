import CanonicalJSON
import ObjectStore

/// The version of the program, as its releases are numbered (semver.org).
let runicVersion = "0.1.0"

/// When that version was finished, as the man pages say.
let runicReleaseDate = "2026-11-30"

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
) { invocation, context in
  if context.output.style.wantsJSON {
    let facts = BuildWords.facts.map { (key: JSONString($0.key), value: JSONValue.text($0.value)) }
    context.output.json([
      "build": .object(JSONObject(facts)), "format": .integer(Int64(SealedHeader.formatVersion)),
      "version": .text(runicVersion),
    ])
    return .done
  }
  context.output.line("runic \(runicVersion)")
  if invocation.isVerbose {
    for fact in BuildWords.facts { context.output.line("\(fact.name): \(fact.value)") }
    context.output.line("format: \(SealedHeader.formatVersion)")
  }
  return .done
}

/// What the program was built with, in words.
private enum BuildWords {
  static let facts: [(key: String, name: String, value: String)] = [
    ("swift", "swift", BuildFacts.swift), ("openssl", "openssl", BuildFacts.libcrypto),
    ("zlib", "zlib", BuildFacts.zlib), ("kind", "build", BuildFacts.isDebug ? "debug" : "release"),
    ("platform", "platform", BuildFacts.platform),
  ]
}
