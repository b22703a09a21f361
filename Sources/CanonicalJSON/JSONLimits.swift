/// Bounds that hold wherever nobody sets others.
public enum JSONLimits {
  /// How many arrays and objects may stand inside one another.
  public static let nesting = 128
}
