import Foundation
import TestSupport
import Testing

/// The tutorial and the README are run as they are written: every command, on machines of their own.
@Suite struct TutorialTests {
  private struct Step {
    let machine: String
    let command: String
    var output: [String] = []
  }

  /// The commands in the fenced blocks, each with the lines that are shown under it.
  private static func steps(in text: String) -> [Step] {
    var steps: [Step] = []
    var isInside = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, let prompt = line.firstRange(of: "$ "), !line[..<prompt.lowerBound].contains(" ") {
        steps.append(
          Step(machine: String(line[..<prompt.lowerBound]), command: String(line[prompt.upperBound...])))
      } else if isInside, !steps.isEmpty, !line.isEmpty {
        steps[steps.count - 1].output.append(line)
      }
    }
    return steps
  }

  /// Ids and times are each as good as any other.
  private static func loose(_ line: String) -> String {
    line.replacing(#/prices as of \d{4}-\d{2}/#, with: "prices as of MONTH")
      .replacing(#/\b[0-9a-f]{8}([0-9a-f]{24})?\b/#, with: "ID")
      .replacing(#/just now|\d+ \w+ ago/#, with: "TIME")
  }

  private func run(_ step: Step, in folder: String, program: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = [
      "-c", step.command.replacing("/mnt/nas", with: "\(folder)/nas"),
    ]
    let home = "\(folder)/home/\(step.machine)"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let path = URL(fileURLWithPath: program).deletingLastPathComponent().path
    process.environment =
      ["PATH": "\(path):/usr/bin:/bin", "HOME": home, "RUNIC_PASSPHRASE": "secret", "TZ": "UTC"]
      .withSanitizerSettings
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let text = String(decoding: bytes, as: UTF8.self)
      .replacing("\(folder)/home", with: "/home").replacing("\(folder)/nas", with: "/mnt/nas")
    return text.split(separator: "\n").map(String.init)
  }

  /// The log of the README's laptop: model, time, and tokens of the input, the output, reads and writes of the cache.
  private static let requests = [
    ("claude-sonnet-4-5-20250929", "2026-09-04T09:00:00Z", 1200, 3400, 52000, 8000),
    ("claude-opus-4-5-20251101", "2026-09-05T14:00:00Z", 900, 2100, 81000, 12000),
    ("claude-sonnet-4-5-20250929", "2026-09-05T15:30:00Z", 2000, 5200, 140_000, 9000),
  ]

  private func writeLog(in folder: String) throws {
    let place = "\(folder)/home/laptop/.claude/projects/p"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    let lines = Self.requests.enumerated().map { number, request in
      let (model, time, input, output, read, written) = request
      return #"{"type":"assistant","uuid":"\#(number)","sessionId":"s","timestamp":"\#(time)","#
        + #""requestId":"r\#(number)","message":{"id":"m\#(number)","model":"\#(model)","usage":{"#
        + #""input_tokens":\#(input),"output_tokens":\#(output),"cache_read_input_tokens":\#(read),"#
        + #""cache_creation_input_tokens":\#(written)}}}"# + "\n"
    }
    try lines.joined().write(toFile: "\(place)/s.jsonl", atomically: false, encoding: .utf8)
  }

  @Test(arguments: [("docs/tutorial.md", 20), ("README.md", 15)])
  func everyCommandDoesWhatIsShown(_ page: String, least: Int) throws {
    let program = try #require(BuiltProgram.path, "build the product runic first")
    let text = try String(contentsOfFile: "\(BuiltProgram.package)/\(page)", encoding: .utf8)
    let steps = Self.steps(in: text)
    #expect(steps.count >= least)
    let folder = NSTemporaryDirectory() + "runic-tutorial-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: "\(folder)/nas", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    if page == "README.md" { try writeLog(in: folder) }
    for step in steps {
      let output = try run(step, in: folder, program: program)
      #expect(output.map(Self.loose) == step.output.map(Self.loose), "\(step.machine)$ \(step.command)")
    }
  }
}
