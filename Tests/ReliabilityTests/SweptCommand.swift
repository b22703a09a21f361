import Testing

/// A command that is killed at its system calls, and what must hold afterwards.
struct SweptCommand: Sendable, CustomTestStringConvertible {
  let name: String
  /// What happens before it, beside what `BuiltProgram.twoDevices` does.
  var before = ""
  let line: String
  /// Succeeds where the command has done what it does; asked where it printed something before it died.
  let done: String
  /// Whether the short sweep has it too.
  var isCore = false

  var testDescription: String { name }

  private static func has(_ used: Int, of repository: String = "a") -> String {
    "r \(repository) list usage --json | grep -q '\"primaryUsed\":\(used)'"
  }

  static let all: [SweptCommand] = [
    SweptCommand(
      name: "record", line: "r a record usage --provider claude --used 4 --limit 10 --json", done: has(4),
      isCore: true),
    SweptCommand(
      name: "record a batch",
      before: """
        for n in $(seq 100 300); do
          echo "{\\"providerID\\":\\"claude\\",\\"primaryUsed\\":$n}"
        done > lines
        """,
      line: "r a record usage - --json < lines", done: "\(has(100)) && \(has(300))", isCore: true),
    SweptCommand(
      name: "record preferences", line: "r a record preferences theme=light --json",
      done: "r a get preferences user-preferences theme | grep -q light"),
    SweptCommand(
      name: "push", line: "r a push --json", done: "r b pull > /dev/null && \(has(3, of: "b"))",
      isCore: true),
    SweptCommand(name: "pull", line: "r a pull --json", done: has(2), isCore: true),
    SweptCommand(name: "sync", line: "r a sync --json", done: has(2)),
    SweptCommand(
      name: "resolve", before: "r a record preferences size=3 > /dev/null && r a pull > /dev/null",
      line: "r a resolve preferences user-preferences size --ours --json",
      done: "test -z \"$(r a conflicts --json)\""),
    SweptCommand(name: "gc", line: "r a gc --json", done: "true", isCore: true),
    SweptCommand(
      name: "key rotate", line: "r a key rotate --json", done: "ls a/store/keys/*-*.json"),
    SweptCommand(
      name: "device rename", line: "r a device rename tower --json", done: "r a device list | grep -q tower"),
    SweptCommand(
      name: "remote add", line: "r a remote add stick stick --json",
      done: "r a remote list | grep -q stick && r a push stick"),
    SweptCommand(
      name: "config set", line: "r a config set sync.strategy manual --json",
      done: "r a config get sync.strategy | grep -q manual"),
    SweptCommand(
      name: "kind add", line: "r a kind add note --per-key --json", done: "r a kind list | grep -q note"),
    SweptCommand(
      name: "track", before: "echo '{\"font\":\"mono\"}' > settings.json",
      line: "r a track settings.json --as preferences/editor --json",
      done: "r a get preferences editor font | grep -q mono"),
    // Followed again, the file without the key takes nothing from the record.
    SweptCommand(
      name: "untrack",
      before: """
        echo '{"font":"mono"}' > settings.json
        r a track settings.json --as preferences/editor > /dev/null
        """,
      line: "r a untrack settings.json --json",
      done: """
        echo '{"size":1}' > settings.json
        r a track settings.json --as preferences/editor > /dev/null
        r a untrack settings.json > /dev/null && r a get preferences editor font | grep -q mono
        """),
    SweptCommand(
      name: "import", before: "r b export > dump", line: "r a import dump --json", done: has(2)),
    SweptCommand(
      name: "init", line: "r new init --name N --json", done: "r new status > /dev/null", isCore: true),
    SweptCommand(
      name: "clone", line: "r c clone share --name C --key-file key --json",
      done: has(1, of: "c"), isCore: true),
  ]

  /// Runs it once more, as a person would, and looks at everything there is.
  var aftermath: String {
    """
    say() { echo "wrong: $*"; }
    if test -s printed; then { \(done); } > /dev/null || say "acknowledged, and not there"; fi
    again=$({ \(line); } 2>&1) || case $again in *exist*|*already*|*no-conflict*|*"not tracked"*) ;; *) say "again: $again" ;; esac
    # A clone that died after it was made and before its pull is there: what it lacks comes with a pull.
    case $again in *exist*|*already*) test ! -e c/device.json || r c pull > /dev/null 2>&1 || say "no pull" ;; esac
    { \(done); } > /dev/null || say "not there after a second run"
    for repository in a b new c; do
      test -e $repository/device.json || continue
      r $repository fsck > check 2>&1 || say "fsck of $repository: $(cat check)"
    done
    r a push > check 2>&1 || say "push: $(cat check)"
    r a pull > check 2>&1 || say "pull: $(cat check)"
    r a fsck home > check 2>&1 || say "fsck home: $(cat check)"
    for used in 1 2 3; do
      r a list usage --json | grep -q '"primaryUsed":'$used, || say "reading $used is gone"
    done
    if test "\(name)" != "key rotate"; then
      r b pull > check 2>&1 || say "b pulls: $(cat check)"
      r a list usage --all --json | sort > a.list
      r b list usage --all --json | sort > b.list
      cmp -s a.list b.list || say "the devices differ"
    fi
    """
  }
}
