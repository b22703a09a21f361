import CanonicalJSON
import Testing

@testable import RunicCore

@Suite struct ConfigurationTests {
  /// As whoever edits `config.json` by hand may have it.
  private func configuration(_ settings: [String: String]) throws -> Configuration {
    var json = try Configuration.withRemote("nas").json
    json["settings"] = .object(JSONObject(settings.mapValues { .string(JSONString($0)) }))
    return try #require(Configuration(json: json))
  }

  @Test(arguments: ["-5", "0", "86401", "99999999999999999", "9223372036854775808", "1.5", "soon", ""])
  func aTimeThatNoSettingTakesIsNotObeyed(_ value: String) throws {
    let read = try configuration(["hooks.timeout": value, "remote.nas.timeout": value])
    #expect(read.hookTimeLimit == 60)
    #expect(read.timeout(ofRemote: "nas") == nil)
    let watching = try configuration(["watch.active": value, "watch.background": value])
    let standard = WatchSchedule.Intervals(watching)
    #expect(standard.active == 300_000 && standard.background == 3_600_000)
    var typed = try Configuration.withRemote("nas")
    for key in ["hooks.timeout", "watch.active", "watch.background", "remote.nas.timeout"] {
      #expect(throws: RunicError.self, "\(key)") { try typed.set(key, to: value) }
    }
  }

  @Test(arguments: ["1", "86400"]) func aTimeWithinTheBoundsIs(_ value: String) throws {
    let read = try configuration(["hooks.timeout": value, "remote.nas.timeout": value])
    #expect(read.hookTimeLimit == Int(value))
    #expect(read.timeout(ofRemote: "nas") == Int(value))
    let intervals = WatchSchedule.Intervals(try configuration(["watch.active": value]))
    #expect(intervals.active == Int64(value).map { $0 * 1000 })
  }

  @Test func aNumberWithoutQuotesIsOne() throws {
    var json = try Configuration.withRemote("nas").json
    json["settings"] = ["hooks.timeout": 300, "watch.active": [300], "watch.background": true]
    let read = try #require(Configuration(json: json))
    #expect(read.hookTimeLimit == 300)
    #expect(read.disregarded == ["watch.active", "watch.background"])
  }

  @Test func whatCountsAsNotSetIsNamedAndMayBeTakenOut() throws {
    var read = try configuration([
      "hooks.timeout": "soon", "hooks.time": "5", "remote.gone.timeout": "5", "remote.nas.timeout": "5",
      "sync.strategy": "manual",
    ])
    #expect(read.disregarded == ["hooks.time", "hooks.timeout", "remote.gone.timeout"])
    for key in read.disregarded { try read.unset(key) }
    #expect(read.settings == ["remote.nas.timeout": "5", "sync.strategy": "manual"])
    #expect(throws: RunicError.self) { try read.unset("hooks.time") }
  }

  @Test func aSettingOfARemoteThatIsNotThereIsRefused() throws {
    var typed = try Configuration.withRemote("nas")
    for key in ["remote.other.timeout", "remote.nas.timeouts", "remote.timeout", "hooks.time", "timeout"] {
      #expect(throws: RunicError.self, "\(key)") { try typed.set(key, to: "5") }
    }
  }
}

extension Configuration {
  fileprivate static func withRemote(_ name: String) throws -> Configuration {
    var configuration = Configuration()
    try configuration.add(RemoteSetting(name: name, url: "/share"))
    return configuration
  }
}
