import CanonicalJSON
import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// The n-th call of each command fails, for every n: nothing acknowledged is missing, nothing is left behind.
@Suite struct CrashCommandTests {
  /// Two devices that know each other, with something of `a`'s that the folder does not have yet.
  private static func prepare(_ bench: Workbench) throws {
    let a = try bench.begin("a")
    try a.use("claude", 1)
    try a.prefer(["theme": "dark"])
    _ = try a.push("shared")
    let b = try bench.join("b", of: a)
    _ = try b.pull("shared")
    try b.use("codex", 2)
    try b.prefer(["size": 2])
    _ = try b.push("shared")
    try a.use("claude", 3)
  }

  @Test(arguments: Blow.allCases)
  func aStruckRecordKeepsWhatWasAcknowledged(_ blow: Blow) throws {
    let drill = try CrashDrill(Self.prepare) { bench in
      try bench.open("a").use("claude", 4)
    } problems: { bench, acknowledged in
      try Aftermath.problems(bench, counting: acknowledged ? [1, 3, 4] : [1, 3])
    }
    #expect(try drill.run(blow) > 5)
  }

  @Test(arguments: Blow.allCases)
  func struckRecordsWithRollUpsKeepWhatWasAcknowledged(_ blow: Blow) throws {
    let drill = try CrashDrill(Self.prepare) { bench in
      let a = try bench.open("a")
      for amount in Int64(4)...7 { try a.use("claude", amount) }
      try a.write { transaction in
        transaction.rollsUpEverything = true
        try transaction.appendEmptyCommit()
      }
    } problems: { bench, acknowledged in
      try Aftermath.problems(bench, counting: acknowledged ? [1, 3, 4, 5, 6, 7] : [1, 3])
    }
    #expect(try drill.run(blow) > 30)
  }

  @Test(arguments: Blow.allCases)
  func aStruckPushLosesNothingOnEitherSide(_ blow: Blow) throws {
    let drill = try CrashDrill(Self.prepare) { bench in
      _ = try bench.open("a").push("shared")
    } problems: { bench, acknowledged in
      var problems: [String] = []
      if acknowledged {
        let b = try bench.open("b")
        _ = try b.pull("shared")
        if try b.usageCount != 3 { problems.append("an acknowledged push brought nothing") }
      }
      return problems + (try Aftermath.problems(bench, counting: [1, 3]))
    }
    #expect(try drill.run(blow) > 8)
  }

  @Test(arguments: Blow.allCases)
  func aStruckPullLosesNothingAndTheNextOneBringsAll(_ blow: Blow) throws {
    let drill = try CrashDrill(Self.prepare) { bench in
      _ = try bench.open("a").pull("shared")
    } problems: { bench, acknowledged in
      var problems: [String] = []
      if acknowledged, try bench.open("a").usageCount != 3 {
        problems.append("an acknowledged pull brought nothing")
      }
      _ = try bench.open("a").pull("shared")
      return problems + (try Aftermath.problems(bench, counting: [1, 2, 3]))
    }
    #expect(try drill.run(blow) > 8)
  }

  @Test(arguments: Blow.allCases)
  func aStruckPullThatResolvesAConflictLosesNothing(_ blow: Blow) throws {
    let drill = try CrashDrill { bench in
      try Self.prepare(bench)
      try bench.open("a").prefer(["size": 3])
    } act: { bench in
      _ = try bench.open("a").pull("shared", strategy: .preferLocal)
    } problems: { bench, acknowledged in
      var problems: [String] = []
      let a = try bench.open("a")
      _ = try a.pull("shared", strategy: .preferLocal)
      if try a.preferences?["size"] != 3 { problems.append("the value of this device's is not shown") }
      return problems + (try Aftermath.problems(bench, counting: [1, 2, 3]))
    }
    #expect(try drill.run(blow) > 8)
  }

  @Test(arguments: Blow.allCases)
  func aStruckPullThatFindsItselfClonedLosesNeitherBranch(_ blow: Blow) throws {
    let drill = try CrashDrill { bench in
      try Self.prepare(bench)
      try bench.copy("a", to: "twin")
      let twin = try bench.open("twin")
      try twin.use("twin", 9)
      _ = try twin.push("shared")
      try bench.open("a").use("claude", 4)
    } act: { bench in
      _ = try bench.open("a").pull("shared")
      _ = try bench.open("a").push("shared")
    } problems: { bench, _ in
      _ = try bench.open("a").pull("shared")
      return try Aftermath.problems(bench, counting: [1, 2, 3, 4, 9])
    }
    #expect(try drill.run(blow) > 20)
  }

  @Test(arguments: Blow.allCases)
  func afterAStruckInitASecondOneSucceeds(_ blow: Blow) throws {
    let drill = try CrashDrill { _ in
    } act: { bench in
      _ = try Repository.create(
        at: bench.path("new/place"), name: "new", passphrase: nil, environment: bench.environment)
    } problems: { bench, acknowledged in
      if try bench.fileSystem.status(bench.path("new/place/device.json")) == nil {
        if acknowledged { return ["an acknowledged repository is not there"] }
        _ = try bench.begin("new/place")
      } else {
        try bench.attach("shared", to: try bench.open("new/place"))
      }
      let first = try bench.open("new/place")
      _ = try first.push("shared")
      _ = try bench.join("b", of: first)
      return try Aftermath.problems(bench, struck: "new/place")
    }
    #expect(try drill.run(blow) > 5)
  }

  @Test(arguments: Blow.allCases)
  func afterAStruckCloneASecondOneSucceeds(_ blow: Blow) throws {
    let drill = try CrashDrill(Self.prepare) { bench in
      _ = try bench.join("c", of: try bench.open("b"))
      _ = try bench.open("c").pull("shared")
    } problems: { bench, acknowledged in
      if try bench.fileSystem.status(bench.path("c/device.json")) == nil {
        if acknowledged { return ["an acknowledged clone is not there"] }
        _ = try bench.join("c", of: try bench.open("b"))
      }
      _ = try bench.open("c").pull("shared")
      return try Aftermath.problems(bench, struck: "c", counting: [1, 2])
    }
    #expect(try drill.run(blow) > 20)
  }

  @Test(arguments: Blow.allCases)
  func afterAStruckMakingOfTheSharedFolderASecondOneSucceeds(_ blow: Blow) throws {
    let setting = { (bench: Workbench) in RemoteSetting(name: "shared", url: bench.path("shared")) }
    let drill = try CrashDrill { bench in
      let a = try Repository.create(
        at: bench.path("a"), name: "a", passphrase: nil, environment: bench.environment)
      try a.configure { try $0.add(setting(bench)) }
      try a.use("claude", 1)
    } act: { bench in
      _ = try bench.open("a").prepareRemote(setting(bench))
    } problems: { bench, _ in
      let a = try bench.open("a")
      _ = try a.prepareRemote(setting(bench))
      _ = try a.push("shared")
      _ = try bench.join("b", of: a)
      return try a.faults() + a.faultsOfRemote()
    }
    #expect(try drill.run(blow) > 8)
  }
}
