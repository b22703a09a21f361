import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// What is known of a remote goes with its name, wherever the change of the name is cut off.
@Suite struct CrashRemoteTests {
  private static func prepare(_ bench: Workbench) throws {
    let a = try bench.begin("a")
    try a.use("claude", 1)
    _ = try a.push("shared")
  }

  private static func problems(_ bench: Workbench, named names: [String]) throws -> [String] {
    let (a, expected) = (try bench.open("a"), try known())
    return try a.configuration.remotes.compactMap { remote in
      if !names.contains(remote.name) { return "called \(remote.name)" }
      return try a.readTrust()[remote: remote.name] == expected ? nil : "\(remote.name) is not known"
    }
  }

  /// What a device knows of the remote: it is the same on each bench.
  private static func known() throws -> RemoteTrust {
    let bench = try Workbench()
    try prepare(bench)
    return try bench.open("a").readTrust()[remote: "shared"]
  }

  @Test(arguments: Blow.allCases)
  func aStruckRenamingForgetsNothing(_ blow: Blow) throws {
    let drill = try CrashDrill(Self.prepare) { bench in
      try bench.open("a").renameRemote("shared", to: "home")
    } problems: { bench, acknowledged in
      var problems = try Self.problems(bench, named: acknowledged ? ["home"] : ["shared", "home"])
      let a = try bench.open("a")
      if a.configuration.remotes.map(\.name) == ["shared"] { try a.renameRemote("shared", to: "home") }
      problems += try Self.problems(bench, named: ["home"])
      try a.use("claude", 2)
      _ = try a.push("home")
      return problems + (try a.faults())
    }
    #expect(try drill.run(blow) > 8)
  }

  @Test(arguments: Blow.allCases)
  func aStruckRemovalLeavesNothingForTheNextOfThatName(_ blow: Blow) throws {
    let drill = try CrashDrill(Self.prepare) { bench in
      try bench.open("a").removeRemote("shared")
    } problems: { bench, acknowledged in
      let a = try bench.open("a")
      let isGone = a.configuration.remotes.isEmpty
      if acknowledged, !isGone { return ["an acknowledged removal did not last"] }
      if !isGone { try a.removeRemote("shared") }
      try a.use("claude", 2)
      return try a.readTrust().remotes.isEmpty ? try a.faults() : ["it is still known"]
    }
    #expect(try drill.run(blow) > 8)
  }

  /// Nothing is known of a place that is named anew, whatever an earlier version left under that name.
  @Test func aRemoteThatIsAddedIsNotKnownYet() throws {
    let bench = try Workbench()
    try Self.prepare(bench)
    let a = try bench.open("a")
    try a.write { $0.trust.remotes["stick"] = $0.trust[remote: "shared"] }
    try a.addRemote(RemoteSetting(name: "stick", url: bench.path("stick")))
    #expect(try a.readTrust().remotes["stick"] == nil)
    #expect(throws: RunicError.self) {
      try a.addRemote(RemoteSetting(name: "shared", url: bench.path("stick")))
    }
    #expect(try a.readTrust()[remote: "shared"].pushed != nil)
  }
}
