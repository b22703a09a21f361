import ObjectStore

/// A proof that a log still begins with what was read of it: its first and last bytes up to there.
///
/// Logs carry times and unique ids in every line, so what begins and ends alike at the same offset is the
/// same; to read all of it again would cost as much as to import it again.
struct LogSample: Hashable {
  /// Hexadecimal digits.
  let text: String

  private static let length = 4096

  init(text: String) { self.text = text }

  init(of file: borrowing OpenFile, upTo end: Int64) throws(SystemError) {
    let count = Int(min(end, Int64(Self.length)))
    let bytes = try file.read(count, at: 0) + file.read(count, at: end &- Int64(count))
    text = String(SHA256.hash(bytes).hex.prefix(16))
  }
}
