import ObjectStore

/// A program of the user's that some part of runic runs.
struct InstalledProgram {
  let name: String
  /// What makes it tell its version.
  let question: String
  /// What it is for, after "needed for".
  let purpose: String

  static let all = [
    InstalledProgram(name: "rsync", question: "--version", purpose: "remotes over ssh and rsync"),
    InstalledProgram(name: "ssh", question: "-V", purpose: "remotes over ssh"),
    InstalledProgram(name: "rclone", question: "version", purpose: "remotes over rclone"),
    InstalledProgram(name: "zstd", question: "--version", purpose: "compressed logs of Codex CLI"),
    InstalledProgram(name: "sqlite3", question: "--version", purpose: "the database of OpenCode"),
  ]

  /// Whether a remote at this address cannot be reached without it.
  func isNeeded(at url: String) -> Bool {
    let isFolder = url.utf8.first == UInt8(ascii: "/")
    switch name {
    case "rclone": return url.hasPrefix("rclone:")
    case "rsync": return !isFolder && !url.hasPrefix("rclone:")
    case "ssh": return !isFolder && !url.hasPrefix("rclone:") && !url.hasPrefix("rsync://")
    default: return false
    }
  }

  /// The number that the program gives; nil where there is no such program.
  func version(_ runner: some ProgramRunner) -> String? {
    let call = ProgramCall(name, [question], environment: ["LC_ALL": "C"], timeLimit: 10_000)
    guard let result = try? runner.run(call) else { return nil }
    let said = result.output.isEmpty ? result.errors : result.output
    let line = said.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    return Self.number(in: String(decoding: line, as: UTF8.self))
  }

  /// The first word with a digit in it, without what stands around the number: `OpenSSH_9.2p1,` gives `9.2p1`.
  static func number(in line: String) -> String {
    let words = line.split(whereSeparator: { " ,_*".contains($0) })
    let number = words.first { word in
      let digits = word.hasPrefix("v") ? word.dropFirst() : word
      return digits.first.map { $0.isASCII && $0.isNumber } ?? false
    }
    return number.map { String($0.hasPrefix("v") ? $0.dropFirst() : $0) } ?? "of an unknown version"
  }
}
