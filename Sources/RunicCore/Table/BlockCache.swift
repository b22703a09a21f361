/// Blocks read lately, of bounded size.
///
/// Two generations: when the young one is full it becomes the old one, and what was old and not asked for
/// again is forgotten. That is nearly least-recently-used, without a list.
struct BlockCache {
  struct Key: Hashable {
    let run: UInt64
    let offset: Int64
  }

  private let limit: Int
  private var young: [Key: [UInt8]] = [:]
  private var old: [Key: [UInt8]] = [:]
  private var youngBytes = 0

  /// Holds at most about `limit` bytes.
  init(limit: Int) { self.limit = limit }

  mutating func block(_ key: Key) -> [UInt8]? {
    if let block = young[key] { return block }
    guard let block = old[key] else { return nil }
    insert(block, key)
    return block
  }

  /// A block larger than a quarter of the cache is not worth what it would push out.
  mutating func insert(_ block: [UInt8], _ key: Key) {
    guard block.count <= limit / 4 else { return }
    if youngBytes &+ block.count > limit / 2 {
      old = young
      young = [:]
      youngBytes = 0
    }
    if young.updateValue(block, forKey: key) == nil { youngBytes &+= block.count }
  }
}
