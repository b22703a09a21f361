import ObjectStore

/// How fast a transfer is: what has passed since its first sight, over the time since then.
struct TransferRate {
  private var first: (time: Int64, progress: TransferProgress)?

  /// A rate over less than this, in milliseconds, is noise.
  private static let least: Int64 = 500

  /// Takes how far the transfer is.
  ///
  /// - Parameter now: milliseconds since 1970.
  /// - Returns: bytes a second; nil while too little time has passed.
  mutating func take(_ progress: TransferProgress, now: Int64) -> Int64? {
    // Less than before, or measured by something else: another transfer has begun.
    guard let first, first.progress.bytes <= progress.bytes,
      first.progress.allBytes == progress.allBytes, first.progress.allFiles == progress.allFiles
    else {
      self.first = (now, progress)
      return nil
    }
    let passed = now &- first.time
    guard passed >= Self.least else { return nil }
    return Int64(Double(progress.bytes - first.progress.bytes) / Double(passed) * 1000)
  }
}
