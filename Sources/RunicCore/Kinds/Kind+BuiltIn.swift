/// The names of the kinds that every runic knows.
public enum BuiltInName {
  public static let usage = "usage"
  public static let request = "request"
  public static let preferences = "preferences"
  public static let alert = "alert"
  /// Declarations of kinds; the id is the name.
  public static let kind = "kind"
  /// What is said of a device; the id is the device's, in hex.
  public static let device = "device"
  /// What is said of a passphrase slot; the id is the slot's, in hex.
  public static let keySlot = "key-slot"
}

// The fields are those of `docs/records.md`.
extension Kind {
  /// A quota reading.
  public static let usage = Kind(
    BuiltInName.usage, .history(key: nil),
    fields: [
      FieldRule("accountEmail", .string), FieldRule("costUSD", .anyNumber), FieldRule("deviceName", .string),
      FieldRule("platform", .string), FieldRule("primaryLimit", .int64),
      FieldRule("primaryResetsAt", .time), FieldRule("primaryUsed", .int64, isRequired: true),
      FieldRule("providerID", .string, isRequired: true), FieldRule("secondaryLimit", .int64),
      FieldRule("secondaryResetsAt", .time), FieldRule("secondaryUsed", .int64),
      FieldRule("updatedAt", .time),
    ])

  /// One billed model request.
  public static let request = Kind(
    BuiltInName.request, .history(key: nil),
    fields: [
      FieldRule("cacheReadTokens", .count), FieldRule("cacheWrite1hTokens", .count),
      FieldRule("cacheWriteTokens", .count), FieldRule("costUSD", .anyNumber),
      FieldRule("inputTokens", .count), FieldRule("model", .string),
      FieldRule("occurredAt", .time, isRequired: true), FieldRule("outputTokens", .count),
      FieldRule("project", .string), FieldRule("providerID", .string, isRequired: true),
      FieldRule("reasoningTokens", .count), FieldRule("requestID", .string), FieldRule("sessionID", .string),
      FieldRule("tool", .string),
    ])

  public static let preferences = Kind(
    BuiltInName.preferences, .perKey(key: nil),
    fields: [
      FieldRule("autoRefreshEnabled", .bool), FieldRule("displayFormat", .string),
      FieldRule("enabledProviders", .stringList), FieldRule("notificationsEnabled", .bool),
      FieldRule("refreshInterval", .integer(1 ... .max)), FieldRule("theme", .string),
    ], defaultID: "user-preferences")

  /// The thresholds of one provider.
  public static let alert = Kind(
    BuiltInName.alert, .perKey(key: "providerID"),
    fields: [
      FieldRule("criticalThreshold", .number(0...1), defaultValue: 0.9),
      FieldRule("enabled", .bool, defaultValue: true),
      FieldRule("notificationChannels", .stringList, defaultValue: ["system"]),
      FieldRule("providerID", .string, isRequired: true),
      FieldRule("warningThreshold", .number(0...1), defaultValue: 0.75),
    ],
    orderRules: [
      OrderRule("warning-above-critical", lower: "warningThreshold", upper: "criticalThreshold")
    ])

  /// One register a declaration, so that two devices that declare a name differently never mix.
  static let declarations = Kind(
    BuiltInName.kind, .lastWriterWins(key: nil),
    fields: [
      FieldRule("family", .string, isRequired: true), FieldRule("key", .string), FieldRule("rule", .string),
    ], isReserved: true)

  static let devices = Kind(
    BuiltInName.device, .perKey(key: nil), fields: [FieldRule("retired", .bool)], isReserved: true)

  static let keySlots = Kind(
    BuiltInName.keySlot, .perKey(key: nil), fields: [FieldRule("added", .time), FieldRule("removed", .bool)],
    isReserved: true)

  static let builtIn = [usage, request, preferences, alert, declarations, devices, keySlots]

  /// What stands beside a history: a keyed record under the same name and id says that the history's record is
  /// retracted (`docs/merge.md`, "Histories").
  static func retractions(of history: Kind) -> Kind {
    Kind(
      history.name, .perKey(key: nil),
      fields: [FieldRule("reason", .string), FieldRule("retracted", .bool)],
      isReserved: history.isReserved)
  }
}
