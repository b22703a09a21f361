/// What saves its reader some work and is no part of a value: with any hint or none, a value is the same.
struct Hint<Value: Sendable>: Hashable, Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }

  static func == (left: Hint, right: Hint) -> Bool { true }

  func hash(into hasher: inout Hasher) {}
}
