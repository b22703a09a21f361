import ObjectStore

/// What `fsck` found in one tree.
public struct CheckReport: Sendable {
  /// A file that is not what it should be, by its path in the tree, or `index`.
  public struct Damage: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
      /// The bytes do not have the digest that the name says, or the file cannot be read.
      case digest
      case format(FormatError)
      /// The bytes are what the name says, and break a rule: no other copy is any better.
      case broken(FormatError)
      /// An own object is not there: nobody else can bring it.
      case missing
      /// The index was not what the commits give.
      case index

      /// Whether only the device that wrote the file can mend it.
      public var isOfWriter: Bool { if case .broken = self { true } else { false } }
    }

    public let path: String
    public let reason: Reason
  }

  /// A log of which something has not arrived yet.
  public struct Pending: Hashable, Sendable {
    public let device: DeviceID
    /// The path of the file that is waited for.
    public let path: String
    /// The format that is needed to read it, where it is one of a newer runic.
    public let newerFormat: Int?
    /// The key that is needed to read it, where it is one that a rotation added and that is not held.
    public let key: KeyID?
    /// Whether it is missing at a remote alone: this device holds it.
    public internal(set) var isHeldHere = false

    init(device: DeviceID, path: String, newerFormat: Int?, key: KeyID?) {
      (self.device, self.path, self.newerFormat, self.key) = (device, path, newerFormat, key)
    }
  }

  public private(set) var damage: [Damage] = []
  public private(set) var pending: [Pending] = []
  /// What is in both already: a remote may hold any number of files.
  private var damagedPaths: Set<String> = []
  private var awaited: Set<Pending> = []
  /// Slots and key files of a newer format, or with another way from passphrase to key: no damage.
  public internal(set) var newer: [String] = []
  /// What lies in the tree and is not of it: no damage.
  public internal(set) var strangers: [String] = []
  /// What was looked at.
  public internal(set) var fileCount = 0
  public internal(set) var byteCount: Int64 = 0
  public internal(set) var commitCount: Int64 = 0
  /// The devices of which a remote shows less than it did before, with the sequence numbers before and now.
  public internal(set) var rolledBack: [DeviceID: (from: Int64, to: Int64)] = [:]

  public init() {}

  /// The files that another copy may mend, by their paths.
  var damagedFiles: Set<String> {
    Set(damage.filter { $0.reason != .index && !$0.reason.isOfWriter }.map(\.path))
  }

  mutating func damaged(_ path: String, _ reason: Damage.Reason) {
    if damagedPaths.insert(path).inserted { damage.append(Damage(path: path, reason: reason)) }
  }

  mutating func awaits(
    _ path: String, of device: DeviceID, newerFormat: Int? = nil, key: KeyID? = nil
  ) {
    let found = Pending(device: device, path: path, newerFormat: newerFormat, key: key)
    if awaited.insert(found).inserted { pending.append(found) }
  }

  /// Notes which of the files that are missing this device holds.
  mutating func noteHeld(in store: Store) throws(SystemError) {
    for index in pending.indices where pending[index].newerFormat == nil && pending[index].key == nil {
      guard let name = TreeName(path: pending[index].path) else { continue }
      pending[index].isHeldHere = try store.contains(name)
    }
  }
}
