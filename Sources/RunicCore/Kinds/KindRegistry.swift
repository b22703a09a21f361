import CanonicalJSON

/// All kinds that are known: those that every runic has and those that the repository's `kind` records declare.
///
/// A name may stand for two kinds: beside every history stands the keyed kind of its retractions.
public struct KindRegistry: Hashable, Sendable {
  /// The names under which apps know the built-in kinds, accepted everywhere (`docs/library.md`).
  private static let aliases: KeyValuePairs = [
    "UsageSnapshot": BuiltInName.usage, "UserPreferences": BuiltInName.preferences,
    "AlertConfiguration": BuiltInName.alert,
  ]

  /// For each name the kind that people mean by it.
  private var kinds: [String: Kind]
  private var declaredNames: Set<String> = []

  public init() {
    kinds = Dictionary(Kind.builtIn.map { ($0.name, $0) }) { first, _ in first }
  }

  /// Takes in what a `kind` record shows. Declarations that make no sense here, or that would change a built-in
  /// kind, count for nothing.
  ///
  /// - Returns: whether it counts.
  @discardableResult
  public mutating func declare(_ id: [UInt8], _ payload: JSONObject) -> Bool {
    guard let kind = Kind(declaredAs: id, by: payload), isFree(kind.name) else { return false }
    kinds[kind.name] = kind
    declaredNames.insert(kind.name)
    return true
  }

  /// Forgets a declaration whose record was deleted.
  public mutating func withdraw(_ id: [UInt8]) {
    let name = String(decoding: id, as: UTF8.self)
    guard declaredNames.remove(name) != nil else { return }
    kinds[name] = nil
  }

  private func isFree(_ name: String) -> Bool { kinds[name] == nil || declaredNames.contains(name) }
}

// MARK: - Lookup

extension KindRegistry {
  /// The kind's own name for any name that is accepted for it.
  public static func canonicalName(_ name: String) -> String {
    aliases.first { $0.key == name }?.value ?? name
  }

  /// The built-in kind of a name, if there is one: no declaration changes it, so none need be read.
  public static func builtIn(_ name: String) -> Kind? {
    let name = canonicalName(name)
    return Kind.builtIn.first { $0.name == name }
  }

  /// The kind that people mean by a name.
  ///
  /// - Throws: `unknownKind` with the names that may have been meant.
  public func kind(_ name: String) throws(RunicError) -> Kind {
    guard let kind = kinds[Self.canonicalName(name)] else { throw .unknownKind(name, known: names) }
    return kind
  }

  /// The kind of a record's full name; nil where its declaration has not arrived.
  public func kind(_ name: String, _ family: Family) -> Kind? {
    kinds(named: name).first { $0.family == family }
  }

  /// All kinds of a name, the one that people mean first.
  public func kinds(named name: String) -> [Kind] {
    guard let kind = kinds[Self.canonicalName(name)] else { return [] }
    return kind.family == .history ? [kind, .retractions(of: kind)] : [kind]
  }

  /// The family of the kind that people mean by a name.
  public func family(of name: String) -> Family? { kinds[Self.canonicalName(name)]?.family }

  /// The names that a person may type, sorted: candidates for "did you mean" and completion.
  public var names: [String] { kinds.values.filter { !$0.isReserved }.map(\.name).sorted() }

  /// The kinds that a person may use, sorted by name.
  public var usable: [Kind] { kinds.values.filter { !$0.isReserved }.sorted { $0.name < $1.name } }

  public func isBuiltIn(_ name: String) -> Bool {
    let name = Self.canonicalName(name)
    return kinds[name] != nil && !declaredNames.contains(name)
  }

  /// The payload that declares a kind, for one that is declared already as for a new one.
  ///
  /// - Throws: `badKindName`, or `kindExists` where the name means a kind that merges otherwise, or a built-in one.
  public func declaration(of kind: Kind) throws(RunicError) -> JSONObject {
    guard RecordGrammar.isKindName(kind.name.utf8) else { throw .badKindName(kind.name) }
    if let known = kinds[kind.name], isBuiltIn(kind.name) || known.declaration != kind.declaration {
      throw .kindExists(kind.name)
    }
    return kind.declaration
  }
}

extension KindRegistry {
  /// The name under which apps know a kind.
  static func recordType(_ kind: String) -> String {
    aliases.first { $0.value == kind }?.key ?? kind
  }
}
