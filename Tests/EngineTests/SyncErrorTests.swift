import ObjectStore
import Testing
import TestSupport

@testable import RunicCore

/// What an app is told is for people.
@Suite struct SyncErrorTests {
  @Test func aKeyCommandThatPrintsNoKeyIsAWrongKey() throws {
    let bench = try EngineBench()
    let made = try bench.begin("a")
    try made.configure { try $0.set("key.command", to: "pass show runic") }
    var environment = bench.environment
    environment.keyCommand = { _ in Array("no key".utf8) }
    let expected = SyncError.wrongKey("key.command ('pass show runic') does not print the repository key")
    #expect(throws: expected) { try FileSyncEngine(path: "/w/a", environment: environment) }
  }

  @Test func aFieldOutsideItsBoundsIsToldInWords() async throws {
    let bench = try EngineBench()
    try bench.begin("a")
    let engine = try bench.engine("a")
    let cases: [(any SyncableRecord, String)] = [
      (
        AlertConfigurationSyncRecord(providerID: "p", warningThreshold: 7),
        "alert: 'warningThreshold' must lie between 0 and 1"
      ),
      (
        AlertConfigurationSyncRecord(providerID: "p", warningThreshold: 1, criticalThreshold: 0.5),
        "alert: the warning threshold must not lie above the critical one"
      ),
      (SyncRecord(recordType: "usage", recordID: "", payload: [:]), "usage: 'primaryUsed' is missing"),
    ]
    for (record, words) in cases { #expect(await engine.enqueue(record).failure == .invalidRecord(words)) }
  }

  /// Nothing that only a developer could read.
  @Test(arguments: RemoteError.Reason.allCases) func everyReasonOfARemoteHasWords(
    _ reason: RemoteError.Reason
  ) {
    let words = SyncError(RemoteError(reason, place: "/mnt/nas")).subject
    #expect(words.contains("/mnt/nas") || [.missingHere, .tooOldHere, .interrupted].contains(reason))
    #expect(!words.contains("(\(reason)") && (words.contains(" ") || reason == .interrupted), "\(words)")
  }

  @Test func whatTheCoreThrowsIsOfASort() {
    let missing = SystemError(call: "open", path: "/x", code: 2)
    let cases: [(any Error, SyncError)] = [
      (
        RunicError.unknownRemote("", known: ["a", "b"]),
        .remoteUnavailable("there are several remotes, and none was named")
      ),
      (
        RunicError.badConfiguration(key: "sync.strategy", value: "x"),
        .damaged("'sync.strategy' cannot be 'x'")
      ),
      (
        RunicError.notPerKey(kind: "note"),
        .invalidRecord("'note' does not merge key by key, as a settings file does")
      ),
      (missing, .damaged("open /x: no such file or directory")),
      (ReadError.system(missing), .damaged("open /x: no such file or directory")),
      (SystemError(call: "write", path: "/x", code: 28), .quotaExceeded("write /x: no space left on device")),
      (ProgramError.timedOut, .timeout("a program took too long and was ended")),
      (FormatError.length, .damaged("a file is damaged: it is cut, or longer than it should be")),
      (
        DamagedFile(.marker, .newerFormat(7)),
        .damaged("runic.json has format 7, which is newer than what this runic reads")
      ),
      (CancellationError(), .timeout("the task was cancelled")),
    ]
    for (error, expected) in cases { #expect(SyncError(error) == expected) }
  }

  @Test func aRemoteIsToldInWords() async throws {
    let bench = try EngineBench()
    try bench.begin("a")
    let remote = FailingRemote(bench.time)
    remote.reason = .notARepository
    let engine = try bench.engine("a", openRemote: remote.open)
    let failure = await engine.sync(options: SyncOptions(retries: false)).failure
    #expect(failure == .remoteUnavailable("'test' holds something, but no runic repository"))
  }
}
