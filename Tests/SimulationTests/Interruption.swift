import ObjectStore

/// A remote during whose n-th call something else happens.
struct InterruptedRemote: Remote {
  private let remote: any Remote
  private let interruption: Interruption

  init(_ remote: any Remote, before call: Int, _ body: @escaping () throws -> Void) {
    self.remote = remote
    interruption = Interruption(call, body)
  }

  /// What went wrong in it.
  var failure: (any Error)? { interruption.failure }

  // A schedule runs in one thread from its beginning to its end.
  private final class Interruption: @unchecked Sendable {
    private var left: Int
    private let body: () throws -> Void
    private(set) var failure: (any Error)?

    init(_ left: Int, _ body: @escaping () throws -> Void) {
      self.left = left
      self.body = body
    }

    func tick() {
      left -= 1
      guard left == 0 else { return }
      do { try body() } catch { failure = error }
    }
  }

  var address: String { remote.address }

  func marker() throws(RemoteError) -> [UInt8] {
    interruption.tick()
    return try remote.marker()
  }

  func keys() throws(RemoteError) -> [TreeName: [UInt8]] { try remote.keys() }

  func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] {
    interruption.tick()
    return try remote.list(folders)
  }

  func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] {
    try remote.strangers(in: folders)
  }

  func devices() throws(RemoteError) -> [DeviceID] { try remote.devices() }

  func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] {
    interruption.tick()
    return try remote.fetch(names, into: target)
  }

  func add(_ files: [LocalFile], replacing damaged: Set<TreeName>) throws(RemoteError) -> [TreeName] {
    interruption.tick()
    return try remote.add(files, replacing: damaged)
  }

  func remove(_ names: [TreeName]) throws(RemoteError) {
    interruption.tick()
    try remote.remove(names)
  }

  func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) {
    try remote.removeLeftovers(in: folders)
  }

  func create(_ files: [LocalFile]) throws(RemoteError) { try remote.create(files) }
}
