import ObjectStore

/// A real `rsync --daemon` on the loopback address: the modules `open`, `locked` (user `me`, password `secret`) and
/// `fixed` (read-only) over one folder, and `gone` over none.
public final class RsyncDaemon: Sendable {
  public let port: Int
  /// The folder of the modules.
  public let root: String
  private let server: BackgroundProgram

  public static let isPossible = BackgroundProgram.isInstalled("rsync")

  public init(in folder: String, root: String) throws {
    self.root = root
    port = try Port.free()
    let settings = """
      use chroot = no
      \(try SshServer.output("id", ["-u"]) == "0" ? "uid = 0\ngid = 0" : "")
      [open]
      path = \(root)
      read only = no
      [fixed]
      path = \(root)
      read only = yes
      [gone]
      path = \(root)/no/such/folder
      read only = no
      [locked]
      path = \(root)
      read only = no
      auth users = me
      secrets file = \(folder)/secrets

      """
    try SshServer.write(settings, "\(folder)/rsyncd.conf")
    try SshServer.write("me:secret\n", "\(folder)/secrets")
    server = try BackgroundProgram(
      "rsync",
      [
        "--daemon", "--no-detach", "--address=127.0.0.1", "--port=\(port)", "--config=\(folder)/rsyncd.conf",
      ], log: "\(folder)/rsyncd.log")
    try server.waitUntilListening(port)
  }

  /// The address of a folder below the root, at another port where a proxy stands before it.
  public func address(_ path: String, module: String = "open", port: Int? = nil) -> String {
    "rsync://\(module == "locked" ? "me@" : "")127.0.0.1:\(port ?? self.port)/\(module)/\(path)"
  }
}
