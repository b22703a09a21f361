import CanonicalJSON
import Foundation
import ObjectStore
import Testing
import TestSupport

/// The real program, watching: two devices on one folder.
@Suite struct WatchProgramTests {
  private let bench: WatchBench

  init() throws {
    bench = try WatchBench()
    try bench.makePair()
  }

  private func objects() throws -> Set<String> {
    let list = try bench.run("cd share && find devices heads -type f")
    return Set(list.output.split(separator: "\n").map(String.init))
  }

  /// The five checks of a release with two devices.
  @Test func twoDevicesFollowEachOther() throws {
    let a = try bench.watch("a")
    let b = try bench.watch("b")
    // One edit appears on the other side with both running.
    try bench.write("{\"size\": 2}", to: "a.json")
    try until("one edit") { bench.read("b.json").contains("\"size\": 2") }
    // Six rapid edits all appear, and are one commit.
    let before = try bench.run("\"$RUNIC\" --repo b log --json").output.split(separator: "\n").count
    for count in 1...6 {
      let keys = (1...count).map { "\"k\($0)\": \($0)" }.joined(separator: ", ")
      try bench.write("{\"size\": 2, \(keys)}", to: "b.json")
    }
    try until("six edits") { bench.read("a.json").contains("\"k6\": 6") }
    #expect((1...6).allSatisfy { bench.read("a.json").contains("\"k\($0)\": \($0)") })
    let after = try bench.run("\"$RUNIC\" --repo b log --json").output.split(separator: "\n").count
    #expect((1...2).contains(after - before), "edits within a second are one commit")
    // A side that slept catches up.
    b.signal(SIGSTOP)
    try bench.run("\"$RUNIC\" --repo a record editor main slept=true")
    try bench.write("{\"size\": 3}", to: "c.json")
    try a.wait { $0.contains { $0["event"] == "synced" && $0["pushedCount"] == 1 } }
    #expect(!bench.read("b.json").contains("slept"))
    b.signal(SIGCONT)
    try until("the side that slept") { bench.read("b.json").contains("\"slept\": true") }
    // The log shows what others changed; a device that is new here has no name yet.
    #expect(a.events.contains { $0["event"] == "remote-changed" && $0["devices"]?.arrayValue?.count == 1 })
    #expect(b.events.contains { $0["event"] == "remote-changed" && $0["devices"] == ["A"] })
    // The folder holds what both have.
    for process in [a, b] {
      process.signal(SIGTERM)
      try process.wait { $0.last?["event"] == "stopped" }
    }
    let synced = try bench.run(
      "\"$RUNIC\" --repo a sync && \"$RUNIC\" --repo b sync && \"$RUNIC\" --repo a sync && \"$RUNIC\" fsck home --repo a"
    )
    #expect(synced.status == 0, "\(synced.output)")
    let shared = try objects()
    for device in ["a", "b"] {
      let own = try bench.run("cd \(device)/store && find devices heads -type f").output
      #expect(own.split(separator: "\n").contains { shared.contains(String($0)) })
    }
    #expect(bench.read("a.json").contains("\"k6\"") && bench.read("b.json").contains("\"k6\""))
  }

  @Test func aHangUpRereadsAndATermEnds() throws {
    let a = try bench.watch("a")
    try bench.run("\"$RUNIC\" --repo a remote add second other")
    a.signal(SIGHUP)
    try a.wait { $0.contains { $0["event"] == "reread" } }
    try a.wait { $0.contains { $0["event"] == "synced" && $0["remote"] == "second" } }
    a.signal(SIGTERM)
    try a.wait { $0.last?["event"] == "stopped" }
    #expect(try bench.run("\"$RUNIC\" --repo a status").status == 0)
  }

  @Test func aFolderThatGoesAndReturnsIsNoEnd() throws {
    try bench.run("mv share gone")
    let a = try bench.watch("a")
    try a.wait { $0.contains { $0["event"] == "away" && $0["remote"] == "home" } }
    try bench.run("\"$RUNIC\" --repo a record editor main while=away")
    try a.wait { $0.contains { $0["event"] == "recorded" } }
    try bench.run("mv gone share")
    a.signal(SIGHUP)
    try a.wait { $0.contains { $0["event"] == "reread" } }
    try a.wait { $0.contains { $0["event"] == "back" } }
    try a.wait { $0.contains { $0["event"] == "synced" && $0["pushedCount"] == 1 } }
    a.signal(SIGTERM)
    try a.wait { $0.last?["event"] == "stopped" }
    let once = try bench.run("\"$RUNIC\" --repo a watch --once && \"$RUNIC\" --repo b pull; cat b.json")
    #expect(once.status == 0)
    #expect(once.output.contains("\"while\": \"away\""))
  }

