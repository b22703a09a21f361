/// When progress is shown: once a step has taken half a second, and then so often that it reads well.
struct ProgressPace {
  /// How long a step goes on before anything is said of it, in milliseconds.
  static let patience: Int64 = 500
  /// How long a line stays at least, in milliseconds.
  static let interval: Int64 = 100

  private var began: Int64?
  private var shown: Int64?

  /// Whether a line is to be shown now; then it counts as shown.
  mutating func isDue(now: Int64) -> Bool {
    guard let began else {
      began = now
      return false
    }
    guard now &- began >= Self.patience, shown.map({ now &- $0 >= Self.interval }) ?? true else {
      return false
    }
    shown = now
    return true
  }
}
