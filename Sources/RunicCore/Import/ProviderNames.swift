import CanonicalJSON

/// The names that mean one provider: as quota readings call it, as requests and the price table call it, and the tool
/// that uses it (import formats, the table of tools).
public enum ProviderNames {
  private static let groups: [[String]] = [
    ["claude", "anthropic", "claude-code"], ["codex", "openai"], ["gemini", "gemini-cli"], ["opencode"],
  ]

  /// Whether two names mean the same provider; upper and lower case are one.
  public static func areSame(_ a: String, _ b: String) -> Bool { canonical(a) == canonical(b) }

  private static func canonical(_ name: String) -> String {
    let name = name.lowercased()
    return groups.first { $0.contains(name) }?[0] ?? name
  }
}

/// The providers that the preferences enable; all where they say nothing.
struct EnabledProviders {
  let names: [String]?

  init(in snapshot: Snapshot) throws {
    let id = Array((Kind.preferences.defaultID ?? "").utf8)
    let name = RecordName(family: .keys, kind: BuiltInName.preferences, id: id)
    names = try snapshot.record(name)?.object["enabledProviders"]?.arrayValue?.compactMap(\.textValue)
  }

  func contains(_ provider: String) -> Bool {
    names?.contains { ProviderNames.areSame($0, provider) } ?? true
  }
}
