import CanonicalJSON

/// A reading of an account's quota that a log holds: what becomes a `usage` record.
///
/// It says nothing of the device that found it, so that one log on two machines is one reading.
public struct QuotaReading: Hashable, Sendable {
  /// As quota readings and alerts name the provider.
  public let provider: String
  /// When the provider said so.
  public let time: Timestamp
  public let primary: Window
  public let secondary: Window?

  /// How much of a window is used, in hundredths of a percent.
  public struct Window: Hashable, Sendable {
    public let used: Int64
    /// When the window ends and the next one begins, from nothing; nil where nobody says so.
    public let resets: Timestamp?

    public static let limit: Int64 = 10_000

    /// Nil for what is no share: below 0, or far above all of it.
    public init?(percent: Double?, resets: Timestamp? = nil) {
      guard let percent, percent >= 0, percent <= 1_000_000 else { return nil }
      used = Int64((percent * 100).rounded())
      self.resets = resets
    }
  }

  public init(provider: String, time: Timestamp, primary: Window, secondary: Window?) {
    self.provider = provider
    self.time = time
    self.primary = primary
    self.secondary = secondary
  }

  func appendPayload(to bytes: inout [UInt8]) {
    var writer = PayloadWriter(bytes: bytes)
    bytes = []
    writer.count("primaryLimit", Window.limit)
    writer.text("primaryResetsAt", primary.resets?.text)
    writer.count("primaryUsed", primary.used)
    writer.text("providerID", provider)
    if let secondary {
      writer.count("secondaryLimit", Window.limit)
      writer.text("secondaryResetsAt", secondary.resets?.text)
      writer.count("secondaryUsed", secondary.used)
    }
    writer.text("updatedAt", time.text)
    bytes = writer.finish()
  }
}
