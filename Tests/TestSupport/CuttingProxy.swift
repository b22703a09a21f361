import ObjectStore

/// A proxy on the loopback address that does to connections what bad lines do.
public final class CuttingProxy: Sendable {
  public let port: Int
  private let server: BackgroundProgram

  public static let isPossible = BackgroundProgram.isInstalled("python3")

  /// - Parameters:
  ///   - cuts: after how many bytes, both ways together, each connection is cut, in the order they come; those after
  ///     them pass. -1 swallows everything and says nothing.
  ///   - delay: milliseconds before each piece goes on.
  public init(in folder: String, to port: Int, cuts: [Int], delay: Int = 0) throws {
    self.port = try Port.free()
    let script = "\(folder)/proxy-\(self.port).py"
    try SshServer.write(Self.program, script)
    server = try BackgroundProgram(
      "python3", [script, "\(self.port)", "\(port)", "\(delay)"] + cuts.map { "\($0)" },
      log: "\(folder)/proxy-\(self.port).log")
    // Asking by a connection would take the first cut.
    let started = "\(script).started"
    for _ in 0..<500 where (try? PosixFileSystem().status(started)) == .some(nil) { Clock.system.sleep(20) }
  }

  private static let program = """
    import socket, sys, threading, time
    here, there, delay = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) / 1000
    cuts = [int(word) for word in sys.argv[4:]]

    def handle(client, cut):
        if cut is not None and cut < 0:
            while client.recv(65536):
                pass
            return
        server = socket.create_connection(("127.0.0.1", there))
        left, lock = [cut], threading.Lock()

        def close():
            for end in (client, server):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

        def pump(source, target):
            try:
                while True:
                    piece = source.recv(4096)
                    if not piece:
                        target.shutdown(socket.SHUT_WR)
                        return
                    if delay:
                        time.sleep(delay)
                    with lock:
                        if left[0] is not None:
                            piece = piece[:left[0]]
                            left[0] -= len(piece)
                        over = left[0] == 0
                    target.sendall(piece)
                    if over:
                        close()
                        return
            except OSError:
                close()

        threads = [threading.Thread(target=pump, args=pair) for pair in ((client, server), (server, client))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        client.close()
        server.close()

    listener = socket.create_server(("127.0.0.1", here))
    open(sys.argv[0] + ".started", "w").close()
    number = 0
    while True:
        client, _ = listener.accept()
        cut = cuts[number] if number < len(cuts) else None
        number += 1
        threading.Thread(target=handle, args=(client, cut), daemon=True).start()

    """
}
