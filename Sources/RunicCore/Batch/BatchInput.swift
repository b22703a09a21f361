/// Where lines come from.
public enum BatchInput {
  /// The next piece, nil at the end. Whoever writes it may be slow, so it is read to the end before the repository's
  /// lock is taken.
  case stream(() throws -> [UInt8]?)
  /// Read while the lock is held.
  case file(FileInput)
}

/// Input that lies still: it can be read at any offset, and more than once.
public struct FileInput {
  /// In bytes, when it was opened.
  public let length: Int64
  /// Up to so many bytes at an offset; none at the end.
  public let read: (_ count: Int, _ offset: Int64) throws -> [UInt8]

  public init(length: Int64, read: @escaping (_ count: Int, _ offset: Int64) throws -> [UInt8]) {
    (self.length, self.read) = (length, read)
  }
}
