import CanonicalJSON
import ObjectStore

/// How far a window is used, against the thresholds of an alert.
public enum AlertLevel: String, CaseIterable, Comparable, Sendable {
  case fine, warning, critical

  public static func < (a: AlertLevel, b: AlertLevel) -> Bool { a.place < b.place }

  private var place: Int {
    switch self {
    case .fine: 0
    case .warning: 1
    case .critical: 2
    }
  }
}

/// What an alert record asks for.
public struct AlertRule: Hashable, Sendable {
  public let provider: String
  public let warning: Double
  public let critical: Double
  public let channels: [String]
  public let isEnabled: Bool

  public init(provider: String, warning: Double, critical: Double, channels: [String], isEnabled: Bool) {
    (self.provider, self.warning, self.critical) = (provider, warning, critical)
    (self.channels, self.isEnabled) = (channels, isEnabled)
  }

  /// From a payload of the kind `alert`, with the defaults of what it lacks; the id stands in for the provider.
  init(_ payload: JSONObject, id: [UInt8]) {
    let full = Kind.alert.withDefaults(payload)
    self.init(
      provider: full["providerID"]?.textValue ?? String(decoding: id, as: UTF8.self),
      warning: full["warningThreshold"]?.doubleValue ?? 1,
      critical: full["criticalThreshold"]?.doubleValue ?? 1,
      channels: full["notificationChannels"]?.arrayValue?.compactMap(\.textValue) ?? [],
      isEnabled: full["enabled"]?.boolValue ?? true)
  }

  /// The highest threshold that a part of the limit has reached.
  public func level(of ratio: Double) -> AlertLevel {
    if ratio >= critical { return .critical }
    return ratio >= warning ? .warning : .fine
  }
}

/// One window of a quota under one alert.
public struct AlertStanding: Hashable, Sendable {
  public let rule: AlertRule
  public let quota: QuotaStanding
  public let ratio: Double
  public let level: AlertLevel

  /// What an alert's window is called in the memory of what was said.
  var name: String { "\(rule.provider) \(quota.windowName)" }

  /// Holds every enabled alert against the windows of its provider, each by itself. A window without a limit is
  /// not judged; one that has ended is fine.
  public static func all(rules: [AlertRule], quotas: [QuotaStanding]) -> [AlertStanding] {
    rules.filter(\.isEnabled).flatMap { rule in
      quotas.compactMap { quota in
        guard ProviderName.canonical(rule.provider) == ProviderName.canonical(quota.provider),
          let ratio = quota.ratio
        else { return nil }
        return AlertStanding(
          rule: rule, quota: quota, ratio: ratio, level: quota.hasEnded ? .fine : rule.level(of: ratio))
      }
    }
  }
}
