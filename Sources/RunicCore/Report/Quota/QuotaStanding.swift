import ObjectStore

/// One of the two windows of a quota.
public enum QuotaWindow: String, CaseIterable, Hashable, Sendable {
  case primary, secondary
}

/// The newest that is known of one window of one account.
public struct QuotaStanding: Hashable, Sendable {
  /// As the reading names it.
  public let provider: String
  /// Nil where the reading names none: then each device has its own.
  public let account: String?
  public let device: DeviceID
  public let window: QuotaWindow
  public let used: Int64
  /// Nil where the reading names none.
  public let limit: Int64?
  public let cost: Money?
  /// Seconds since 1970 at which it was read.
  public let seconds: Int64
  /// Seconds since 1970 at which the window ends; nil where the reading does not say.
  public let resets: Int64?
  /// Whether the window was over by the time that was asked about: nobody knows what is used of the next one.
  public let hasEnded: Bool

  /// The part of the limit that is used; nil without a limit above 0.
  public var ratio: Double? {
    guard let limit, limit > 0 else { return nil }
    return Double(used) / Double(limit)
  }

  /// Tells windows apart, also between commands: provider, account or device, window.
  public var windowName: String {
    let owner = account.map { "account:\($0)" } ?? "device:\(device.hex)"
    return "\(ProviderName.canonical(provider)) \(window.rawValue) \(owner)"
  }
}

/// Finds the newest reading of each window, from readings in any order (`docs/report.md`, "Quotas").
///
/// Two machines that report one account report one quota: the newest counts, never the sum. A reading more than a day
/// ahead of the clock is never the newest.
public struct QuotaBoard {
  private struct Place: Hashable {
    let provider: [UInt8]
    let account: [UInt8]
    let device: DeviceID?
    let window: QuotaWindow
  }

  /// What decides between readings of one window, the greatest is shown.
  private struct Instant: Comparable {
    let seconds: Int64
    let nanoseconds: Int64
    let used: Int64
    /// 1 where it says when the window ends: without that an old one would stand for ever.
    let ends: Int
    let payload: [UInt8]

    static func < (a: Instant, b: Instant) -> Bool {
      let first = (a.seconds, a.nanoseconds, a.used, a.ends)
      let second = (b.seconds, b.nanoseconds, b.used, b.ends)
      return first == second ? a.payload.lexicographicallyPrecedes(b.payload) : first < second
    }
  }

  private let now: Int64
  private let latest: Int64
  private var newest: [Place: (instant: Instant, standing: QuotaStanding)] = [:]

  /// - Parameter now: in milliseconds since 1970.
  public init(now: Int64) {
    self.now = now.flooredQuotient(1000)
    latest = self.now + 86_400
  }

  /// Takes in one `usage` record: canonical JSON, and the 16 bytes of its device.
  public mutating func add(payload: UnsafeRawBufferPointer, device: UnsafeRawBufferPointer) {
    guard device.count == DeviceID.byteCount, let reading = QuotaFields(payload), reading.seconds <= latest
    else { return }
    for window in QuotaWindow.allCases {
      take(window, reading[window], reading, DeviceID(exactly: device), payload)
    }
  }

  private mutating func take(
    _ window: QuotaWindow, _ fields: QuotaFields.Window, _ reading: QuotaFields, _ device: DeviceID,
    _ payload: UnsafeRawBufferPointer
  ) {
    guard let used = fields.used else { return }
    let provider = JSONText.unescaped(reading.provider)
    let account = JSONText.unescaped(reading.account)
    let place = Place(
      provider: ProviderName.canonical(provider), account: account, device: account.isEmpty ? device : nil,
      window: window)
    let isOlder = newest[place].map {
      ($0.instant.seconds, $0.instant.nanoseconds) > (reading.seconds, reading.nanoseconds)
    }
    if isOlder == true { return }
    let instant = Instant(
      seconds: reading.seconds, nanoseconds: reading.nanoseconds, used: used,
      ends: fields.resets == nil ? 0 : 1, payload: Array(payload))
    if let known = newest[place], !(known.instant < instant) { return }
    newest[place] = (
      instant,
      QuotaStanding(
        provider: String(decoding: provider, as: UTF8.self),
        account: account.isEmpty ? nil : String(decoding: account, as: UTF8.self), device: device,
        window: window, used: used, limit: fields.limit, cost: Money(decimal: reading.cost),
        seconds: reading.seconds, resets: fields.resets, hasEnded: fields.resets.map { $0 <= now } ?? false)
    )
  }

  /// By provider, account, device and window.
  public var standings: [QuotaStanding] {
    newest.values.map(\.standing).sorted { a, b in
      let (first, second) = ((a.provider, a.account ?? ""), (b.provider, b.account ?? ""))
      if first != second { return first < second }
      return a.device == b.device ? a.window.rawValue < b.window.rawValue : a.device < b.device
    }
  }
}

/// What is read of a quota reading, where it lies.
private struct QuotaFields {
  var provider = UnsafeRawBufferPointer(start: nil, count: 0)
  var account = UnsafeRawBufferPointer(start: nil, count: 0)
  var cost = UnsafeRawBufferPointer(start: nil, count: 0)
  var primary = Window()
  var secondary = Window()
  var seconds: Int64 = -ZoneRules.horizon
  var nanoseconds: Int64 = 0

  struct Window {
    var used: Int64?
    var limit: Int64?
    /// Seconds since 1970.
    var resets: Int64?
  }

  subscript(window: QuotaWindow) -> Window { window == .primary ? primary : secondary }

  init?(_ payload: UnsafeRawBufferPointer) {
    var scan = FlatScan(payload)
    guard scan.begin() else { return nil }
    while let key = scan.key(), let value = scan.value() { take(key, value) }
  }

  private mutating func take(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
    if key.equals("providerID") { provider = value.unquoted }
    if key.equals("accountEmail") { account = value.unquoted }
    if key.equals("costUSD") { cost = value }
    if key.equals("primaryUsed") { primary.used = value.signed64 }
    if key.equals("primaryLimit") { primary.limit = value.signed64 }
    if key.equals("primaryResetsAt") { primary.resets = CompactTime.seconds(value.unquoted) }
    if key.equals("secondaryUsed") { secondary.used = value.signed64 }
    if key.equals("secondaryLimit") { secondary.limit = value.signed64 }
    if key.equals("secondaryResetsAt") { secondary.resets = CompactTime.seconds(value.unquoted) }
    if key.equals("updatedAt"), let time = CompactTime.seconds(value.unquoted) {
      (seconds, nanoseconds) = (time, CompactTime.nanoseconds(value.unquoted))
    }
  }
}

extension UnsafeRawBufferPointer {
  /// An integer inside Int64; nil for anything else.
  fileprivate var signed64: Int64? { Int64(String(decoding: self, as: UTF8.self)) }
}

extension CompactTime {
  /// What stands after the point, up to nine digits.
  static func nanoseconds(_ text: UnsafeRawBufferPointer) -> Int64 {
    guard text.count > 21, text[19] == UInt8(ascii: ".") else { return 0 }
    var (value, digits): (Int64, Int) = (0, 0)
    for byte in text[20...].prefix(9) where byte &- 0x30 < 10 {
      value = value * 10 + Int64(byte &- 0x30)
      digits += 1
    }
    while digits < 9 {
      value *= 10
      digits += 1
    }
    return value
  }
}
