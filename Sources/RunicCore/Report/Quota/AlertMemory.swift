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
  /// than any that was said of the window since it was last below all thresholds.
  ///
  /// A window that was reset and used again between two looks shows by having fallen by more than half.
  mutating func take(_ standings: [AlertStanding]) -> [AlertStanding] {
    standings.filter { standing in
      let known = windows[standing.name]
      let isReset = known.map { standing.quota.used < $0.used / 2 } ?? true
      let said = isReset ? .fine : known?.level ?? .fine
      guard standing.level > .fine else {
        windows[standing.name] = nil
        return false
      }
      windows[standing.name] = Said(level: max(said, standing.level), used: standing.quota.used)
      return standing.level > said
    }
  }

  /// Forgets that something was said: it could not be.
  mutating func takeBack(_ standings: [AlertStanding]) {
    for standing in standings { windows[standing.name] = nil }
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
  /// The user's own prices, which stand over the built-in ones.
  public var prices: String { "\(root)/prices.json" }
}

extension Repository {
  /// Notes what is to be said now, and answers it: whoever asks next is not told again.
  public func claimAnnouncements(_ standings: [AlertStanding]) throws -> [AlertStanding] {
    try changeAlertMemory { $0.take(standings) }
  }

  /// Undoes `claimAnnouncements` for what could not be said.
  public func takeBackAnnouncements(_ standings: [AlertStanding]) throws {
    try changeAlertMemory { $0.takeBack(standings) }
  }

  private func changeAlertMemory<Result>(_ change: (inout AlertMemory) -> Result) throws -> Result {
    let lock = try lock()
    return try withExtendedLifetime(lock) {
      // What cannot be read is only a memory: at worst something is said again.
      var memory =
        (try? files.readObject(layout.alerts)).flatMap { $0 }.flatMap(AlertMemory.init(json:))
        ?? AlertMemory()
      let before = memory
      let result = change(&memory)
      if memory != before { try files.writeObject(memory.json, to: layout.alerts) }
      return result
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
