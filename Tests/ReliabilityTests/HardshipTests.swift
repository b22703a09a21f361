import TestSupport
import Testing

/// Real disks that are full, read-only or limited, under the program as it is built: it says what is wrong, loses
/// nothing, and the next run goes on.
@Suite struct HardshipTests {
  /// Runs a script with a file system of its own to mount on; nil where this user may not.
  private func runWithMounts(_ what: String, _ script: String) throws -> [String]? {
    let probe = try BuiltProgram().run("unshare -rm sh -c 'mount -t tmpfs none .' && echo possible")
    guard probe.lines.last == "possible" else {
      print("not tried, since this user may mount nothing: \(what)")
      return nil
    }
    return try run(script, under: "unshare -rm")
  }

  /// Runs a script within a name space of its own.
  private func run(_ script: String, under command: String) throws -> [String] {
    // It stands in a file, so that no quote in it means anything to the shell outside.
    let run = try BuiltProgram().run(
      """
      cat > script <<'END'
      r() { repository=$1; shift; "$RUNIC" --repo "$repository" "$@"; }
      \(Self.words)
      \(script)
      END
      \(command) sh script
      """)
    #expect(run.status == 0, "\(run.output)")
    return run.lines
  }

  private func run(_ script: String) throws -> [String] { try BuiltProgram().run(Self.words + script).lines }

  /// `try WORDS…` prints the errors of a command and its status; `fill` and `begin` say themselves.
  private static let words = """
    try() { "$@" > out 2> err; status=$?; grep -h '^runic: error' err; echo "status $status"; }
    fill() { dd if=/dev/zero of="$1/fill" bs=1k 2> /dev/null || true; }
    begin() {
      r "$1" init --name A > /dev/null 2>&1 && r "$1" remote add home "$2" > /dev/null &&
        r "$1" record usage --provider claude --used 1 --limit 10 > /dev/null
    }
    batch() {
      for n in $(seq 300); do
        echo "{\\"providerID\\":\\"p$n\\",\\"primaryUsed\\":$n,\\"x\\":\\"$(head -c 400 /dev/urandom | od -An -tx1 | tr -d ' \\n')\\"}"
      done
    }

    """

