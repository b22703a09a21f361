import CanonicalJSON

/// A change to some keys of a record, as flags, `KEY=VALUE` and standard input make it.
public struct Patch: Sendable {
  public var set: [JSONString: JSONValue]
  public var unset: Set<JSONString>
  /// Whether `set` is the whole payload, so that keys it does not name are unset.
  public var replacesAll: Bool

  public init(
    set: [JSONString: JSONValue] = [:], unset: Set<JSONString> = [], replacesAll: Bool = false
  ) {
    self.set = set
    self.unset = unset
    self.replacesAll = replacesAll
  }

  public init(replacingAllBy payload: JSONObject) {
    self.init(payload, replacesAll: true)
  }

  public init(_ payload: JSONObject, replacesAll: Bool) {
    self.init(
      set: Dictionary(uniqueKeysWithValues: payload.map { ($0.key, $0.value) }), replacesAll: replacesAll)
  }

  /// What a payload becomes.
  public func applied(to payload: JSONObject) -> JSONObject {
    var result = replacesAll ? JSONObject() : payload
    for key in unset { result[key] = nil }
    for (key, value) in set { result[key] = value }
    return result
  }
}
