import CanonicalJSON

/// What records of one name and family are: how they merge, how they are called, what runic knows of their
/// fields (`docs/records.md`).
public struct Kind: Hashable, Sendable {
  /// How records merge. The key is the field of a payload that holds the record's id.
  public enum Rule: Hashable, Sendable {
    case history(key: String?)
    /// Every key is a register.
    case perKey(key: String?)
    /// The whole payload is one register.
    case lastWriterWins(key: String?)

    /// Whether records of both are the same thing: of one family and one sort of register, whatever holds their id.
    public func mergesLike(_ other: Rule) -> Bool {
      switch (self, other) {
      case (.history, .history), (.perKey, .perKey), (.lastWriterWins, .lastWriterWins): true
      default: false
      }
    }
  }

  /// Where a record's id comes from, if nobody types one.
  enum NaturalKey: Hashable, Sendable {
    case fingerprint
    case field(JSONString)
    /// Provider and request id where there is one, else the fingerprint.
    case request
    case fixed([UInt8])
    /// It must be typed.
    case none
  }

  /// `[a-z][a-z0-9-]{0,63}`
  public let name: String
  public let rule: Rule
  public let fields: [FieldRule]
  public let orderRules: [OrderRule]
  /// The id of the one record that people mean when they name none.
  public let defaultID: String?
  /// Whether only runic itself writes its records.
  public let isReserved: Bool
  let naturalKey: NaturalKey
  let fieldNames: FieldNames

  /// A kind as an app declares it: what its payloads hold is the app's to check.
  public init(_ name: String, _ rule: Rule) { self.init(name, rule, fields: []) }

  /// A kind of runic's own, whose fields are checked when a record is made.
  ///
  /// - Parameter fields: at most `FieldNames.limit`. No declaration carries them.
  package init(
    _ name: String, _ rule: Rule, fields: [FieldRule], orderRules: [OrderRule] = [],
    defaultID: String? = nil, isReserved: Bool = false
  ) {
    self.name = name
    self.rule = rule
    self.fields = fields
    self.orderRules = orderRules
    self.defaultID = defaultID
    self.isReserved = isReserved
    naturalKey = Self.naturalKey(name, rule, defaultID)
    fieldNames = FieldNames(fields)
  }

  public var family: Family {
    switch rule {
    case .history: .history
    case .perKey, .lastWriterWins: .keys
    }
  }

  /// The field that holds the id, where the kind has one.
  public var key: String? {
    switch rule {
    case .history(let key), .perKey(let key), .lastWriterWins(let key): key
    }
  }

  public func field(_ name: JSONString) -> FieldRule? { fields.first { $0.name == name } }

  private static func naturalKey(_ name: String, _ rule: Rule, _ defaultID: String?) -> NaturalKey {
    switch rule {
    case .history(nil): name == BuiltInName.request ? .request : .fingerprint
    case .history(let key?), .perKey(let key?), .lastWriterWins(let key?): .field(JSONString(key))
    case .perKey(nil), .lastWriterWins(nil): defaultID.map { .fixed(Array($0.utf8)) } ?? .none
    }
  }
}

/// A rule over two number fields: the lower is not above the upper. A field that is not there counts as its
/// default.
public struct OrderRule: Hashable, Sendable {
  /// One word for messages.
  public let name: String
  public let lower: JSONString
  public let upper: JSONString

  package init(_ name: String, lower: JSONString, upper: JSONString) {
    self.name = name
    self.lower = lower
    self.upper = upper
  }
}

extension Kind {
  /// The payload as apps read it: with the defaults of the fields that it lacks.
  public func withDefaults(_ payload: JSONObject) -> JSONObject {
    var full = payload
    for field in fields where full[field.name] == nil { full[field.name] = field.defaultValue }
    return full
  }

  /// The rules over several fields that a payload breaks. A merge may bring that about: it is shown with a
  /// warning and never refused.
  public func warnings(in payload: JSONObject) -> [OrderRule] {
    orderRules.filter { rule in
      guard let lower = number(rule.lower, in: payload), let upper = number(rule.upper, in: payload)
      else { return false }
      return lower > upper
    }
  }

  private func number(_ name: JSONString, in payload: JSONObject) -> Double? {
    (payload[name] ?? field(name)?.defaultValue)?.doubleValue
  }
}
