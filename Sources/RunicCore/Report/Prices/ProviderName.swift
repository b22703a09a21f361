/// Providers that have two names: quota readings and alerts know them by their tool, requests and prices by the
/// company (`docs/report.md`, "Providers").
public enum ProviderName {
  /// The name that requests and prices use; a provider that runic does not know keeps its own.
  public static func canonical(_ name: [UInt8]) -> [UInt8] {
    switch name {
    case claude: anthropic
    case codex: openAI
    default: name
    }
  }

  public static func canonical(_ name: String) -> String {
    String(decoding: canonical(Array(name.utf8)), as: UTF8.self)
  }

  private static let claude = Array("claude".utf8)
  private static let anthropic = Array("anthropic".utf8)
  private static let codex = Array("codex".utf8)
  private static let openAI = Array("openai".utf8)
}
