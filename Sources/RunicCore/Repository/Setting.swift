import ObjectStore

/// A setting that exists, under the name that people type.
public enum Setting: String, CaseIterable, Sendable {
  case alertsCommand = "alerts.command"
  case hooksTimeout = "hooks.timeout"
  case keyCommand = "key.command"
  /// `NAME` stands for a remote's name.
  case remoteTimeout = "remote.NAME.timeout"
  case syncStrategy = "sync.strategy"
  case watchActive = "watch.active"
  case watchBackground = "watch.background"

  /// What every setting that is a number of seconds takes.
  public static let bounds = 1...86_400

  /// The seconds that count where nothing is set; nil for a setting that is no number of seconds.
  public var standardSeconds: Int? {
    switch self {
    case .hooksTimeout: 60
    case .remoteTimeout: RemoteOptions.defaultTimeout
    case .watchActive: 300
    case .watchBackground: 3600
    case .alertsCommand, .keyCommand, .syncStrategy: nil
    }
  }

  /// Whether it takes a value.
  func takes(_ value: String) -> Bool {
    if standardSeconds != nil { return Self.seconds(value) != nil }
    return self == .syncStrategy ? MergeStrategy(rawValue: value) != nil : true
  }

  /// The number of seconds that a value says; nil where it is none that a setting takes.
  static func seconds(_ value: String) -> Int? {
    Int(value).flatMap { bounds.contains($0) ? $0 : nil }
  }
}
