import CanonicalJSON
import Foundation
import ObjectStore
import TestSupport
import Testing

/// Two watchers whose remote lies behind a real sshd.
@Suite struct WatchSshTests {
  @Test func anEditArrivesOverSshAndALineThatIsDownIsNoEnd() throws {
    guard SshServer.isPossible else { return print("not tried, for want of sshd or rsync: watch over ssh") }
    let bench = try WatchBench()
    var server: SshServer? = try SshServer(in: bench.folder)
    let address = server?.address("\(bench.folder)/there") ?? ""
    bench.variables["RSYNC_RSH"] = server?.command()
    let made = try bench.run(
      """
      set -e
      export RUNIC_REPO=a
      "$RUNIC" init --name A
      "$RUNIC" config set watch.active 1
      "$RUNIC" remote add home "\(address)"
      "$RUNIC" kind add editor --per-key
      "$RUNIC" push
      "$RUNIC" key export > key
      "$RUNIC" --repo b clone "\(address)" --key-file key --name B --remote home
      "$RUNIC" --repo b config set watch.active 1
      for device in a b; do
        echo '{}' > $device.json
        "$RUNIC" --repo $device track $device.json --as editor/main
      done
      """)
    try #require(made.status == 0, "\(made.output)")
    let (a, b) = (try bench.watch("a"), try bench.watch("b"))
    try bench.write("{\"size\": 1}", to: "a.json")
    try until("an edit over ssh") { bench.read("b.json").contains("\"size\": 1") }
    // What is edited while the line is down waits, and nobody ends for it.
    server = nil
    try a.wait { $0.contains { $0["event"] == "failed" } }
    try bench.write("{\"size\": 2}", to: "a.json")
    try a.wait { $0.filter { $0["event"] == "tracked" }.count == 2 }
    for process in [a, b] {
      process.signal(SIGTERM)
      try process.wait { $0.last?["event"] == "stopped" }
    }
    #expect(try bench.run("\"$RUNIC\" --repo a get editor main size").output == "2\n")
  }
}
