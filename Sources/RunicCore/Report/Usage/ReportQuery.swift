import ObjectStore

/// What the rows of a report stand for.
public enum ReportGrouping: String, CaseIterable, Sendable {
  case daily, weekly, monthly, blocks, provider, model, device, account, session

  /// Whether a row is a stretch of time.
  public var isPeriod: Bool {
    switch self {
    case .daily, .weekly, .monthly, .blocks: true
    case .provider, .model, .device, .account, .session: false
    }
  }
}

/// What a report is asked.
public struct ReportQuery: Sendable {
  public var grouping: ReportGrouping
  public var zone: ZoneRules
  public var prices: PriceTable
  /// The table's prices, also where a log states a cost.
  public var ignoresLoggedCosts = false
  /// Seconds since 1970; the end is not included.
  public var range: Range<Int64> = -ZoneRules.horizon..<ZoneRules.horizon
  /// Nil: of all.
  public var devices: Set<DeviceID>?
  /// In either of a provider's names; nil: of all.
  public var providers: Set<String>? {
    didSet { canonicalProviders = providers.map { Set($0.map { ProviderName.canonical(Array($0.utf8)) }) } }
  }
  private(set) var canonicalProviders: Set<[UInt8]>?
  /// Keeps days apart by device too, for charts; see `Report.cube`.
  public var keepsCube = false

  public init(grouping: ReportGrouping, zone: ZoneRules, prices: PriceTable = .builtIn) {
    (self.grouping, self.zone, self.prices) = (grouping, zone, prices)
  }
}
