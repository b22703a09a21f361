import ObjectStore
import Synchronization
import TestSupport
import Testing

/// A runner that answers from a list, and keeps what was asked.
private final class ScriptedRunner: ProgramRunner {
  let answers: Mutex<[ProgramResult]>
  let calls = Mutex<[ProgramCall]>([])
  let version: String

  init(_ answers: [ProgramResult], version: String = "rsync  version 3.2.7  protocol version 31") {
    self.answers = Mutex(answers)
    self.version = version
  }

  func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult {
    if call.arguments == ["--version"] { return ProgramResult(status: 0, output: Array("\(version)\n".utf8)) }
    calls.withLock { $0.append(call) }
    let answer = answers.withLock { $0.isEmpty ? ProgramResult(status: 0) : $0.removeFirst() }
    var rest = answer.output[...]
    while !rest.isEmpty {
      onOutput(rest.prefix(7))
      rest = rest.dropFirst(7)
    }
    return answer
  }
}

/// Brings one file, whatever is asked for.
private struct BringingRunner: ProgramRunner {
  let name: TreeName

  func run(
    _ call: ProgramCall, onOutput: (ArraySlice<UInt8>) -> Void
  ) throws(ProgramError) -> ProgramResult {
    var output = "rsync  version 3.2.7  protocol version 31\n"
    if let target = call.arguments.last, target.hasPrefix("/"), !call.arguments.contains("-n") {
      let files = PosixFileSystem()
      let path = target + name.path
      do throws(SystemError) {
        try files.makeDirectories(parent(of: path), permissions: 0o700)
        try files.writeSynced([1], to: path, permissions: 0o600)
      } catch { throw .system(error) }
      output = ">f+++++++++ 1 \(name.path)\n"
    }
    onOutput(Array(output.utf8)[...])
    return ProgramResult(status: 0, output: Array(output.utf8))
  }
}

