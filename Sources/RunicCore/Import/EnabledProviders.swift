import CanonicalJSON

/// The providers that the preferences enable; all where they say nothing.
struct EnabledProviders {
  /// As the user wrote them.
  let names: [String]?

  init(in snapshot: Snapshot) throws {
    let id = Array((Kind.preferences.defaultID ?? "").utf8)
    let name = RecordName(family: .keys, kind: BuiltInName.preferences, id: id)
    names = try snapshot.record(name)?.object["enabledProviders"]?.arrayValue?.compactMap(\.textValue)
  }

  func contains(_ provider: String) -> Bool {
    names?.contains { Self.meant($0) == Self.meant(provider) } ?? true
  }

  /// The provider by any of its names, the tool's own among them.
  private static func meant(_ name: String) -> String {
    switch name.lowercased() {
    case "claude-code": ProviderName.canonical("claude")
    case "gemini-cli": "gemini"
    case let name: ProviderName.canonical(name)
    }
  }
}
