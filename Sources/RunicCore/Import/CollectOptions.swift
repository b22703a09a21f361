/// What a collection takes, and from where.
public struct CollectOptions: Sendable {
  /// The tools whose logs are read; nil for all that the preferences enable.
  public var importers: [any LogImporter]?
  /// Files that the user named: they are read whatever is known of them.
  public var files: [String] = []
  /// The output of `ccusage --json`, where the user hands it over.
  public var standardInput: [UInt8]?
  /// Nothing older is taken.
  public var since: Timestamp?
  /// Whether the folder that was worked in is stored.
  public var withProjects = false
  /// Whether it is only counted what would be stored.
  public var isDryRun = false

  public init() {}
}

/// What a collection found.
public struct CollectOutcome: Sendable {
  /// Records of one kind, by what became of them.
  public struct Tally: Hashable, Sendable {
    public var new = 0
    /// Known with lower numbers, or from an importer that was corrected since.
    public var updated = 0
    public var known = 0

    public init(new: Int = 0, updated: Int = 0, known: Int = 0) {
      self.new = new
      self.updated = updated
      self.known = known
    }
  }

  public var requests = Tally()
  public var readings = Tally()
  public var readFiles = 0
  /// Files that have not changed since they were read.
  public var unchangedFiles = 0
  public var bytes: Int64 = 0
  /// What was left out, and why.
  public var skipped: [ImportSkip: ImportSkipCount] = [:]

  public init() {}
}

/// How far a collection is.
public struct CollectProgress: Sendable {
  public let importer: String
  public let files: Int
  public let totalFiles: Int
  public let bytes: Int64
}

/// A log that the user named cannot be read: that is an error, where one that was found is only left out.
public struct UnreadableLog: Error, Equatable, Sendable {
  public let path: String
  public let skip: ImportSkip
  /// The log that it goes on from, where that is what cannot be read.
  public var parent: String?
}
