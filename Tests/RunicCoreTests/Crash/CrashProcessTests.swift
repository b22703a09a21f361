import Foundation
import Synchronization
import TestSupport
import Testing

/// The real program: killed at any moment, and eight of it at once.
@Suite struct CrashProcessTests {
  /// The program that was built beside these tests; nil where only they were.
  private static let program: URL? = {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    return [folder.deletingLastPathComponent(), Bundle.main.bundleURL].map {
      $0.appendingPathComponent("runic")
    }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }()

  private let folder = NSTemporaryDirectory() + "runic-test-" + UUID().uuidString

  private func start(_ arguments: [String], output: FileHandle = .nullDevice) throws -> Process {
    let program = try #require(Self.program, "build the product runic first")
    let process = Process()
    process.executableURL = program
    process.arguments = ["--repo", folder + "/a"] + arguments
    process.environment = ["PATH": "/usr/bin:/bin", "HOME": folder].withSanitizerSettings
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  private func run(_ arguments: [String]) throws -> Int32 {
    let process = try start(arguments)
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func lines(_ arguments: [String]) throws -> [Substring] {
    let path = folder + "/output"
    try Data().write(to: URL(fileURLWithPath: path))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    let process = try start(arguments, output: handle)
    process.waitUntilExit()
    try handle.close()
    #expect(process.terminationStatus == 0)
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self).split(
      separator: "\n")
  }

  private func withRepository(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try #require(try run(["init", "--name", "a"]) == 0)
    try #require(try run(["remote", "add", "shared", folder + "/shared"]) == 0)
    try body()
  }

  @Test func whatAKilledProgramAcknowledgedIsListed() throws {
    try withRepository {
      let seed: UInt64 = 11
      var random = SeededRandom(seed: seed)
      var acknowledged: Set<Int> = []
      var killed = 0
      for number in 0..<60 {
        let process = try start(["record", "usage", "--provider", "claude", "--used", "\(number)"])
        // Long enough for some to finish, short enough for most not to.
        usleep(UInt32.random(in: 0...25_000, using: &random))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        if process.terminationReason == .exit, process.terminationStatus == 0 {
          acknowledged.insert(number)
        } else {
          killed += 1
        }
      }
      #expect(killed > 0, "seed \(seed)")
      #expect(try run(["record", "usage", "--provider", "claude", "--used", "1000"]) == 0)
      #expect(try run(["fsck"]) == 0)
      #expect(try run(["push"]) == 0)
      #expect(try run(["fsck", "shared"]) == 0)
      let listed = try lines(["list", "usage", "--json"])
      for number in acknowledged.union([1000]) {
        #expect(listed.contains { $0.contains("\"primaryUsed\":\(number),") }, "\(number), seed \(seed)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/a/tmp") == [])
    }
  }

  @Test func everyRecordOfEightProgramsAtOnceIsThere() throws {
    try withRepository {
      for round in 0..<4 {
        let processes = try (0..<8).map { number in
          try start(["record", "usage", "--provider", "p\(number)", "--used", "\(round)"])
        }
        for process in processes {
          process.waitUntilExit()
          #expect(process.terminationStatus == 0)
        }
      }
      #expect(try lines(["list", "usage", "--json"]).count == 32)
      #expect(try run(["fsck"]) == 0)
    }
  }
}
