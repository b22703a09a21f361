/// What a sealed file is for: it never passes for one of another purpose.
public enum Purpose: UInt8, Sendable {
  case object = 1
  case head = 2
}

/// Why bytes are not the file that they should be.
public enum FormatError: Error, Hashable, Sendable {
  /// Cut short, or longer than it says.
  case length
  /// Not of this format at all.
  case magic
  /// Written by a newer runic: this format version is needed.
  case newerFormat(Int)
  /// Sealed for another place, purpose, device or repository than expected.
  case foreign
  /// Sealed with a key that a rotation added and that this device does not hold.
  case keyNotHeld(KeyID)
  /// The bytes were changed, or the key is another one.
  case authentication
  /// The compressed body cannot be inflated within its bounds.
  case compression
  /// The content breaks a rule of the format; the word names the rule for a developer.
  case content(String)
}

/// The clear first 76 bytes of a sealed file: its associated data (`docs/format.md`, "Sealed files").
public struct SealedHeader: Equatable, Sendable {
  public static let magic: [UInt8] = Array("runic\0\r\n".utf8)
  public static let formatVersion = 1
  /// Bytes of the header, of the nonce that follows it and of the tag at the end.
  public static let length = 76
  public static let nonceLength = 24
  public static let tagLength = 16

  public let purpose: Purpose
  public let key: KeyID
  public let repository: RepositoryID
  public let device: DeviceID
  public let first: Int64
  public let last: Int64

  public init(
    purpose: Purpose, key: KeyID, repository: RepositoryID, device: DeviceID, first: Int64, last: Int64
  ) {
    self.purpose = purpose
    self.key = key
    self.repository = repository
    self.device = device
    self.first = first
    self.last = last
  }

  /// Whether two headers differ in their keys at most.
  func isSamePlace(as other: SealedHeader) -> Bool {
    purpose == other.purpose && repository == other.repository && device == other.device
      && first == other.first && last == other.last
  }

  public var bytes: [UInt8] {
    var out = Self.magic
    out.reserveCapacity(Self.length)
    out.appendBigEndian(UInt16(Self.formatVersion))
    out.append(purpose.rawValue)
    out.append(0)
    out += key.bytes
    out += repository.bytes
    out += device.bytes
    out.appendBigEndian(UInt64(bitPattern: first))
    out.appendBigEndian(UInt64(bitPattern: last))
    return out
  }

  /// Reads the header that a file begins with.
  public init(decoding file: [UInt8]) throws(FormatError) {
    guard file.count >= Self.length else { throw .length }
    guard file[..<8].elementsEqual(Self.magic) else { throw .magic }
    let version = Int(file.bigEndian16(at: 8))
    guard version <= Self.formatVersion else { throw .newerFormat(version) }
    guard version == Self.formatVersion, file[11] == 0, let purpose = Purpose(rawValue: file[10]),
      let key = KeyID(bytes: file[12..<28]), let repository = RepositoryID(bytes: file[28..<44]),
      let device = DeviceID(bytes: file[44..<60])
    else { throw .content("header") }
    let first = Int64(bitPattern: file.bigEndian64(at: 60))
    let last = Int64(bitPattern: file.bigEndian64(at: 68))
    guard first >= 1, last >= first else { throw .content("sequence") }
    self.init(
      purpose: purpose, key: key, repository: repository, device: device, first: first, last: last)
  }
}

extension [UInt8] {
  mutating func appendBigEndian<Integer: FixedWidthInteger>(_ value: Integer) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  func bigEndian16(at index: Int) -> UInt16 {
    self[index..<index + 2].reduce(0) { $0 << 8 | UInt16($1) }
  }

  func bigEndian64(at index: Int) -> UInt64 {
    self[index..<index + 8].reduce(0) { $0 << 8 | UInt64($1) }
  }
}
