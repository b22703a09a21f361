import CanonicalJSON

// A declaration is a record of the kind `kind` under the name that it declares:
//
//     {"family":"history","key":"FIELD"}
//     {"family":"keys","key":"FIELD","rule":"per-key"}
//     {"family":"keys","rule":"last-writer-wins"}
//
// `key` may be missing. More members may come with later versions and are kept.
extension Kind {
  private static let perKeyName = "per-key"
  private static let lastWriterWinsName = "last-writer-wins"

  /// The payload that declares this kind.
  public var declaration: JSONObject {
    var payload: JSONObject = ["family": .string(JSONString(family.name))]
    if let key { payload["key"] = .string(JSONString(key)) }
    switch rule {
    case .history: break
    case .perKey: payload["rule"] = .string(JSONString(Self.perKeyName))
    case .lastWriterWins: payload["rule"] = .string(JSONString(Self.lastWriterWinsName))
    }
    return payload
  }

  /// Reads a declaration that may have come from anywhere.
  ///
  /// - Parameter name: the record's id.
  /// - Returns: nil where the name is not one or the payload says nothing that this version knows.
  public init?(declaredAs name: [UInt8], by payload: JSONObject) {
    guard RecordGrammar.isKindName(name), let rule = Rule(declaredBy: payload) else { return nil }
    self.init(String(decoding: name, as: UTF8.self), rule)
  }
}

extension Kind.Rule {
  fileprivate init?(declaredBy payload: JSONObject) {
    let key = payload["key"]?.stringValue?.string
    guard (payload["key"] == nil) == (key == nil), key != "" else { return nil }
    switch (payload["family"]?.stringValue?.string, payload["rule"]?.stringValue?.string) {
    case ("history", nil): self = .history(key: key)
    case ("keys", "per-key"): self = .perKey(key: key)
    case ("keys", "last-writer-wins"): self = .lastWriterWins(key: key)
    default: return nil
    }
  }
}
