import ObjectStore

/// A WebDAV server of rclone's on the loopback address, and a configuration with the remotes `dav`, which is that
/// server, and `disk`, which is this machine's.
public final class RcloneServer: Sendable {
  public let root: String
  private let folder: String
  private let server: BackgroundProgram

  public static let isPossible = BackgroundProgram.isInstalled("rclone")

  public init(in folder: String, root: String) throws {
    self.folder = folder
    self.root = root
    let port = try Port.free()
    let settings = """
      [disk]
      type = local
      [dav]
      type = webdav
      url = http://127.0.0.1:\(port)
      vendor = other

      """
    try SshServer.write(settings, "\(folder)/rclone.conf")
    server = try BackgroundProgram(
      "rclone",
      ["serve", "webdav", "--addr=127.0.0.1:\(port)", "--dir-cache-time=0s", "--poll-interval=0", root],
      log: "\(folder)/rclone.log")
    try server.waitUntilListening(port)
  }

  /// The variables that make rclone read the configuration.
  public var variables: [String: String] { ["RCLONE_CONFIG": "\(folder)/rclone.conf"] }
}
