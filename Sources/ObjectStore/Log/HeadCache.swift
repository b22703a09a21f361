import Synchronization

/// Heads that were decoded lately, so that one that is read again is not verified again.
///
/// What a head says is a pure function of its bytes and the repository's keys. The name holds the SHA-256 of the
/// bytes, which the caller has checked: so the name and the newest key's id stand for both.
public final class HeadCache: Sendable {
  private struct Place: Hashable {
    let name: HeadName
    let repository: RepositoryID
    let key: KeyID
    /// Whether its signature was looked at when it was decoded.
    let isVerified: Bool
  }

  private let heads = Mutex<[Place: Head]>([:])
  private let limit: Int

  /// A head that lists more objects than this is read each time: what is held stays small.
  private static let objectLimit = 256

  /// - Parameter limit: how many heads are held; when there are more, all are forgotten.
  public init(limit: Int = 256) { self.limit = limit }

  /// The head in a file whose bytes are what its name says.
  ///
  /// - Parameter isKept: whether it lies in this device's own store, where none comes unverified.
  public func head(
    decoding file: [UInt8], name: HeadName, keys: RepositoryKeys, isKept: Bool = false
  ) throws(FormatError) -> Head {
    let verified = Place(
      name: name, repository: keys.repository, key: keys.newest.id, isVerified: true)
    let kept = Place(name: name, repository: keys.repository, key: keys.newest.id, isVerified: false)
    if let known = heads.withLock({ $0[verified] ?? (isKept ? $0[kept] : nil) }) { return known }
    let head = try Head(decoding: file, name: name, keys: keys, verifying: !isKept)
    guard head.objects.count <= Self.objectLimit else { return head }
    heads.withLock { heads in
      if heads.count >= limit { heads.removeAll(keepingCapacity: true) }
      heads[isKept ? kept : verified] = head
    }
    return head
  }
}
