import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// A repository that may be read and not written.
@Suite struct MishapReadOnlyTests {
  enum Look: CaseIterable { case difference, check, examination }

  /// `EROFS`, which has this value on Linux and macOS.
  private static let readOnly: Int32 = 30

  @Test(arguments: Look.allCases)
  func aLookAtARemoteNeedsNoRoomHere(look: Look) throws {
    let bench = try Workbench()
    let a = try bench.begin("a")
    try a.use("claude", 1)
    _ = try a.push("shared")
    try a.use("claude", 2)
    try bench.disk.makeFolders("/scratch")
    let disk = FaultyFileSystem(bench.disk)
    let environment = Environment(
      fileSystem: disk, clock: bench.clock.clock, random: bench.random,
      remotes: RemoteOptions(runner: SystemProgramRunner(), scratch: "/scratch"))
    let reader = try Repository.open(at: bench.path("a"), environment: environment)
    let before = try bench.disk.tree(bench.path("a"))
    disk.setFault(.init(call: 1, code: Self.readOnly, .once, only: [.lock]))
    switch look {
    case .difference: #expect(try reader.difference(from: "shared").outgoing.count == 1)
    case .check: #expect(try reader.check(remote: "shared").damage == [])
    case .examination: #expect(try reader.examine(try reader.configuration.remote("shared")).ahead == 1)
    }
    #expect(disk.failures == 1)
    #expect(try bench.disk.tree(bench.path("a")) == before)
    #expect(try bench.disk.list("/scratch").isEmpty)
  }
}
