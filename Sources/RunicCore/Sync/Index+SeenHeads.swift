import ObjectStore

/// The heads that were read and are not kept, so that no pull reads them again: those that kept ones descend from, and
/// strangers, which are whole and no heads of this repository's.
extension Index {
  private struct SeenHead {
    let name: HeadName
    let length: Int64
    /// The remote that a stranger was met at; nil for one that is none.
    let stranger: String?

    init?(key: some Collection<UInt8>, value: [UInt8]) {
      guard case .head(let name)? = TreeFolder.heads.entry(String(decoding: key, as: UTF8.self)) else {
        return nil
      }
      let isStranger = value.first == strangerMark
      let parts = value.dropFirst(isStranger ? 1 : 0).split(separator: space, maxSplits: 1)
      guard let length = parts.first.flatMap({ Int64(String(decoding: $0, as: UTF8.self)) }) else {
        return nil
      }
      self.name = name
      self.length = length
      stranger = isStranger ? parts.dropFirst().first.map { String(decoding: $0, as: UTF8.self) } ?? "" : nil
    }
  }

  /// Stands before the length of a stranger; its remote stands behind it, after a space.
  private static let strangerMark = UInt8(ascii: "-")
  private static let space = UInt8(ascii: " ")

  /// Whether a head was read before, though it is not kept.
  func wasRead(_ head: HeadName) throws -> Bool { try value(IndexKey.seen(head)) != nil }

  /// Whether it was read and is none of a stranger's.
  func wasVerified(_ head: HeadName) throws -> Bool {
    try value(IndexKey.seen(head)).map { $0.first != Self.strangerMark } ?? false
  }

  /// The heads that were read and are not kept, with their lengths.
  func readHeads() throws -> [HeadName: Int64] {
    Dictionary(try seenHeads().map { ($0.name, $0.length) }) { first, _ in first }
  }

  /// In the order of their names: all, or those of one device.
  private func seenHeads(of device: DeviceID? = nil) throws -> [SeenHead] {
    var result: [SeenHead] = []
    try table.scan(prefix: [IndexKey.seenHead] + Array((device?.hex ?? "").utf8)) { key, value in
      if let head = SeenHead(key: key.dropFirst(), value: Array(value)) { result.append(head) }
      return true
    }
    return result
  }

  /// How many heads of a device are remembered as read.
  private static let remembered = 64
  /// How many strangers are remembered in all. To read one again costs far more than to know it.
  private static let strangerLimit = 1 << 14

  /// Remembers heads that were read and are not kept, with their lengths.
  func remember(_ heads: [HeadName: Int64]) throws {
    for (head, length) in heads { try set(IndexKey.seen(head), .put(Array(String(length).utf8))) }
    for device in Set(heads.keys.map(\.device)) {
      let known = try seenHeads(of: device).filter { $0.stranger == nil }
      for head in known.dropLast(Self.remembered) { try set(IndexKey.seen(head.name), .remove) }
    }
  }

  /// Remembers strangers that a remote lists, and forgets those that it listed and lists no more: anyone can make up any
  /// number of devices.
  ///
  /// - Parameters:
  ///   - listed: all heads that it lists, with their lengths.
  ///   - others: the other remotes that there are.
  func remember(
    strangers: [HeadName], listed: [HeadName: Int64], at remote: String, others: Set<String>,
    limit: Int = strangerLimit
  ) throws {
    let seen = try seenHeads().compactMap { head in head.stranger.map { (head.name, $0) } }
    if strangers.isEmpty, seen.isEmpty { return }
    let known = Dictionary(seen) { first, _ in first }
    let standing = known.filter { listed[$0.key] != nil || others.contains($0.value) }.keys
    let kept = Set(Set(strangers).union(standing).sorted().suffix(limit))
    for head in known.keys where !kept.contains(head) { try set(IndexKey.seen(head), .remove) }
    for head in kept where known[head] == nil {
      let value = [Self.strangerMark] + Array("\(listed[head] ?? 0) \(remote)".utf8)
      try set(IndexKey.seen(head), .put(value))
    }
  }
}
