import ObjectStore

/// A model, and who bills it.
public struct ModelName: Hashable, Comparable, Sendable {
  /// In the name that requests and prices use.
  public let provider: String
  /// Empty where the log did not say.
  public let model: String

  public init(provider: String, model: String) { (self.provider, self.model) = (provider, model) }

  public static func < (a: ModelName, b: ModelName) -> Bool { (a.provider, a.model) < (b.provider, b.model) }
}

/// What one row of a report is about.
public enum ReportKey: Hashable, Sendable {
  /// Seconds since 1970 at its beginning, and how it is called: `2026-09-05`, `2026-W36`, `2026-09`.
  case period(start: Int64, name: String)
  case provider(String)
  case model(ModelName)
  case device(DeviceID)
  /// Nil: the record names none.
  case account(String?)
  case session(String?)
}

public struct ReportRow: Sendable {
  public let key: ReportKey
  public var sum = UsageSum()
  /// By provider and name.
  public var models: [(name: ModelName, sum: UsageSum)] = []
  /// Of a five-hour block.
  public var block: UsageBlock?

  init(key: ReportKey) { self.key = key }
}

/// What requests came to, by day, week, month, block, or by whoever made and billed them.
public struct Report: Sendable {
  public var rows: [ReportRow]
  public var totals: UsageSum
  /// Tokens without a price, by model, most first.
  public var unpriced: [(name: ModelName, tokens: Int64)]
  /// Rows of other programs that were left out, because the same device has requests of the same days.
  public var leftOutRows: Int
  /// Records that a report cannot read: without a time.
  public var unreadable: Int
  /// What the charts are drawn from, where it was asked for.
  public var cube: [CubeCell]

  /// All that it speaks of.
  public var devices: Set<DeviceID> {
    var devices = Set(cube.map(\.device))
    for row in rows { if case .device(let device) = row.key { devices.insert(device) } }
    return devices
  }
}

/// What one device used of one model on one day.
public struct CubeCell: Sendable {
  /// Counted from 1970-01-01, in the report's zone.
  public let day: Int64
  public let device: DeviceID
  public let model: ModelName
  public let sum: UsageSum
}
