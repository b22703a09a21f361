#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import RunicCore

// All that an app needs of Foundation. It stands in a module of its own, so that a program which needs none of it
// links none of it.

extension Timestamp {
  /// The instant of a date, to the millisecond; nil outside the years 0001 to 9999.
  public init?(_ date: Date) {
    let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
    guard let exact = Int64(exactly: milliseconds) else { return nil }
    self.init(milliseconds: exact)
  }

  /// The instant as a date. Digits finer than about a tenth of a microsecond are lost: a date is a double.
  public var date: Date {
    Date(timeIntervalSince1970: Double(seconds) + (Double("0.\(fraction)") ?? 0))
  }
}

extension SyncableRecord {
  /// `modifiedAt` as a date.
  public var modifiedDate: Date? { modifiedAt?.date }
}

extension SyncResult {
  /// `completedAt` as a date.
  public var completionDate: Date? { completedAt?.date }
}

extension UsageSnapshotSyncRecord {
  /// A reading that was taken at a date; one that a timestamp cannot say is filled in when it is recorded.
  public init(providerID: String, primaryUsed: Int64, primaryLimit: Int64? = nil, at date: Date) {
    self.init(
      providerID: providerID, primaryUsed: primaryUsed, primaryLimit: primaryLimit,
      updatedAt: Timestamp(date))
  }
}
