import ObjectStore
import TestSupport

/// A folder of this machine that a remote over a line reaches.
struct LinePlace: RemotePlace {
  private let folder: DirectoryPlace
  private let make: @Sendable (String, DeviceID) -> any Remote
  var oddities: [RemoteThing] = [.folder, .link, .pipe]
  var local: any FileSystem { folder.local }
  var scratch: String { folder.scratch }
  var root: String { folder.root }

  /// - Parameters:
  ///   - base: a folder in which the place gets a folder of its own; nil: anywhere.
  ///   - make: the remote that reaches the folder with this path.
  init(in base: String? = nil, _ make: @escaping @Sendable (String, DeviceID) -> any Remote) throws {
    folder = try DirectoryPlace(in: base)
    self.make = make
  }

  func remote(for device: DeviceID) -> any Remote { make(root, device) }
  func makeEmpty() throws { try folder.makeEmpty() }
  func put(_ thing: RemoteThing, at path: String) throws { try folder.put(thing, at: path) }
  func contents(_ path: String) throws -> [UInt8]? { try folder.contents(path) }
  func paths() throws -> [String] { try folder.paths() }
}

/// Remotes over a line as tests open them: no pause is waited for.
struct LineRemotes {
  var runner: any ProgramRunner = SystemProgramRunner()
  var shell: String?
  var timeout = 20
  var retries = false
  var observer = RemoteObserver()
  var files: any FileSystem = PosixFileSystem()

  func open(_ address: String, _ device: DeviceID = RemoteSamples.device) throws -> any Remote {
    let options = RemoteOptions(
      runner: runner, observer: observer, timeout: timeout, retries: retries, remoteShell: shell)
    let clock = Clock(now: { 0 }, sleep: { _ in })
    let remote: (any Remote)? =
      address.hasPrefix("rclone:")
      ? RcloneRemote(
        address, device: device, fileSystem: files, clock: clock, random: .system, options: options)
      : RsyncRemote(
        address, device: device, fileSystem: files, clock: clock, random: .system, options: options)
    guard let remote else { throw NoSuchAddress(address: address) }
    return remote
  }

  struct NoSuchAddress: Error { let address: String }
}

extension RemoteError {
  /// What the reason of a failing action is; nil where it does not fail.
  static func reason(_ action: () throws -> Void) throws -> Reason? {
    do { try action() } catch let error as RemoteError { return error.reason }
    return nil
  }
}