  /// One machine is enough to begin with: its settings files are records too.
  @Test func oneMachineAloneTakesItsFiles() throws {
    let once = try bench.run(
      """
      "$RUNIC" --repo c init --name C && "$RUNIC" --repo c kind add editor --per-key
      echo '{"size": 1}' > c.json && "$RUNIC" --repo c track c.json --as editor/main
      echo '{"size": 2}' > c.json && "$RUNIC" --repo c watch --once --json
      echo "status $?"; "$RUNIC" --repo c get editor main
      """
    ).output
    #expect(once.contains("\"event\":\"tracked\"") && once.contains("status 0") && once.contains("size  2"))
    try bench.write("{\"size\": 3}", to: "c.json")
    let c = try bench.watch("c")
    try c.wait { $0.contains { $0["event"] == "tracked" } }
    c.signal(SIGTERM)
    try c.wait { $0.last?["event"] == "stopped" }
    #expect(try bench.run("\"$RUNIC\" --repo c get editor main").output.contains("size  3"))
  }

  @Test func theListOfTrackedFilesSaysWhatIsWrongWithThem() throws {
    let run = try bench.run(
      """
      chmod 444 a.json
      "$RUNIC" --repo a record editor main size=9
      "$RUNIC" --repo a sync
      rm -f a.json
      "$RUNIC" --repo a track
      "$RUNIC" --repo a track --json
      """)
    #expect(run.output.contains("its mode lets nobody write it"), "\(run.output)")
    let absent = run.output.components(separatedBy: "it is not there; it is left alone").count - 1
    #expect(absent == 2, "\(run.output)")
  }

  @Test func hooksAreRealPrograms() throws {
    let run = try bench.run(
      """
      mkdir -p a/hooks b/hooks
      printf '#!/bin/sh\\necho "$1 $2 $RUNIC_HOOK" >> "$RUNIC_REPO/../ran"\\n"$RUNIC" pull >/dev/null || exit 9\\n' > a/hooks/pre-sync
      printf '#!/bin/sh\\ncat > "$RUNIC_REPO/../merged"\\n' > b/hooks/post-merge
      printf '#!/bin/sh\\ncat > "$RUNIC_REPO/../failed"\\nexit 4\\n' > b/hooks/on-failure
      chmod +x a/hooks/* b/hooks/*
      "$RUNIC" --repo a record editor main hooked=1
      "$RUNIC" --repo a push; echo "push $?"
      "$RUNIC" --repo b pull; echo "pull $?"
      cat ran merged; echo "ran $(grep -c . ran)"
      printf '#!/bin/sh\\necho nope >&2\\nexit 7\\n' > a/hooks/pre-sync
      "$RUNIC" --repo a sync; echo "stopped $?"
      printf '#!/bin/sh\\nsleep 20\\n' > a/hooks/pre-sync
      "$RUNIC" --repo a config set hooks.timeout 1
      "$RUNIC" --repo a sync; echo "late $?"
      printf 'no program' > a/hooks/pre-sync
      "$RUNIC" --repo a sync --json; echo "odd $?"
      mv share gone
      "$RUNIC" --repo b sync; echo "failed $?"
      cat failed
      """)
    for line in [
      "push 0", "pull 0", "home push pre-sync", "ran 1", "stopped 1", "late 1", "odd 1", "failed 4", "nope",
      "was ended after 1 second", "hook on-failure ended with status 4",
    ] {
      #expect(run.output.contains(line), "\(line) in \(run.output)")
    }
    #expect(run.output.contains("\"hooked\":1"))
    #expect(run.output.contains("\"operation\":\"sync\""))
    #expect(run.output.contains("'runic remote check home --create'") && !run.output.contains("check NAME"))
  }

