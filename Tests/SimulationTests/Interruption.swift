import ObjectStore

/// A remote during whose n-th call something happens.
struct DisturbedRemote: Remote {
  enum Disturbance {
    /// Somebody else is at work just before the call.
    case meanwhile(() throws -> Void)
    /// The line ends in the middle of the call, as one of rsync's does: half of the files are over.
    case lineEnds
  }

  private let remote: any Remote
  private let turn: Turn

  init(_ remote: any Remote, at call: Int, _ disturbance: Disturbance) {
    self.remote = remote
    turn = Turn(call, disturbance, remote.address)
  }

  /// What went wrong in what happened meanwhile.
  var failure: (any Error)? { turn.failure }

  // A schedule runs in one thread from its beginning to its end.
  private final class Turn: @unchecked Sendable {
    private var left: Int
    private let disturbance: Disturbance
    private let address: String
    private(set) var failure: (any Error)?

    init(_ left: Int, _ disturbance: Disturbance, _ address: String) {
      (self.left, self.disturbance, self.address) = (left, disturbance, address)
    }

    /// Counts a call, of which `half` does the first half.
    func tick(_ half: () throws(RemoteError) -> Void = {}) throws(RemoteError) {
      left -= 1
      guard left == 0 else { return }
      switch disturbance {
      case .meanwhile(let body): do { try body() } catch { failure = error }
      case .lineEnds:
        try half()
        throw RemoteError(.lostConnection, place: address)
      }
    }
  }

  var address: String { remote.address }
  var headsFolder: HeadsFolder? { remote.headsFolder }

  func marker() throws(RemoteError) -> [UInt8] {
    try turn.tick()
    return try remote.marker()
  }

  func keys() throws(RemoteError) -> [TreeName: [UInt8]] { try remote.keys() }

  func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] {
    try turn.tick()
    return try remote.list(folders)
  }

  func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] {
    try remote.strangers(in: folders)
  }

  func devices() throws(RemoteError) -> [DeviceID] { try remote.devices() }

  func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] {
    try turn.tick { () throws(RemoteError) in _ = try remote.fetch(Self.half(names), into: target) }
    return try remote.fetch(names, into: target)
  }

  func add(_ files: [LocalFile], replacing damaged: Set<TreeName>) throws(RemoteError) -> [TreeName] {
    try turn.tick { () throws(RemoteError) in _ = try remote.add(Self.half(files), replacing: damaged) }
    return try remote.add(files, replacing: damaged)
  }

  func remove(_ names: [TreeName]) throws(RemoteError) {
    try turn.tick { () throws(RemoteError) in try remote.remove(Self.half(names)) }
    try remote.remove(names)
  }

  func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) {
    try remote.removeLeftovers(in: folders)
  }

  func create(_ files: [LocalFile]) throws(RemoteError) { try remote.create(files) }

  private static func half<Element>(_ all: [Element]) -> [Element] { Array(all.prefix(all.count / 2)) }
}
