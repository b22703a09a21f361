import Foundation
import ObjectStore
import TestSupport
import Testing

/// SIGINT in each long operation of the built program: status 130, nothing left behind, and the same again works. Of
/// SIGTERM and SIGHUP it dies, and leaves no more.
@Suite(.serialized) struct InterruptTests {
  private let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "runic-interrupt-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  private func remove() { try? FileManager.default.removeItem(atPath: folder) }

  private func program(in folder: String) throws -> TracedProgram {
    TracedProgram(
      program: try #require(BuiltProgram.path, "build the product runic first"), folder: folder)
  }

  /// Machine `a` with much to roll up and to push, `b` with something to pull, logs to collect, lines to take in.
  private static let preparation = """
    set -e
    mkdir -p home/.claude/projects/w scratch
    lines() { awk -v from=$1 -v to=$2 -v w=$3 'BEGIN { for (n = from; n < to; n++)
      printf "{\\"id\\":\\"%s%d\\",\\"payload\\":{\\"text\\":\\"%d\\"}}\\n", w, n, n * 7919 }'; }
    awk 'BEGIN { for (n = 0; n < 50; n++) printf "%s%d%s\\n",
      "{\\"type\\":\\"assistant\\",\\"requestId\\":\\"r\\",\\"timestamp\\":\\"2026-09-05T12:00:00Z\\",\\"message\\":{\\"id\\":\\"m",
      n, "\\",\\"model\\":\\"m\\",\\"usage\\":{\\"input_tokens\\":1,\\"output_tokens\\":2}}}" }' > home/.claude/projects/w/1.jsonl
    exec 2>&1
    "$R" --repo a init --name A; "$R" --repo a remote add home share
    "$R" --repo a kind add note --per-key
    lines 0 50 a | "$R" --repo a record note -
    "$R" --repo a push; "$R" --repo a key export > key
    "$R" --repo b clone share --name B --key-file key
    "$R" --repo b record preferences theme=dark; "$R" --repo b push
    "$R" --repo a export | sed 's/note/memo/' > export.jsonl
    for n in 1 2 3 4 5 6 7 8; do lines $((n * 100)) $((n * 120)) a | "$R" --repo a record note -; done
    lines 0 200 new > lines.jsonl
    """

  @Test(
    .enabled(if: TracedProgram.isPossible, "for want of strace"),
    arguments: [
      ("record note -", "lines.jsonl"), ("record usage", "/dev/null"), ("pull", "/dev/null"),
      ("push", "/dev/null"), ("fsck", "/dev/null"), ("fsck home", "/dev/null"),
      ("import -", "export.jsonl"), ("export", "/dev/null"), ("gc", "/dev/null"),
      ("clone share --key-file key", "/dev/null"),
    ])
  func whereverItComesNothingIsLeftBehind(_ command: String, _ input: String) throws {
    defer { remove() }
    let begin = try program(in: folder).run(Self.preparation)
    #expect(begin.status == 0, "\(begin.output)")
    let repository = command.hasPrefix("clone") ? "c" : "a"
    let arguments = "--repo \(repository) \(command)"
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededRandom(seed: seed)
    // The remotes keep their addresses: so the state is put back in its place, not copied elsewhere.
    let keep = try program(in: folder)
    func restore() throws {
      _ = try keep.run("rm -rf a b c share home/.cache; cp -a ../$(basename \"$PWD\").kept/. .")
    }
    _ = try keep.run("cp -a . ../$(basename \"$PWD\").kept")
    defer { try? FileManager.default.removeItem(atPath: folder + ".kept") }
    let points = try keep.points(arguments, input: input)
    #expect(points.count > 20)
    for _ in 0..<4 {
      let point = points[Int(random.next() % UInt64(points.count))]
      let place: Comment = "\(command), interrupted at \(point), seed \(seed)"
      try restore()
      let run = try keep.interrupt(arguments, input: input, at: point)
      #expect(run.status == 130, place)
      #expect(run.output.contains("runic: error: interrupted"), place)
      let left = try keep.run(
        "find a/tmp b/tmp scratch -type f; find share -name '.*'; ls -d c a/tmp/* 2>/dev/null; true")
      #expect(left.output == "", place)
      let again = try keep.run("\"$R\" \(arguments) < \(input) && \"$R\" --repo \(repository) fsck")
      #expect(again.status == 0, "\(place): \(again.output)")
      #expect(!again.output.contains("stranger"), place)
    }
  }

  /// The program that is run for a log is ended first.
  @Test(arguments: [("INT", 130), ("TERM", 143), ("HUP", 129)])
  func aProgramThatIsWaitedForEndsToo(_ signal: String, _ status: Int) throws {
    defer { remove() }
    let run = try program(in: folder).run(
      """
      set -em; exec 2> noise
      mkdir -p bin scratch home/.codex/sessions/2026/09/05
      printf '#!/bin/sh\\necho $$ > "%s/pid"\\nexec sleep 600\\n' "$PWD" > bin/zstd; chmod +x bin/zstd
      printf '\\050\\265\\057\\375' > home/.codex/sessions/2026/09/05/rollout-1.jsonl.zst
      "$R" --repo a init > /dev/null 2>&1
      PATH="$PWD/bin:$PATH" "$R" --repo a record usage --from codex > out 2>&1 & runic=$!
      for n in $(seq 3000); do test -s pid && break; sleep 0.01; done
      kill -\(signal) $runic
      wait $runic && echo "status 0" || echo "status $?"
      kill -0 $(cat pid) 2> /dev/null && echo alive
      ls a/tmp; cat out
      """)
    #expect(run.output == "status \(status)\nrunic: error: interrupted\n")
  }

  /// A signal that is ignored stays so, as `nohup` has it.
  @Test func whoIsToLiveOnDoes() throws {
    defer { remove() }
    let run = try program(in: folder).run(
      """
      set -em; exec 2> noise
      mkfifo pipe; mkdir -p scratch
      "$R" --repo a init > /dev/null 2>&1; "$R" --repo a kind add note --history > /dev/null
      (trap '' HUP; exec "$R" --repo a record note - < pipe > out 2>&1) & runic=$!
      exec 3> pipe
      awk 'BEGIN { for (n = 0; n < 90000; n++) printf "{\\"text\\":\\"%060d\\"}\\n", n }' >&3
      for n in $(seq 3000); do find a/tmp -name input | grep -q . && break; sleep 0.01; done
      kill -HUP $runic
      exec 3>&-
      wait $runic && echo "status 0" || echo "status $?"
      "$R" --repo a list note --all --json | wc -l
      """)
    #expect(run.output == "status 0\n90000\n")
  }

  /// Bytes keep coming on standard input: what was gathered is gone.
  @Test func inputThatIsStillComingIsDropped() throws {
    defer { remove() }
    let run = try program(in: folder).run(
      """
      set -em; exec 2> noise
      mkfifo pipe
      "$R" --repo a init > /dev/null 2>&1; "$R" --repo a kind add note --history > /dev/null
      "$R" --repo a record note - < pipe > out 2>&1 & runic=$!
      exec 3> pipe
      awk 'BEGIN { for (n = 0; n < 90000; n++) printf "{\\"text\\":\\"%060d\\"}\\n", n }' >&3
      for n in $(seq 3000); do find a/tmp -name input | grep -q . && break; sleep 0.01; done
      find a/tmp -name input | wc -l
      kill -INT $runic
      wait $runic && echo "status 0" || echo "status $?"
      find a/tmp -type f; cat out; "$R" --repo a list note | wc -l
      """)
    #expect(run.output == "1\nstatus 130\nrunic: error: interrupted\n0\n")
  }

  /// Over a real sshd and a line that is slow: ssh and rsync end, and the next push cleans what they left there.
  @Test(arguments: [("push", "INT", 130), ("pull", "TERM", 143), ("clone", "HUP", 129)])
  func aTransferOverSshEnds(_ direction: String, _ signal: String, _ status: Int) throws {
    defer { remove() }
    guard SshServer.isPossible, CuttingProxy.isPossible else {
      return print("not tried, for want of sshd, rsync or python3: an interrupted transfer over ssh")
    }
    let server = try SshServer(in: folder)
    let proxy = try CuttingProxy(in: folder, to: server.port, cuts: [], delay: 10)
    let shell = "\(server.command()) -o HostKeyAlias=[127.0.0.1]:\(server.port)"
    let url = "ssh://\(server.user)@127.0.0.1:\(proxy.port)\(folder)/share"
    let wait =
      direction == "push"
      ? "find share/devices -type f" : "find \(direction == "pull" ? "b" : "c")/tmp -path '*.part-*' -type f"
    let command =
      direction == "push"
      ? "--repo a push" : direction == "pull" ? "--repo b pull" : "--repo c clone \(url) --key-file key"
    let run = try program(in: folder).run(
      """
      set -em; exec 2> noise
      export RSYNC_RSH='\(shell)'
      mkdir -p scratch
      exec 4>&1 > log 2>&1
      "$R" --repo a init --name A; "$R" --repo a remote add home share
      "$R" --repo a kind add note --per-key; "$R" --repo a key export > key
      "$R" --repo a push
      "$R" --repo b clone share --key-file key --name B
      head -c 150000 /dev/urandom | od -An -tx1 -v -w400 | tr -d ' ' |
        awk '{ printf "{\\"id\\":\\"%d\\",\\"payload\\":{\\"text\\":\\"%s\\"}}\\n", NR, $1 }' > lines
      "$R" --repo a record note - < lines
      test \(direction) = push || "$R" --repo a push
      "$R" --repo a remote set-url home \(url); "$R" --repo b remote set-url origin \(url)
      before=$(\(wait) 2> /dev/null | sort)
      "$R" \(command) & runic=$!
      for n in $(seq 3000); do test "$(\(wait) 2> /dev/null | sort)" != "$before" && break; sleep 0.01; done
      exec >&4
      kill -\(signal) $runic
      wait $runic && echo "status 0" || echo "status $?"
      for n in $(seq 1000); do ps -C ssh,rsync -o args= | grep -q "$PWD" || break; sleep 0.01; done
      ps -C ssh,rsync -o args= | grep "$PWD" || true
      find a/tmp b/tmp scratch -type f; test -e c && echo "a clone is left"
      "$R" \(command) > log 2>&1 && echo again; grep error log
      find share -name '.*' | grep -v '^share$'; true
      """)
    #expect(
      run.output == "status \(status)\nagain\n",
      "\(direction): \((try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "")")
  }
}