  @Test func onceTellsTheSameEvents() throws {
    let run = try bench.run(
      """
      "$RUNIC" --repo a record preferences autoRefreshEnabled=true > /dev/null
      printf '{"size": 1, "once": 1}' > a.json
      "$RUNIC" --repo a watch --once --json > out 2> err; echo "status $?" >> err
      mv share gone
      "$RUNIC" --repo a watch --once --json >> out 2>> err; echo "status $?" >> err
      """)
    #expect(run.status == 0 && bench.read("err") == "status 0\nstatus 4\n", "\(bench.read("err"))")
    let events = try bench.read("out").split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    #expect(
      events.map { $0["event"] } == ["collected", "tracked", "synced", "collected", "failed"], "\(events)")
    #expect(events.allSatisfy { $0["time"]?.textValue != nil })
    #expect(events.last?["remote"] == "home")
    #expect(events.last?["error"]?["hint"]?.textValue?.contains("check home --create") == true)
  }

  /// systemd is not asked: a stand-in writes down what it would be told.
  @Test func aServiceIsWrittenAndTakenAway() throws {
    let run = try bench.run(
      """
      mkdir -p bin 'odd %n "$x"'
      printf '#!/bin/sh\\necho "$@" >> "%s/told"\\n' "$PWD" > bin/systemctl
      chmod +x bin/systemctl
      export PATH="$PWD/bin:$PATH"
      "$RUNIC" --repo 'odd %n "$x"/r' init
      "$RUNIC" --repo 'odd %n "$x"/r' watch --install --json
      cat home/.config/systemd/user/runic-watch-*.service told
      "$RUNIC" --repo 'odd %n "$x"/r' watch --uninstall
      ls home/.config/systemd/user
      """)
    #expect(run.output.contains("\"running\":true"))
    #expect(run.output.contains("odd %%n \\\"$$x\\\"/r\" watch"), "\(run.output)")
    #expect(run.output.contains("--user --quiet enable --now runic-watch-"))
    #expect(run.output.hasSuffix(".service'\n"), "\(run.output)")
    if BackgroundProgram.isInstalled("systemd-analyze") {
      let checked = try bench.run(
        "\"$RUNIC\" --repo a watch --install; systemd-analyze --user verify home/.config/systemd/user/*.service"
      )
      #expect(
        !checked.output.contains("Invalid") && !checked.output.contains("ignoring"), "\(checked.output)")
    } else {
      print("not tried, for want of systemd-analyze: whether systemd takes the service")
    }
  }

  /// Random edits, kills, a folder that goes and returns: what `watch` holds stays the same, and in the end all
  /// sides agree. `RUNIC_SOAK` seconds, else a few.
  @Test func aSoakLeavesNothingBehind() throws {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededRandom(seed: seed)
    let seconds = Int64(ProcessInfo.processInfo.environment["RUNIC_SOAK"] ?? "") ?? 5
    let a = try bench.watch("a")
    var b = try bench.watch("b")
    var first: (pages: Int, descriptors: Int, threads: Int)?
    let end = Clock.system.now() + seconds * 1000
    var count = 0
    while Clock.system.now() < end {
      count += 1
      switch Int.random(in: 0...9, using: &random) {
      case 0:
        b.signal(SIGKILL)
        b = try bench.watch("b")
      case 1: try bench.run("mv share gone; sleep 0.1; mv gone share")
      case 2...4: try bench.run("\"$RUNIC\" --repo b record editor main n\(count % 20)=\(count)")
      default: try bench.write("{\"size\": \(count), \"e\(count % 7)\": \(count)}", to: "a.json")
      }
      Clock.system.sleep(Int64.random(in: 0...200, using: &random))
      if count == 8 { first = a.usage }
    }
    let last = a.usage
    if let first, last.pages > 0 {
      #expect(last.descriptors <= first.descriptors + 4, "seed \(seed)")
      #expect(last.threads <= first.threads + 1, "seed \(seed)")
      // 16 MiB are noise of the allocator.
      #expect(last.pages < first.pages + 4096, "seed \(seed)")
    }
    for process in [a, b] {
      process.signal(SIGTERM)
      try process.wait { $0.last?["event"] == "stopped" }
    }
    try bench.write("{\"size\": 0, \"last\": true}", to: "a.json")
    let settled = try bench.run(
      """
      "$RUNIC" --repo a track a.json --allow-mass-removal
      for i in 1 2 3; do "$RUNIC" --repo a sync && "$RUNIC" --repo b sync || exit; done
      "$RUNIC" --repo a get editor main > got-a && "$RUNIC" --repo b get editor main > got-b && cmp got-a got-b
      "$RUNIC" --repo a fsck && "$RUNIC" --repo a fsck home
      """)
    #expect(settled.status == 0, "seed \(seed): \(settled.output)")
  }
}
