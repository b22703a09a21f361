/// The members of a JSON object: unique keys, always in canonical order (RFC 8785, 3.2.3).
public struct JSONObject: Hashable, Sendable {
  struct Member: Hashable, Sendable {
    let key: JSONString
    var value: JSONValue
  }

  private var members: [Member] = []

  public init() {}

  /// Of members with the same key the last one stays.
  public init(_ members: some Sequence<(key: JSONString, value: JSONValue)>) {
    for (key, value) in members { self[key] = value }
  }

  /// - Parameter members: with keys that ascend strictly.
  init(sorted members: [Member]) { self.members = members }

  /// The value of a key; setting nil removes the member. Reading is O(log count), adding or removing O(count).
  public subscript(key: JSONString) -> JSONValue? {
    get {
      let place = place(of: key)
      return place.isFound ? members[place.index].value : nil
    }
    set {
      let place = place(of: key)
      switch (newValue, place.isFound) {
      case (let value?, true): members[place.index].value = value
      case (let value?, false): members.insert(Member(key: key, value: value), at: place.index)
      case (nil, true): members.remove(at: place.index)
      case (nil, false): break
      }
    }
  }

  /// Where a key is, or would have to stand.
  private func place(of key: JSONString) -> (index: Int, isFound: Bool) {
    // Members mostly arrive in order.
    guard let last = members.last, last.key >= key else { return (members.count, false) }
    var (low, high) = (0, members.count)
    while low < high {
      let middle = low &+ (high &- low) / 2
      let order = members[middle].key.compared(to: key)
      if order == 0 { return (middle, true) }
      if order < 0 { low = middle &+ 1 } else { high = middle }
    }
    return (low, false)
  }
}

extension JSONObject: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { members.count }

  public subscript(position: Int) -> (key: JSONString, value: JSONValue) {
    (members[position].key, members[position].value)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (JSONString, JSONValue)...) {
    for (key, value) in elements { self[key] = value }
  }
}