  @Test func aFullDiskHereIsNamedAndNothingIsLost() throws {
    let lines = try runWithMounts(
      "a full disk under the repository",
      """
      mkdir disk && mount -t tmpfs -o size=600k none disk && begin disk/a share
      fill disk
      try r disk/a record usage --provider claude --used 2 --limit 10
      try r disk/n init --name N
      try r disk/a push
      r disk/a list usage --json | wc -l
      try r disk/a fsck
      mv disk/a/index disk/kept
      r disk/a list usage --json | wc -l
      mv disk/kept disk/a/index
      rm disk/fill
      try r disk/a record usage --provider claude --used 2 --limit 10
      try r disk/n init --name N
      try r disk/a push
      try r disk/a fsck
      try r disk/a fsck home
      r disk/a list usage --json | wc -l
      """)
    guard let lines else { return }
    let errors = lines.filter { $0.hasPrefix("runic: error") }
    #expect(errors.count == 3 && errors.allSatisfy { $0.contains("/disk' is full") }, "\(lines)")
    #expect(
      lines.filter { !$0.hasPrefix("runic: ") } == [
        "status 1", "status 1", "status 1", "1", "status 0", "1", "status 0", "status 0", "status 0",
        "status 0",
        "status 0", "2",
      ])
  }

  @Test func aFullDiskThereIsNamedAndTheNextPushGoesOn() throws {
    let lines = try runWithMounts(
      "a full disk under the shared folder",
      """
      mkdir small && mount -t tmpfs -o size=48k none small && begin a small
      batch | r a record usage - > /dev/null
      try r a push
      r a status --json | grep -c '"ahead":2'
      mount -o remount,size=2m small
      try r a push
      try r a fsck home
      """)
    guard let lines else { return }
    #expect(lines.first?.contains("/small' is full") == true, "\(lines)")
    #expect(lines.dropFirst() == ["status 1", "1", "status 0", "status 0"], "\(lines)")
  }

  /// A share of a disk that is used up, on a disk that has room: a quota group of btrfs, which holds for root too.
  @Test func aQuotaIsNamedLikeAFullDisk() throws {
    let mount = """
      truncate -s 120M image && mkfs.btrfs -q image > /dev/null && mkdir disk && mount -o loop image disk &&
      btrfs quota enable disk && btrfs subvolume create disk/share > /dev/null
      """
    guard try BuiltProgram().run("unshare -m sh -c '\(mount) && echo possible'").lines.last == "possible"
    else {
      print(
        "not tried, since this user may not, or mkfs.btrfs is not installed: a quota under the repository")
      return
    }
    let lines = try run(
      """
      \(mount)
      begin disk/share/a there && btrfs qgroup limit 1M disk/share
      fill disk/share && sync
      try r disk/share/a record usage --provider claude --used 2 --limit 10
      r disk/share/a list usage --json | wc -l
      btrfs qgroup limit none disk/share && rm disk/share/fill
      try r disk/share/a record usage --provider claude --used 2 --limit 10
      try r disk/share/a fsck
      r disk/share/a list usage --json | wc -l
      """, under: "unshare -m")
    #expect(lines.first?.hasSuffix("/disk/share' is full, or your share of it") == true, "\(lines)")
    #expect(lines.dropFirst() == ["status 1", "1", "status 0", "status 0", "2"], "\(lines)")
  }

  @Test func aReadOnlyDiskHereCanBeReadAndSaysSoOfTheRest() throws {
    let lines = try runWithMounts(
      "a read-only disk under the repository",
      """
      mkdir disk && mount -t tmpfs none disk && begin disk/a share && r disk/a status > /dev/null
      mount -o remount,ro disk
      try r disk/a list usage
      mount -o remount,rw disk && mv disk/a/index disk/kept && mount -o remount,ro disk
      r disk/a list usage --json | wc -l
      mount -o remount,rw disk && rm -rf disk/a/index && mv disk/kept disk/a/index && mount -o remount,ro disk
      try r disk/a status
      try r disk/a report
      try r disk/a get preferences
      try r disk/a fsck
      try r disk/a record usage --provider claude --used 2 --limit 10
      grep -c "hint: mount it for writing" err
      try r disk/n init
      mount -o remount,rw disk
      try r disk/a record usage --provider claude --used 2 --limit 10
      try r disk/a fsck
      """)
    guard let lines else { return }
    #expect(lines.filter { $0.hasSuffix("read-only file system") }.count == 2, "\(lines)")
    #expect(
      lines.filter { !$0.hasPrefix("runic: ") } == [
        "status 0", "1", "status 0", "status 0", "status 1", "status 0", "status 1", "1", "status 1",
        "status 0",
        "status 0",
      ], "\(lines)")
  }

  /// A repository whose files this user may read, and not write: as a backup, or one that another user lent.
  @Test func whatMayOnlyBeReadHereCanBeRead() throws {
    let script = """
      begin a share && r a push > /dev/null
      as() { "$@"; }
      if test "$(id -u)" = 0; then
        chown -R 65534 . && chmod 755 .
        as() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
      fi
      if ! as test -x "$RUNIC"; then echo impossible; exit; fi
      chmod -R a-w a
      for command in status 'list usage' log export conflicts report fsck pull push; do
        as "$RUNIC" --repo a $command > out 2> err || { echo "$command: $?"; cat err; }
      done
      as "$RUNIC" --repo a list usage --json | wc -l
      as "$RUNIC" --repo a record usage --provider claude --used 2 --limit 10 2> err; echo "status $?"
      chmod -R u+w a && mv a/index index && chmod -R a-w a
      as "$RUNIC" --repo a list usage --json | wc -l
      chmod -R u+w a
      """
    let lines = try run(script)
    if lines == ["impossible"] {
      print("not tried, since another user cannot run the program: files that may only be read")
      return
    }
    #expect(lines == ["1", "status 1", "1"], "\(lines)")
  }

  @Test func aReadOnlyFolderThereCanBePulledFrom() throws {
    let lines = try runWithMounts(
      "a read-only shared folder",
      """
      mkdir there && mount -t tmpfs none there && begin a there && r a push > /dev/null
      r a key export > key
      mount -o remount,ro there
      try r b clone there --name B --key-file key --remote home
      try r b record usage --provider codex --used 2 --limit 10
      try r b pull
      try r b push
      mount -o remount,rw there
      try r b push
      try r a pull
      r a list usage --json | wc -l
      """)
    guard let lines else { return }
    #expect(lines.filter { $0.contains("is read-only") }.count == 1, "\(lines)")
    #expect(
      lines.filter { !$0.hasPrefix("runic: ") } == [
        "status 0", "status 0", "status 0", "status 1", "status 0", "status 0", "2",
      ], "\(lines)")
  }

  @Test func withoutTemporaryFolderAndWithAReadOnlyHomeAllGoesOn() throws {
    let lines = try runWithMounts(
      "a machine without a writable /tmp and home",
      """
      mount -t tmpfs none /mnt && cp "$RUNIC" /mnt/runic && RUNIC=/mnt/runic && cd /mnt
      begin a share
      mkdir home && mount -t tmpfs -o ro none home && mount -t tmpfs -o ro none /tmp
      HOME=/mnt/home TMPDIR=/nonexistent
      export HOME TMPDIR
      try r a record usage --provider claude --used 2 --limit 10
      try r a sync
      try r a record usage
      try r a export
      try r a fsck home
      try "$RUNIC" init
      grep -c 'name a repository elsewhere: --repo' err
      unset HOME
      try r a list usage
      try "$RUNIC" init
      """)
    guard let lines else { return }
    #expect(
      lines.filter { !$0.hasPrefix("runic: ") } == [
        "status 0", "status 0", "status 0", "status 0", "status 0", "status 1", "1", "status 0", "status 1",
      ], "\(lines)")
  }

  @Test func aLimitOnTheLengthOfFilesIsAnErrorAndNotTheEnd() throws {
    let lines = try run(
      """
      begin a share && batch > lines
      try sh -c 'ulimit -f 8; "$RUNIC" --repo a record usage - < lines'
      grep -c "hint: .*ulimit -f" err
      r a list usage --json | wc -l
      try sh -c '"$RUNIC" --repo a record usage - < lines'
      try sh -c 'ulimit -f 8; "$RUNIC" --repo a push'
      grep -c "hint: .*ulimit -f" err
      try r a push
      try r a fsck
      try r a fsck home
      """)
    #expect(
      lines.filter { !$0.hasPrefix("runic: ") } == [
        "status 1", "1", "1", "status 0", "status 1", "1", "status 0", "status 0", "status 0",
      ], "\(lines)")
  }

  /// What runs ahead on a thread of its own is done on the spot where the system gives none.
  @Test func allIsDoneWithoutAnotherThread() throws {
    let lines = try run(
      """
      begin a share
      for n in $(seq 12000); do
        echo "{\\"providerID\\":\\"claude\\",\\"requestID\\":\\"id$n\\",\\"occurredAt\\":\\"2026-09-05T12:00:00Z\\",\\"inputTokens\\":$n}"
      done > lines
      as() { "$@"; }
      if test "$(id -u)" = 0; then
        chown -R 65534 . && chmod 755 .
        as() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
      fi
      if ! as test -x "$RUNIC"; then echo impossible; exit; fi
      alone() { as prlimit --nproc=1 "$RUNIC" "$@"; }
      try alone --repo a record request - < lines
      try alone --repo a push
      try alone --repo a fsck
      try alone --repo a fsck home
      rm -r a/index
      alone --repo a list request --json | wc -l
      """)
    if lines == ["impossible"] {
      print("not tried, since another user cannot run the program: a limit on threads")
      return
    }
    #expect(
      lines.filter { !$0.hasPrefix("runic: ") } == [
        "status 0", "status 0", "status 0", "status 0", "12000",
      ], "\(lines)")
  }

  /// With ever fewer files that may be open: each run does its work or says why not.
  @Test func tooFewDescriptorsAreNamedAndNothingIsLost() throws {
    let lines = try run(
      """
      begin a share
      for limit in 12 8 7 6 5 4; do
        for command in "record usage --provider claude --limit 10 --used $limit" push pull; do
          sh -c "ulimit -n $limit; \\"\\$RUNIC\\" --repo a $command" > out 2> err && continue
          grep -q 'ulimit -n\\|shared libraries' err || { echo "limit $limit: $command"; cat err; }
          test $limit -le 6 || echo "limit $limit does not do for $command"
        done
      done
      try r a record usage --provider claude --limit 10 --used 100
      try r a push
      try r a fsck
      try r a fsck home
      r a list usage --json | grep -c 'Used":\\(1\\|12\\|8\\|7\\|100\\),'
      """)
    #expect(lines == ["status 0", "status 0", "status 0", "status 0", "5"])
  }

  @Test func anOutputThatTakesNothingIsAnError() throws {
    let lines = try run(
      """
      begin a share
      r a list usage > /dev/full; echo "status $?"
      r a export > /dev/full; echo "status $?"
      r a list usage >&-; echo "status $?"
      r a list usage | head -c 1 > /dev/null; echo "status $?"
      """)
    let errors = lines.filter { $0.hasPrefix("runic: error: cannot write to standard output") }
    #expect(errors.count == 3, "\(lines)")
    #expect(
      lines.filter { $0.hasPrefix("status") } == ["status 1", "status 1", "status 1", "status 0"], "\(lines)")
  }
}
