/// The name of a head: whose, up to which commit, and the SHA-256 of its bytes.
public struct HeadName: Hashable, Comparable, Sendable {
  public let device: DeviceID
  /// The sequence number of the latest commit, 1 or more.
  public let sequence: Int64
  public let digest: Digest

  public init(device: DeviceID, sequence: Int64, digest: Digest) {
    self.device = device
    self.sequence = sequence
    self.digest = digest
  }

  public static func < (a: HeadName, b: HeadName) -> Bool {
    (a.device, a.sequence, a.digest) < (b.device, b.sequence, b.digest)
  }
}

/// A file of the shared tree. Nothing else is ever read from a tree, written to it or removed from it.
///
/// `docs/format.md`, "The tree".
public enum TreeName: Hashable, Sendable {
  case marker
  case slot(SlotID)
  case keyFile(KeyFileName)
  case head(HeadName)
  case object(DeviceID, Digest)

  /// The path below the tree's root.
  public var path: String {
    switch self {
    case .marker: "runic.json"
    case .slot, .keyFile, .head, .object: "\(folder.path)/\(name)"
    }
  }

  public var folder: TreeFolder {
    switch self {
    case .marker: .root
    case .slot, .keyFile: .keys
    case .head: .heads
    case .object(let device, _): .objects(device)
    }
  }

  /// The last part of the path.
  public var name: String {
    switch self {
    case .marker: "runic.json"
    case .slot(let slot): "\(slot.hex).json"
    case .keyFile(let file): "\(hexadecimal(file.number))-\(file.key.hex).json"
    case .head(let head): "\(head.device.hex)-\(hexadecimal(head.sequence))-\(head.digest.hex)"
    case .object(_, let digest): digest.hex
    }
  }

  /// The SHA-256 that the file's bytes must have; nil where the name does not say.
  public var digest: Digest? {
    switch self {
    case .marker, .slot, .keyFile: nil
    case .head(let head): head.digest
    case .object(_, let digest): digest
    }
  }

  /// The greatest length that a file of this sort may have, in bytes.
  public var limit: Int {
    switch self {
    case .marker, .slot, .keyFile: Limits.smallFile
    case .head: Limits.headFile
    case .object: Limits.objectFile
    }
  }
}

extension TreeName {
  /// Reads a path below a tree's root; nil for what is none of the tree's.
  public init?(path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    let folder: TreeFolder
    switch parts.count {
    case 1: folder = .root
    case 2 where parts[0] == TreeFolder.keys.path: folder = .keys
    case 2 where parts[0] == TreeFolder.heads.path: folder = .heads
    case 3 where parts[0] == TreeFolder.devices.path:
      guard let device = DeviceID(hex: parts[1]) else { return nil }
      folder = .objects(device)
    default: return nil
    }
    guard let last = parts.last, let name = folder.entry(last) else { return nil }
    self = name
  }
}

/// A folder of the tree.
public enum TreeFolder: Hashable, Sendable {
  case root, keys, heads, devices
  case objects(DeviceID)

  /// The path below the tree's root; empty for the root itself.
  public var path: String {
    switch self {
    case .root: ""
    case .keys: "keys"
    case .heads: "heads"
    case .devices: "devices"
    case .objects(let device): "\(Self.devices.path)/\(device.hex)"
    }
  }

  /// The folders that lie in the root.
  static let inRoot: [TreeFolder] = [.keys, .heads, .devices]

  /// Whether a folder in the root is one of the tree's.
  static func isInRoot(_ name: String) -> Bool { inRoot.contains { $0.path == name } }

  /// Reads a name found in this folder; nil for a stranger.
  public func entry(_ name: String) -> TreeName? {
    switch self {
    case .root: name == "runic.json" ? .marker : nil
    case .keys: name.hasSuffix(".json") ? Self.key(name.dropLast(5)) : nil
    case .heads: Self.head(name).map(TreeName.head)
    case .devices: nil
    case .objects(let device): Digest(hex: name[...]).map { .object(device, $0) }
    }
  }

  private static func key(_ name: Substring) -> TreeName? {
    if let slot = SlotID(hex: name) { return .slot(slot) }
    let text = name.utf8
    guard text.count == 16 + 1 + 32, let dash = name.firstIndex(of: "-"),
      let number = number(hexadecimal: text[..<dash]), number > 0,
      text.distance(from: text.startIndex, to: dash) == 16,
      let key = KeyID(hex: name[name.index(after: dash)...])
    else { return nil }
    return .keyFile(KeyFileName(number: number, key: key))
  }

  private static func head(_ name: String) -> HeadName? {
    Hexadecimal.withDigits(of: name) { text in
      let dash = UInt8(ascii: "-")
      guard text.count == 32 + 1 + 16 + 1 + 64, text[32] == dash, text[49] == dash,
        let device = DeviceID(hexDigits: UnsafeRawBufferPointer(rebasing: text[..<32])),
        let sequence = number(hexadecimal: text[33..<49]), sequence > 0,
        let digest = Digest(hexDigits: UnsafeRawBufferPointer(rebasing: text[50...]))
      else { return nil }
      return HeadName(device: device, sequence: sequence, digest: digest)
    }
  }
}

/// Sixteen lower-case hexadecimal digits, so that names sort as their numbers do.
func hexadecimal(_ number: Int64) -> String {
  let digits = String(UInt64(bitPattern: number), radix: 16)
  return String(repeating: "0", count: 16 - digits.utf8.count) + digits
}

/// The number of up to sixteen lower-case hexadecimal digits.
func number(hexadecimal digits: some Collection<UInt8>) -> Int64? {
  guard digits.count <= 16 else { return nil }
  var value: UInt64 = 0
  for digit in digits {
    switch digit {
    case 0x30...0x39: value = value << 4 | UInt64(digit &- 0x30)
    case 0x61...0x66: value = value << 4 | UInt64(digit &- 0x61 &+ 10)
    default: return nil
    }
  }
  return Int64(exactly: value)
}
