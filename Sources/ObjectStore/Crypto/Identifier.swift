/// A 16-byte identifier, kept inline. `Owner` says of what, so that one cannot stand in another's place.
@frozen
public struct Identifier<Owner>: FixedBytes {
  // Big-endian words, so that comparing them in order compares the bytes in order.
  @usableFromInline var words: (UInt64, UInt64)

  @inlinable
  public static var byteCount: Int { 16 }

  @inlinable
  public init(exactly bytes: UnsafeRawBufferPointer) {
    words = (
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self)),
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    )
  }

  /// A random one.
  public init(from random: RandomSource) {
    var drawn = (UInt64(0), UInt64(0))
    Swift.withUnsafeMutableBytes(of: &drawn) { random.fill($0) }
    words = drawn
  }

  @inlinable
  public func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    let stored = (words.0.bigEndian, words.1.bigEndian)
    return Swift.withUnsafeBytes(of: stored, body)
  }

  @inlinable
  public static func == (left: Self, right: Self) -> Bool { left.words == right.words }

  @inlinable
  public static func < (left: Self, right: Self) -> Bool { left.words < right.words }

  @inlinable
  public func hash(into hasher: inout Hasher) {
    hasher.combine(words.0)
    hasher.combine(words.1)
  }
}

/// What a `DeviceID` identifies.
public enum DeviceOwner {}
/// What a `RepositoryID` identifies.
public enum RepositoryOwner {}
/// What a `KeyID` identifies.
public enum KeyOwner {}
/// What a `SlotID` identifies.
public enum SlotOwner {}

/// One local repository: the first 16 bytes of the SHA-256 of its public key (`docs/format.md`, "The tree").
public typealias DeviceID = Identifier<DeviceOwner>
/// One shared tree and all its copies.
public typealias RepositoryID = Identifier<RepositoryOwner>
/// One repository key.
public typealias KeyID = Identifier<KeyOwner>
/// One passphrase slot.
public typealias SlotID = Identifier<SlotOwner>
