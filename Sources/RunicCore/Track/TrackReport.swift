import CanonicalJSON
import ObjectStore

/// Why a tracked file, or its record, is left as it is.
public enum TrackProblem: Error, Equatable, Sendable {
  case absent
  case content(SettingsError)
  /// A field that the record's kind knows holds what it must not.
  case field(String, FieldProblem)
  /// More than a payload may hold.
  case tooLarge
  /// It is no plain file: a link, a folder.
  case odd
  case system(SystemError)
  /// Nobody may write it, as its mode says: it is taken from, and not written.
  case readOnly
  /// Somebody wrote it while it was about to be replaced.
  case changedMeanwhile
  /// More than half of the keys that it held are gone.
  case massRemoval(lost: Int, of: Int)
}

/// What became of one tracked file.
public struct TrackReport: Sendable {
  public let file: TrackedFile
  /// Keys whose values went into the record, or were removed from it.
  public var captured: [JSONString] = []
  /// Keys that differ from the record without anything that says which side was edited.
  public var waiting: [JSONString] = []
  /// Keys of the file that were changed, or removed, to be as the record shows them.
  public var written: [JSONString] = []
  public var problem: TrackProblem?

  init(_ file: TrackedFile) { self.file = file }

  /// Whether there is nothing to say.
  public var isQuiet: Bool { captured.isEmpty && written.isEmpty && waiting.isEmpty && problem == nil }
}

/// How a person answers what a tracked file asks.
public struct TrackAnswer: Sendable {
  /// Which side stands where file and record differ and there is no base.
  public var choice: SourceChoice?
  /// Whether the loss of more than half of the keys is meant.
  public var allowsMassRemoval = false

  public init(choice: SourceChoice? = nil, allowsMassRemoval: Bool = false) {
    self.choice = choice
    self.allowsMassRemoval = allowsMassRemoval
  }
}
