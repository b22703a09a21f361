import Foundation
import ObjectStore
import TestSupport
import Testing

/// How the program waits for those that it starts, as its users' machines have it.
@Suite struct ChildProgramTests {
  private let traced: TracedProgram

  init() throws {
    let folder = NSTemporaryDirectory() + "runic-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    traced = TracedProgram(
      program: try #require(BuiltProgram.path, "build the product runic first"), folder: folder)
  }

  private func run(_ script: String) throws -> String {
    defer { try? FileManager.default.removeItem(atPath: traced.folder) }
    return try traced.run(Self.preparation + script).output
  }

  private static let preparation = """
    mkdir -p home scratch
    "$R" --repo a init && "$R" --repo a remote add home share && mkdir -p a/hooks
    hook() { printf '#!/bin/sh\\n%s\\n' "$2" > a/hooks/$1; chmod +x a/hooks/$1; }

    """

  /// Whoever starts runic may have set its children to vanish unseen: that passes through exec(3).
  @Test func aFailedHookIsNoSuccessWhereEndsOfChildrenAreIgnored() throws {
    let output = try run(
      """
      hook pre-sync 'exit 3'
      ignoring() { python3 -c 'import os, signal, sys
      signal.signal(signal.SIGCHLD, signal.SIG_IGN); os.execv(sys.argv[1], sys.argv[1:])' "$@"; }
      ignoring "$R" --repo a sync; echo "sync $?"
      "$R" --repo a config set key.command 'cat a/repository.key; exit 3'; echo "set $?"
      ignoring "$R" --repo a config set key.command 'cat a/repository.key; exit 3'; echo "unseen $?"
      """)
    for line in ["pre-sync ended with status 3", "sync 1", "set 1", "unseen 1"] {
      #expect(output.contains(line), "\(line) in \(output)")
    }
  }

  /// It would print nothing any more once the file is gone.
  @Test func aKeyCommandThatReadsTheKeyFileDoesNotTakeItsPlace() throws {
    let output = try run(
      """
      "$R" --repo a config set key.command 'cat a/repository.key'; echo "set $?"
      ls a | grep repository.key
      "$R" --repo a status > scratch/status; echo "status $?"
      """)
    #expect(output.contains("repository.key\nstatus 0\n") && output.contains("set 1\n"), "\(output)")
  }

  /// Runic itself would ask itself for the keys for good.
  @Test func aKeyCommandThatAsksTheRepositoryItselfDoesNotTakeItsPlace() throws {
    let output = try run(
      """
      ln -s a linked
      for name in a linked; do
        "$R" --repo a config set key.command "$R --repo $name key export"; echo "set $?"
      done
      ls a | grep repository.key
      "$R" --repo a key export > key; "$R" --repo b init
      "$R" --repo a config set key.command 'RUNIC_PASSPHRASE=p '"$R"' --repo b status >&2; cat key'
      "$R" --repo a status > scratch/status; echo "status $?"
      printf '{"format":1,"remotes":[],"settings":{"key.command":"%s --repo b key export"}}' "$R" > b/config.json
      "$R" --repo b status; echo "asked $?"
      """)
    #expect(
      output.contains("where it is to bring them") && output.contains("repository.key\n"), "\(output)")
    #expect(output.components(separatedBy: "set 1\n").count == 3, "\(output)")
    #expect(output.contains("\nstatus 0\n") && output.contains("\nasked 1\n"), "\(output)")
  }

  /// Another thread may start a program between two calls: it must inherit nothing of this one's streams.
  @Test(.enabled(if: TracedProgram.isPossible, "for want of strace"))
  func theEndsOfAChildsStreamsAreClosedInOthersFromTheFirst() throws {
    let output = try run(
      """
      hook pre-sync 'cat > /dev/null'
      strace -o trace -e trace=pipe,pipe2,socketpair "$R" --repo a sync
      grep -c '^\\(pipe2\\|socketpair\\)(.*CLOEXEC' trace
      grep '^\\(pipe\\|socketpair\\)' trace | grep -v CLOEXEC; echo end
      """)
    #expect(output.contains("\n3\nend\n"), "\(output)")
  }

  /// The hook prints and ends between a look at its streams and the question whether it has ended.
  @Test(.enabled(if: TracedProgram.isPossible, "for want of strace"))
  func theLastWordsOfAProgramAreHeard() throws {
    let output = try run(
      """
      hook pre-sync 'sleep 0.4; echo last words; exit 3'
      strace -o trace -e trace=wait4 -e inject=wait4:delay_enter=800000 "$R" --repo a sync
      """)
    #expect(output.contains("last words"), "\(output)")
    #expect(output.contains("pre-sync ended with status 3"), "\(output)")
  }
}
