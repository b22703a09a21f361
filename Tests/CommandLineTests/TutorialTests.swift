import Foundation
import TestSupport
import Testing

/// The tutorial is run as it is written: every command, on machines of its own.
@Suite struct TutorialTests {
  private struct Step {
    let machine: String
    let command: String
    var output: [String] = []
  }

  private static let text: String? = try? String(
    contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../docs/tutorial.md"), encoding: .utf8)

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
      } else if isInside, !steps.isEmpty {
        steps[steps.count - 1].output.append(line)
      }
    }
    return steps
  }

  /// Ids and times are each as good as any other.
  private static func loose(_ line: String) -> String {
    line.replacing(#/\b[0-9a-f]{8}([0-9a-f]{24})?\b/#, with: "ID")
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
      ["PATH": "\(path):/usr/bin:/bin", "HOME": home, "RUNIC_PASSPHRASE": "secret"].withSanitizerSettings
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

  @Test func everyCommandDoesWhatIsShown() throws {
    let program = try #require(BuiltProgram.path, "build the product runic first")
    let steps = Self.steps(in: try #require(Self.text))
    #expect(steps.count >= 20)
    let folder = NSTemporaryDirectory() + "runic-tutorial-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: "\(folder)/nas", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for step in steps {
      let output = try run(step, in: folder, program: program)
      #expect(output.map(Self.loose) == step.output.map(Self.loose), "\(step.machine)$ \(step.command)")
    }
  }
}
