/// Names of temporary files in a tree: `.runic-<device>-<16 hexadecimal digits>`, which begin with a dot so that no
/// listing takes them for the tree's, and name their side so that none removes another one's.
struct TemporaryName: Sendable {
  private static let beginning = ".runic-"
  private let prefix: String

  /// - Parameter device: the side whose files these are.
  init(_ device: DeviceID) { prefix = "\(Self.beginning)\(device.hex)-" }

  /// A name that is not in use: 64 random bits.
  func fresh(_ random: RandomSource) -> String { prefix + Hexadecimal.encode(random.bytes(8)) }

  /// Whether a file's name is one of this side's.
  func isOurs(_ name: some StringProtocol) -> Bool {
    name.hasPrefix(prefix) && Hexadecimal.decode(name.dropFirst(prefix.count)) != nil
  }

  /// Whether a file's name is one of any side's.
  static func isOne(_ name: some StringProtocol) -> Bool { name.hasPrefix(beginning) }
}
