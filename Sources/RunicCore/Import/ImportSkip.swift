import ObjectStore

/// Why a part of the logs was left out. Nothing of it ends a run; the end says how much there was of each.
public enum ImportSkip: Hashable, Sendable {
  // MARK: Lines
  /// It is no JSON.
  case brokenLine
  /// The last line ends without an end of line and is no JSON: it is being written, or was cut off.
  case unfinishedLine
  case overlongLine
  /// A request without a time that can be read.
  case noTime
  /// A row whose token fields have names that nobody told us: they are not taken for zero.
  case unknownTokenFields
  /// A count of tokens that is no count: it is not taken for zero.
  case unreadableTokens
  /// An answer that is still being given: a later run takes it.
  case unfinishedAnswer

  // MARK: Files
  /// It went between the listing and the reading.
  case vanished
  /// The system would not let it be read; the error number.
  case unreadable(code: Int32)
  case symbolicLink
  /// A folder, a pipe or a device, where a file was named.
  case notAFile
  /// It should be one JSON document and is none.
  case brokenDocument
  /// A whole document that is larger than what is read at once.
  case oversized
  /// It is none of the formats that are known.
  case unknownFormat
  /// It goes on from another log, which is there and cannot be read now.
  case unreadableParent
  /// The program that reads such files is not installed.
  case programMissing(String)
  case programFailed(String, status: Int32)
  case programTimedOut(String)

  /// Whether a whole file was left out, not a line.
  public var concernsFile: Bool {
    switch self {
    case .brokenLine, .unfinishedLine, .overlongLine, .noTime, .unknownTokenFields, .unreadableTokens,
      .unfinishedAnswer:
      false
    default: true
    }
  }

  /// Whether a file that was left out may be whole: what kept it from being read can pass.
  var canPass: Bool {
    switch self {
    case .vanished, .unreadable, .programMissing, .programTimedOut: true
    // By a signal, as where memory was short.
    case .programFailed(_, let status): status > 128
    default: false
    }
  }
}

/// How often something was left out, and where first.
public struct ImportSkipCount: Hashable, Sendable {
  public var count: Int
  public let firstPath: String
  /// The log that the first one goes on from, where that is what cannot be read.
  public var firstParent: String?
}
