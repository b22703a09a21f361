import Foundation
import Testing

/// Every work of the benchmarks once and tiny: what they ask of runic and of the peers still runs. No time is held
/// against anything.
@Suite struct BenchmarkSmokeTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../../Benchmarks").standardizedFileURL

  private func run(_ program: String, output: String) throws -> (status: Int32, words: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "python3", Self.folder.appendingPathComponent("bench.py").path, "--smoke", "--peers",
      "git,sqlite3,rsync",
      "--runic", program, "--output", output,
    ]
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: bytes, as: UTF8.self))
  }

  @Test func everyWorkStillRuns() throws {
    guard FileManager.default.isExecutableFile(atPath: "/usr/bin/python3") else {
      return print("not tried, for want of python3: the benchmarks")
    }
    let program = try #require(BuiltProgram.path, "build the product runic first")
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("bench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appendingPathComponent("results.md").path
    let (status, words) = try run(program, output: output)
    #expect(status == 0, "\(words)")
    let table = try String(contentsOfFile: output, encoding: .utf8)
    let titles = [
      "Start-up", "Record one", "Record 300", "Push 300", "Bytes, 300", "Pull 300",
      "Pull and push of nothing",
      "100 new records", "After 3 pushes", "Report over 200", "Many devices",
    ]
    for title in titles { #expect(table.contains("\n## \(title)"), "no \(title) in:\n\(table)") }
  }
}
