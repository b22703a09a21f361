import Foundation
import ObjectStore
import Synchronization
import TestSupport
import Testing

@testable import RunicCore

/// Many writers at once, on real files with real locks.
@Suite struct CrashConcurrentTests {
  private static let writers = 8
  private static let records = 8

  /// A folder of its own, removed in the end.
  private func withFolder(_ body: (String) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "runic-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(folder)
  }

  private var environment: Environment {
    Environment(fileSystem: PosixFileSystem(), clock: .system, random: .system, lockWait: 120_000)
  }

  /// Runs a body in threads of the system: each waits for locks as a process would.
  private func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) throws -> Void) -> [String] {
    let failures = Mutex<[String]>([])
    return withExtendedLifetime(Box(failures)) { box in
      let group = DispatchGroup()
      for number in 0..<count {
        group.enter()
        Thread.detachNewThread {
          do { try body(number) } catch { box.add("\(number): \(error)") }
          group.leave()
        }
      }
      group.wait()
      return box.all
    }
  }

  private final class Box: Sendable {
    private let failures: Mutex<[String]>
    init(_ failures: consuming Mutex<[String]>) { self.failures = failures }
    func add(_ text: String) { failures.withLock { $0.append(text) } }
    var all: [String] { failures.withLock { $0 } }
  }

  @Test func everyRecordOfEightWritersIsThereAndNoneFailed() throws {
    try withFolder { folder in
      let environment = environment
      let place = folder + "/a"
      let first = try Repository.create(at: place, name: "a", passphrase: nil, environment: environment)
      let shared = RemoteSetting(name: "shared", url: folder + "/shared")
      try first.configure { try $0.add(shared) }
      _ = try first.prepareRemote(shared)
      let failures = inThreads(Self.writers) { writer in
        for number in 0..<Self.records {
          let device = try Repository.open(at: place, environment: environment)
          guard try device.use("writer\(writer)", Int64(number)) else { throw RunicError.badKeyString }
          _ = try device.usageCount
          if number % 4 == writer % 4 { _ = try device.push("shared") }
          if number % 4 == (writer + 1) % 4 { _ = try device.pull("shared") }
        }
      }
      #expect(failures == [])
      #expect(try first.usageCount == Self.writers * Self.records)
      _ = try first.push("shared")
      #expect(try first.faults() + first.faultsOfRemote() == [])
    }
  }
}