@Suite struct RsyncFailureTests {
  /// A disk of this side that fails is no missing marker, and no missing slot.
  @Test func whatCannotBeReadHereIsNotTakenForMissing() throws {
    let slot = try #require(TreeName(path: "keys/\(String(repeating: "ab", count: 16)).json"))
    for (name, ask) in [
      (.marker, { _ = try $0.marker() }), (slot, { _ = try #require(try $0.keys().first) }),
    ] as [(TreeName, (any Remote) throws -> Void)] {
      for code in [5, 24] as [Int32] {
        let files = FaultyFileSystem(PosixFileSystem())
        let remote = try LineRemotes(runner: BringingRunner(name: name), files: files).open("nas:runic")
        try ask(remote)
        files.setFault(FaultyFileSystem.Fault(call: 1, code: code, .fromThenOn, only: [.open]))
        let error = #expect(throws: RemoteError.self) { try ask(remote) }
        #expect(error?.reason == .failed && error?.cause?.code == code)
      }
    }
  }

  struct Row: Sendable {
    let status: Int32
    let said: String
    let reason: RemoteError.Reason
    init(_ status: Int32, _ said: String, _ reason: RemoteError.Reason) {
      (self.status, self.said, self.reason) = (status, said, reason)
    }
  }

  /// What the programs say: rsync 3.1 to 3.5 and OpenSSH 9, the line that tells and the last one.
  static let rows = [
    Row(255, "ssh: Could not resolve hostname nas: Name or service not known", .unknownHost),
    Row(10, "rsync: getaddrinfo: nas 873: Name or service not known", .unknownHost),
    Row(255, "ssh: connect to host nas port 22: Connection refused", .refused),
    Row(10, "rsync: failed to connect to nas (10.0.0.1): Connection refused (111)", .refused),
    Row(255, "ssh: connect to host nas port 22: Connection timed out", .timedOut),
    Row(30, "rsync error: timeout in data send/receive (code 30) at io.c(197)", .timedOut),
    Row(35, "rsync error: timeout waiting for daemon connection (code 35)", .timedOut),
    Row(
      255, "@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
      .changedHostKey),
    Row(255, "Host key verification failed.", .unknownHostKey),
    Row(255, "me@nas: Permission denied (publickey,password).", .authentication),
    Row(5, "@ERROR: auth failed on module m", .authentication),
    Row(5, "@ERROR: access denied to m from here (10.0.0.2)", .authentication),
    Row(5, "@ERROR: Unknown module 'm'", .unknownModule),
    Row(1, "ERROR: module is read only\nrsync error: syntax or usage error (code 1)", .readOnly),
    Row(23, "rsync: mkstemp \"/x/.y\" failed: Read-only file system (30)", .readOnly),
    Row(23, "rsync: [sender] change_dir \"/x\" failed: No such file or directory (2)", .unreachable),
    Row(11, "rsync: mkdir \"/x/y\" failed: No such file or directory (2)", .unreachable),
    Row(5, "@ERROR: chdir failed", .unreachable),
    Row(11, "rsync: write failed on \"/x\": No space left on device (28)", .full),
    Row(11, "rsync: write failed on \"/x\": Disk quota exceeded (122)", .quota),
    Row(2, "protocol version mismatch -- is your shell clean?", .noise),
    Row(127, "bash: line 1: rsync: command not found", .missingThere),
    Row(127, "sh: 1: rsync: not found\nrsync error: remote command not found (code 127)", .missingThere),
    Row(1, "rsync: --delete-missing-args: unknown option", .tooOldThere),
    Row(24, "file has vanished: \"/x\"", .vanished),
    Row(23, "rsync: mkstemp \"/x/.y\" failed: Permission denied (13)", .forbidden),
    Row(12, "rsync: connection unexpectedly closed (0 bytes received so far) [sender]", .lostConnection),
    Row(255, "Connection reset by 10.0.0.1 port 22", .lostConnection),
    Row(12, "rsync error: error in rsync protocol data stream (code 12)", .lostConnection),
    Row(255, "ssh: connect to host nas port 22: No route to host", .unreachable),
    Row(20, "rsync error: received SIGINT, SIGTERM, or SIGHUP (code 20)", .interrupted),
    Row(
      14, "rsync: [Receiver] Failed to exec ssh: No such file or directory (2)\nrsync error: x", .missingHere),
    Row(14, "rsync error: error in IPC code (code 14)", .failed),
  ]

  @Test(arguments: rows) func eachEndIsOfASort(row: Row) throws {
    let answer = ProgramResult(status: row.status, errors: Array(row.said.utf8))
    let runner = ScriptedRunner([answer])
    let remote = try LineRemotes(runner: runner).open("nas:runic")
    let error = #expect(throws: RemoteError.self) { try remote.list([.heads]) }
    #expect(error?.reason == row.reason)
    #expect(error?.program?.status == row.status)
  }

  @Test func whatPassesIsTriedAgainAfterTwoFourAndEightSeconds() throws {
    let passing = ProgramResult(status: 12, errors: Array("connection unexpectedly closed".utf8))
    let pauses = Mutex<[Int64]>([])
    for count in 0...4 {
      pauses.withLock { $0 = [] }
      let runner = ScriptedRunner(Array(repeating: passing, count: count))
      let options = RemoteOptions(runner: runner)
      let clock = Clock(now: { 0 }, sleep: { pause in pauses.withLock { $0.append(pause) } })
      let remote = try #require(
        RsyncRemote(
          "nas:runic", device: RemoteSamples.device, fileSystem: PosixFileSystem(), clock: clock,
          random: .seeded(3), options: options))
      let reason = try RemoteError.reason { _ = try remote.list([.heads]) }
      #expect(reason == (count == 4 ? .lostConnection : nil))
      let bounds: [ClosedRange<Int64>] = [2000...2500, 4000...5000, 8000...10_000]
      let waited = pauses.withLock { $0 }
      #expect(waited.count == min(count, 3))
      for (pause, bound) in zip(waited, bounds) { #expect(bound.contains(pause)) }
    }
  }

  @Test func whatDoesNotPassIsNotTriedAgain() throws {
    let runner = ScriptedRunner([ProgramResult(status: 5, errors: Array("@ERROR: Unknown module 'm'".utf8))])
    let remote = try LineRemotes(runner: runner, retries: true).open("rsync://nas/m")
    #expect(try RemoteError.reason { _ = try remote.list([.heads]) } == .unknownModule)
    #expect(runner.calls.withLock { $0.count } == 1)
  }

  @Test func anOptionThatIsNotKnownThereIsLeftOut() throws {
    let folder = try TemporaryFolder()
    let place = try DirectoryPlace()
    let file = try RemoteSamples.object(in: place, count: 10)
    _ = folder
    let listed = ProgramResult(status: 0, output: Array("cd+++++++++ 4096 heads/\n".utf8))
    let old = ProgramResult(status: 1, errors: Array("rsync: --fsync: unknown option".utf8))
    let sent = ProgramResult(status: 0, output: Array("<f+++++++++ 10 \(file.name.path)\n".utf8))
    let runner = ScriptedRunner([listed, old, sent], version: "rsync  version 3.4.1  protocol version 32")
    let remote = try LineRemotes(runner: runner).open("nas:runic")
    #expect(try remote.add([file]) == [file.name])
    let had = runner.calls.withLock { $0.map { $0.arguments.contains("--fsync") } }
    #expect(had == [false, true, false])
  }

  @Test(arguments: [
    ("rsync  version 3.0.9  protocol version 30", RemoteError.Reason?.some(.tooOldHere)),
    ("openrsync: protocol version 29", .tooOldHere), ("rsync  version 3.1.0  protocol version 31", nil),
    ("rsync  version v3.5.0dev  protocol version 32", nil),
  ]) func theVersionHereIsLookedAt(version: String, reason: RemoteError.Reason?) throws {
    let remote = try LineRemotes(runner: ScriptedRunner([], version: version)).open("nas:runic")
    #expect(try RemoteError.reason { _ = try remote.list([.heads]) } == reason)
  }

  @Test func aMissingProgramIsNamed() throws {
    let runner = WatchedRunner(["PATH": "/nonexistent"], prefix: ["/runic-nonexistent/env"])
    for address in ["nas:runic", "rclone:box:runic"] {
      let remote = try LineRemotes(runner: runner).open(address)
      #expect(try RemoteError.reason { _ = try remote.list([.heads]) } == .missingHere)
    }
  }

  /// Within a large file too: on a slow line one may take minutes.
  @Test func progressIsWhatRsyncSaysOfTheWholeRun() throws {
    let place = try DirectoryPlace()
    let file = try RemoteSamples.object(in: place, count: 10)
    let listed = ProgramResult(status: 0, output: Array("cd+++++++++ 4096 heads/\n".utf8))
    let said = """
      <f+++++++++ 10 \(file.name.path)
      \r            300  33%    1.14MB/s    0:00:01  \r            600  66%    1.14MB/s    0:00:01  \
      \r            900 100%    1.00MB/s    0:00:02 (xfr#1, to-chk=0/9)

      """
    let seen = Mutex<[TransferProgress]>([])
    let sent = ProgramResult(status: 0, output: Array(said.utf8))
    var lines = LineRemotes(runner: ScriptedRunner([listed, sent]))
    lines.observer = RemoteObserver(progress: { progress in seen.withLock { $0.append(progress) } })
    #expect(try lines.open("nas:runic").add([file]) == [file.name])
    let states = seen.withLock { $0 }
    #expect(Set(states.map(\.bytes)) == [0, 300, 600, 900])
    #expect(states.map(\.bytes) == states.map(\.bytes).sorted())
    #expect(states.last?.files == 1)
  }

  /// rsync is there, and what it reaches hosts through is not: no lost line that is worth another try.
  @Test(.enabled(if: RsyncDaemon.isPossible, "needs rsync"))
  func aMissingShellIsNamed() throws {
    let remote = try LineRemotes(shell: "runic-nonexistent-ssh -F none").open("nas:runic")
    let error = #expect(throws: RemoteError.self) { try remote.list([.heads]) }
    #expect(error?.reason == .missingHere)
    #expect(error?.program?.program == "runic-nonexistent-ssh")
  }

  private static let object = "devices/00d4019e/401e21d4019f"

  /// What rclone says (1.60 to 1.73). Names hold any digits, and paths any words.
  static let rcloneRows = [
    Row(
      1, "ERROR : \(object): Failed to copy: read tcp 10.0.0.1:443: connection reset by peer",
      .lostConnection),
    Row(
      1, "ERROR : \(object): Failed to copy: Put \"http://nas:401/\(object)\": unexpected EOF",
      .lostConnection),
    Row(1, "ERROR : \(object): Failed to copy: corrupted on transfer: sizes differ 401 vs 402", .failed),
    Row(1, "Failed to lsf: Get \"https://nas/Unauthorized/Forbidden\": dial tcp: i/o timeout", .timedOut),
    Row(1, "Failed to copy: error for \"AccessDenied/quota exceeded\": EOF", .lostConnection),
    Row(1, "Failed to lsf: error in ListJSON: Unauthorized: 401 Unauthorized", .authentication),
    Row(1, "Failed to lsf: googleapi: Error 401: Invalid Credentials, authError", .authentication),
    Row(1, "Failed to lsf: InvalidToken: \n\tstatus code: 401, request id: 7", .authentication),
    Row(1, "Failed to lsf: https response error StatusCode: 401, RequestID: 7", .authentication),
    Row(1, "Failed to create file system for \"b:x\": unknown: (401 bad_auth_token)", .authentication),
    Row(1, "Failed to lsf: AccessDenied: Access Denied\n\tstatus code: 403", .authentication),
    Row(1, "ERROR : x: Failed to copy: Forbidden: 403 Forbidden", .forbidden),
    Row(1, "ERROR : x: Failed to copy: 507 Insufficient Storage", .full),
    Row(1, "Failed to create file system for \"x:\": didn't find section in config file", .unknownModule),
  ]

  @Test(arguments: rcloneRows) func eachEndOfRcloneIsOfASort(row: Row) throws {
    let answer = ProgramResult(status: row.status, errors: Array(row.said.utf8))
    let remote = try LineRemotes(runner: ScriptedRunner([answer])).open("rclone:box:runic")
    #expect(try RemoteError.reason { _ = try remote.list([.heads]) } == row.reason)
  }

  @Test func theTimeInRclonesLogIsNotTold() throws {
    let said =
      "2026/11/30 09:42:57 Failed to create file system for \"x:\": didn't find section in config file"
    let runner = ScriptedRunner([ProgramResult(status: 1, errors: Array(said.utf8))])
    let remote = try LineRemotes(runner: runner).open("rclone:x:y")
    let error = #expect(throws: RemoteError.self) { try remote.list([.heads]) }
    #expect(error?.program?.said == String(said.dropFirst(20)))
  }

  /// The dangerous ones are in no command: `-a`, a bare `--delete`, anything that a remote could have named.
  @Test func everyArgumentIsOneOfOurs() throws {
    let place = try DirectoryPlace()
    let file = try RemoteSamples.object(in: place, count: 10)
    let root = ProgramResult(
      status: 0, output: Array("cd+++++++++ 4096 heads/\n.f          3 --delete\n".utf8))
    let sent = ProgramResult(status: 0, output: Array("<f+++++++++ 10 \(file.name.path)\n".utf8))
    let runner = ScriptedRunner([root, sent, sent])
    let remote = try LineRemotes(runner: runner).open("ssh://me@nas:2222/srv/a b[1]")
    _ = try remote.add([file])
    _ = try remote.publish([file], replacing: [], removing: [.object(RemoteSamples.device, SHA256.hash([1]))])
    let shell = "ssh -p 2222 -o ConnectTimeout=20 -o ServerAliveInterval=7 -o ServerAliveCountMax=3"
    for call in runner.calls.withLock({ $0 }) {
      let split = try #require(call.arguments.firstIndex(of: "--"))
      #expect(call.arguments[(split + 1)...].contains("me@nas:/srv/a b\\[1\\]/"))
      #expect(call.arguments[..<split].allSatisfy { $0.hasPrefix("-") })
      for banned in ["-a", "--archive", "--delete", "-D", "-l", "-p", "-t"] {
        #expect(!call.arguments.contains(banned))
      }
      #expect(call.arguments.contains("--rsh=\(shell)"))
    }
  }
}
