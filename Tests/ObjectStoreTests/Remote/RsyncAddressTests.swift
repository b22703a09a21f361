import ObjectStore
import Testing

@Suite struct RsyncAddressTests {
  struct Row: Sendable {
    let text: String
    let line: RsyncAddress.Line
    let path: String
    init(_ text: String, _ line: RsyncAddress.Line, _ path: String) {
      (self.text, self.line, self.path) = (text, line, path)
    }
  }

  static let good = [
    Row("host:runic", .shell(host: "host", port: nil), "runic"),
    Row("me@host:/srv/a b'c\"ü", .shell(host: "me@host", port: nil), "/srv/a b'c\"ü"),
    Row("me@host:~/runic", .shell(host: "me@host", port: nil), "~/runic"),
    Row("host:a:b%20c", .shell(host: "host", port: nil), "a:b%20c"),
    Row("me@[fe80::1]:x", .shell(host: "me@[fe80::1]", port: nil), "x"),
    Row("ssh://me@host:2222/srv/x", .shell(host: "me@host", port: 2222), "/srv/x"),
    Row("ssh://host/~/x y", .shell(host: "host", port: nil), "~/x y"),
    Row("ssh://host/~", .shell(host: "host", port: nil), "~"),
    Row("ssh://host/~x", .shell(host: "host", port: nil), "/~x"),
    Row("ssh://[::1]:22/a%20b", .shell(host: "[::1]", port: 22), "/a%20b"),
    Row("rsync://host/module", .daemon(host: "host"), "module"),
    Row("rsync://me@host:8730/module/a b", .daemon(host: "me@host:8730"), "module/a b"),
    Row("rsync://[::1]:873/m/x", .daemon(host: "[::1]:873"), "m/x"),
  ]

  /// Each line: spellings of one place, which is none of the others.
  static let spellings = [
    ["nas:p", "nas:p/", "nas:~/p", "nas:./p", "nas:././p//", "ssh://nas/~/p"],
    ["nas:/p", "ssh://nas/p", "nas:/p/./"], ["nas:~", "nas:.", "nas:./", "ssh://nas/~"],
    ["nas:~p", "nas:./~p"], ["me@nas:p"], ["nas:p/q", "nas:p//q"], ["ssh://nas:2222/~/p"],
    ["rsync://nas/m/p", "rsync://nas/m/./p/"], ["rsync://nas/m/~/p"],
  ]

  @Test func onePlaceHasOneShortestAddress() {
    let places = Self.spellings.map { line in Set(line.map { RsyncAddress($0)?.shortest }) }
    for (line, place) in zip(Self.spellings, places) { #expect(place.count == 1, "\(line)") }
    #expect(Set(places).count == Self.spellings.count)
  }

  @Test(arguments: good) func reads(row: Row) throws {
    let address = try #require(RsyncAddress(row.text))
    #expect(address.line == row.line)
    #expect(address.path == row.path)
  }

  @Test(arguments: [
    "", "host", "/srv/x", "host:", "host::module", "-oProxyCommand=touch x:y", "me@-oProxyCommand=x:y",
    "@host:x",
    "me@:x", "a@b@c:x", "ho st:x", "ssh://host", "ssh:///x", "ssh://host:0/x", "ssh://host:65536/x",
    "ssh://host:2a/x", "ssh://-x/y", "ssh://host:-1/x", "rsync://host", "rsync://host/", "rsync:///m",
    "rsync://host:x/m", "host:a\nb", "host:a\u{0}b", "rsync://-x/m", "ftp://x", "http://host/x",
    "file:///srv",
  ]) func refuses(text: String) { #expect(RsyncAddress(text) == nil) }

  @Test(arguments: [
    ("rclone:box:a/b", "box", "a/b"), ("rclone:my box:", "my box", ""),
    ("rclone:s3-x.y:bucket/p q/", "s3-x.y", "bucket/p q"),
    ("rclone:box:/abs:colon", "box", "/abs:colon"),
  ]) func readsRclone(text: String, name: String, path: String) throws {
    let address = try #require(RcloneAddress(text))
    #expect(address.name == name)
    #expect(address.path == path)
  }

  @Test(arguments: [
    "", "box:a", "rclone:box", "rclone::local:/x", "rclone:-v:x", "rclone:local,links=true:x",
    "rclone:a\nb:x",
    "rclone:box:a\nb", "rclone:a\"b:x", "rclone: a:x",
  ]) func refusesRclone(text: String) { #expect(RcloneAddress(text) == nil) }
}
