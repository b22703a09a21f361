import CanonicalJSON
import RunicCore

/// `runic cat-object NAME`.
let catObjectCommand = Command(
  description: CommandDescription(
    "cat-object", summary: "print what a file of the store holds, decrypted", group: .maintain,
    arguments: [Argument("NAME", .required, kind: .storeFile)], exitStatus: [.noRepository],
    details: [
      "NAME is at least four digits of the file's SHA-256, or of a head's name. An object's commits are printed one a line, a head's JSON as it was signed."
    ],
    examples: [
      Example("runic cat-object 3f9a", "prints the commits of one object")
    ])
) { invocation, context in
  let name = try invocation.required(0)
  context.output.write(try Session.open(invocation, context).content(ofFile: name))
  return .done
}
