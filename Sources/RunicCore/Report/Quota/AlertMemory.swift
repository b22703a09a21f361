import CanonicalJSON
import ObjectStore

/// What was said of which window, so that nobody is told twice. Private to a device.
///
/// `{"format":1,"windows":{NAME:{"level","used"}}}`
struct AlertMemory: Equatable {
  struct Said: Equatable {
    var level: AlertLevel
    /// As the latest reading that was looked at had it.
    var used: Int64
  }

  private(set) var windows: [String: Said] = [:]

  /// Takes note of where the windows stand, and answers those of which something new is to be said: a level higher
  /// than any that was said of the window since it was last below all thresholds. It stays new until `noteSaid`.
  ///
  /// A window that was reset and used again between two looks shows by having fallen by more than half.
  mutating func take(_ standings: [AlertStanding]) -> [AlertStanding] {
    standings.filter { standing in
      let known = windows[standing.name]
      let isReset = known.map { standing.quota.used < $0.used / 2 } ?? true
      let said = isReset || standing.level == .fine ? nil : known?.level
      windows[standing.name] = said.map { Said(level: $0, used: standing.quota.used) }
      return standing.level > said ?? .fine
    }
  }

  mutating func noteSaid(_ standing: AlertStanding) {
    windows[standing.name] = Said(level: standing.level, used: standing.quota.used)
  }
}

extension AlertMemory {
  init?(json: JSONObject) {
    guard let windows = json["windows"]?.objectValue else { return nil }
    for (name, value) in windows {
      guard let level = value["level"]?.textValue.flatMap(AlertLevel.init(rawValue:)),
        let used = value["used"]?.intValue
      else { return nil }
      self.windows[name.string] = Said(level: level, used: used)
    }
  }

  var json: JSONObject {
    let members = windows.map { name, said in
      let value: JSONValue = ["level": .string(JSONString(said.level.rawValue)), "used": .integer(said.used)]
      return (key: JSONString(name), value: value)
    }
    return ["format": 1, "windows": .object(JSONObject(members))]
  }
}

extension RepositoryLayout {
  /// What `alerts check` said of which window.
  public var alerts: String { "\(root)/alerts" }
  /// Held while alerts are said: not the repository's own lock, since programs run meanwhile.
  public var alertsLock: String { "\(root)/alerts.lock" }
  /// The user's own prices, which stand over the built-in ones.
  public var prices: String { "\(root)/prices.json" }
}

extension Repository {
  /// Has what is new said, and notes each that was: what was not, because this process ended or `say` answers false, is
  /// new to whoever asks next. While another process is at it nothing is said here.
  ///
  /// - Returns: what was new here.
  public func announce(
    _ standings: [AlertStanding], say: (AlertStanding) throws -> Bool
  ) throws -> [AlertStanding] {
    guard let lock = try FileLock.acquireIfFree(layout.alertsLock, in: environment.fileSystem) else {
      return []
    }
    return try withExtendedLifetime(lock) {
      // What cannot be read is only a memory: at worst something is said again.
      var memory =
        (try? files.readObject(layout.alerts)).flatMap { $0 }.flatMap(AlertMemory.init(json:))
        ?? AlertMemory()
      let before = memory
      let news = memory.take(standings)
      if memory != before { try files.writeObject(memory.json, to: layout.alerts) }
      for standing in news where try say(standing) {
        memory.noteSaid(standing)
        try files.writeObject(memory.json, to: layout.alerts)
      }
      return news
    }
  }

  /// The price table: the built-in one under the user's own, where there is one beside `config.json`.
  ///
  /// - Throws: `PriceFileError`.
  public func priceTable() throws -> PriceTable {
    guard let bytes = try files.read(layout.prices) else { return .builtIn }
    return PriceTable.builtIn.overridden(by: try PriceTable(decoding: bytes), path: layout.prices)
  }
}
