import ObjectStore
import Synchronization

/// A shared folder in memory, with the vices of real ones: many devices, each through its own `view`.
///
/// Everything follows from the calls and the seed: the same schedule gives the same tree and the same lists.
/// Time is the number of calls that anyone made.
public final class MemoryRemote: Sendable {
  /// What was asked of the remote so far, by all views.
  public struct Counters: Equatable, Sendable {
    public var calls = 0
    public var markersRead = 0
    /// Calls of `list`, and the folders that they were about.
    public var listings = 0
    public var foldersListed = 0
    public var filesFetched = 0
    public var bytesFetched = 0
    public var filesWritten = 0
    public var bytesWritten = 0
    public var filesRemoved = 0

    public init(calls: Int = 0, markersRead: Int = 0, listings: Int = 0, foldersListed: Int = 0) {
      self.calls = calls
      self.markersRead = markersRead
      self.listings = listings
      self.foldersListed = foldersListed
    }
  }

  /// Everything in the place at one moment.
  public struct Snapshot: Sendable {
    fileprivate let tree: MemoryRemoteTree
  }

  struct State: Sendable {
    var tree = MemoryRemoteTree()
    var vices = RemoteVices.none
    var random: SeededRandom
    var now = 0
    var counters = Counters()
    var mishaps = RemoteMishaps()
    /// For each side, when the last of its files arrives: others come no earlier, unless out of order.
    var lastArrival: [DeviceID: Int] = [:]
    /// Second deliveries, in the order in which they were planned.
    var returns: [(at: Int, name: TreeName, bytes: [UInt8])] = []
    /// How many more files pass before the place goes away; nil: it stays.
    var filesLeft: Int?
    var refusal: RemoteError.Reason?
    var capacity: Int?
    var lastSide: UInt64 = 0
  }

  public let address: String
  /// Whether nobody looks at its heads between syncs, since each look costs.
  let isOverALine: Bool
  let state: Mutex<State>

  /// A place that is missing: `create` through a view, or `makeEmpty`, makes it.
  public init(
    address: String = "memory", isOverALine: Bool = false, random: SeededRandom = SeededRandom(seed: 0)
  ) {
    self.address = address
    self.isOverALine = isOverALine
    state = Mutex(State(random: random))
  }

  /// The remote as one device sees it.
  ///
  /// - Parameters:
  ///   - fileSystem: where the device's own files lie.
  ///   - device: who sees at once what was written through the view; another one each time where nil.
  public func view(for fileSystem: any FileSystem, device: DeviceID? = nil) -> View {
    let side =
      device
      ?? state.withLock { state in
        state.lastSide += 1
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: state.lastSide >> (56 - 8 * $0)) })
        return bytes.withUnsafeBytes { DeviceID(exactly: $0) }
      }
    return View(remote: self, fileSystem: fileSystem, side: side)
  }

  // MARK: - Vices

  public var vices: RemoteVices {
    get { state.withLock { $0.vices } }
    set { state.withLock { $0.vices = newValue } }
  }

  /// All that is under way arrives. New files are late again, unless `vices` says otherwise.
  public func settle() {
    state.withLock { state in
      state.now += state.vices.delay.upperBound * 2
      state.now = max(state.now, state.lastArrival.values.max() ?? 0)
      for folder in state.tree.files.keys {
        state.tree.files[folder] = state.tree.files[folder]?.mapValues { DeliveredFile($0.bytes) }
      }
      state.deliverReturns(before: .max)
    }
  }

  /// The place is out of reach from now on, or once so many more files were fetched, written or removed.
  public func goAway(after files: Int = 0) { state.withLock { $0.filesLeft = files } }

  public func comeBack() { state.withLock { $0.filesLeft = nil } }

  /// Every write fails for this reason, until nil is given: `.readOnly`, `.forbidden`.
  public func refuseWrites(_ reason: RemoteError.Reason?) { state.withLock { $0.refusal = reason } }

  /// Room for so many bytes in all; nil: no end of it.
  public func setCapacity(_ bytes: Int?) { state.withLock { $0.capacity = bytes } }

  public func snapshot() -> Snapshot { state.withLock { Snapshot(tree: $0.tree) } }

  /// Puts the place back as it was, or as another one is: a drive that was swapped.
  public func rollBack(to snapshot: Snapshot) {
    state.withLock { state in
      state.tree = snapshot.tree
      state.returns = []
    }
  }

  /// The place is there and holds nothing: a mount point without its drive.
  public func wipe() {
    state.withLock { state in
      state.tree = MemoryRemoteTree()
      state.tree.isThere = true
      state.returns = []
    }
  }

  /// Flips one bit of a file, or cuts it.
  public func damage(_ name: TreeName, cutTo length: Int? = nil) {
    state.withLock { state in
      guard var bytes = state.tree[name]?.bytes, !bytes.isEmpty else { return }
      if let length {
        bytes.removeLast(max(0, bytes.count - length))
      } else {
        state.random.flip(&bytes)
      }
      state.tree[name]?.bytes = bytes
    }
  }

  // MARK: - Behind the devices' backs

  public var counters: Counters { state.withLock { $0.counters } }
  public func resetCounters() { state.withLock { $0.counters = Counters() } }
  public var mishaps: RemoteMishaps { state.withLock { $0.mishaps } }

  /// All plain files by path, as everyone sees them in the end.
  public var files: [String: [UInt8]] {
    state.withLock { state in
      var result: [String: [UInt8]] = [:]
      for (name, file) in state.tree.files.values.joined() { result[name.path] = file.bytes }
      for case (let path, .file(let bytes)) in state.tree.oddities { result[path] = bytes }
      return result
    }
  }

  /// The files of the tree, by path.
  public var names: [TreeName] {
    state.withLock { $0.tree.files.values.flatMap(\.keys).sorted { $0.path < $1.path } }
  }

  /// Puts bytes at any path, for all to see.
  public func put(_ bytes: [UInt8], at path: String) { put(.file(bytes), at: path) }

  func put(_ thing: MemoryRemoteTree.Oddity, at path: String) {
    state.withLock { $0.tree.put(thing, at: path) }
  }

  public func remove(at path: String) { state.withLock { $0.tree.remove(path) } }

  /// The place is not there any more.
  public func destroy() { state.withLock { $0.tree = MemoryRemoteTree() } }
}

extension SeededRandom {
  mutating func strikes(_ chance: Double) -> Bool {
    chance > 0 && Double.random(in: 0..<1, using: &self) < chance
  }

  mutating func flip(_ bytes: inout [UInt8]) {
    let index = Int.random(in: bytes.indices, using: &self)
    bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &self)
  }
}
