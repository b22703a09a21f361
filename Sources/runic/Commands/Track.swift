import CanonicalJSON
import ObjectStore
import RunicCore

/// `runic track [FILE]`.
let trackCommand = Command(
  description: CommandDescription(
    "track", summary: "let a JSON settings file follow you", group: .configure,
    arguments: [Argument("FILE", .optional, kind: .file)],
    flags: [
      Flag("--as", value: "KIND/ID", kind: .text, "the record that it becomes; its kind merges key by key"),
      Flag("--keys", value: "K,…", kind: .text, "follow these top-level keys alone"),
      Flag("--defaults", value: "FILE", kind: .file, "values that are not stored: a JSON object"),
      Flag("--take-file", "where file and record differ, the file is right"),
      Flag("--take-record", "where file and record differ, the record is right"),
      Flag("--allow-mass-removal", "more than half of the keys may be gone from the file"),
    ], exclusive: [["--take-file", "--take-record"]], exitStatus: Recording.status,
    details: [
      "Every push and sync, and 'runic watch', take the edits of the file into the record, key by key, and "
        + "every pull writes what came back into the file. The file keeps its layout, its mode and every byte "
        + "that did not change.",
      "A file that is absent, empty, no JSON or in the middle of being written is left alone, and never means "
        + "that keys were removed. --take-record makes a file that is not there.",
      "Without FILE, lists what is tracked. Tracking a file again changes what is said about it.",
    ],
    examples: [
      Example("runic kind add editor --per-key", "declares a kind for it"),
      Example("runic track ~/.config/editor/settings.json --as editor/main", "begins"),
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  guard let typed = invocation.positional(0) else {
    if let flag = invocation.command.flags.map(\.long).first(where: invocation.isSet) {
      throw CommandFailure.usage(
        "track: \(flag) goes with a FILE", hint: "'runic track' lists what is tracked")
    }
    return try TrackList.show(repository, context.output)
  }
  let tracking = Tracking(repository: repository, invocation: invocation, context: context)
  return try tracking.run(path: System.realPath(Session.absolute(typed)))
}

/// `runic untrack FILE`.
let untrackCommand = Command(
  description: CommandDescription(
    "untrack", summary: "let a settings file be", group: .configure,
    arguments: [Argument("FILE", .required, kind: .file)], exitStatus: Recording.status,
    details: ["The file and its record stay as they are."],
    examples: [Example("runic untrack ~/.config/editor/settings.json", "lets it be")])
) { invocation, context in
  let path = System.realPath(Session.absolute(try invocation.required(0)))
  guard try Session.open(invocation, context).untrack(path) else {
    throw CommandFailure.failed(
      "'\(path)' is not tracked", code: "unknown", hint: "'runic track' lists what is")
  }
  context.output.result("'\(path)' is tracked no more", ["path": .text(path), "tracked": false])
  return .done
}

/// One file that is to be tracked.
private struct Tracking {
  let repository: Repository
  let invocation: Invocation
  let context: Context

  func run(path: String) throws -> ExitStatus {
    let file = try file(path)
    try repository.track(file)
    let answer = TrackAnswer(
      choice: choice, allowsMassRemoval: invocation.isSet("--allow-mass-removal"))
    var report = try repository.captureTracked(file, answer: answer)
    let makesFile = choice == .preferRemote
    let isMissing = if case .absent? = report.problem { true } else { false }
    if report.problem == nil || (makesFile && isMissing) {
      let written = try repository.writeTracked(file, makesFile: makesFile)
      (report.written, report.problem) = (written.written, written.problem)
    }
    TrackWords.tell(report, context.output)
    context.output.result(
      "'\(path)' is tracked as \(TrackWords.record(file))", TrackWords.json(report))
    return .done
  }

  private var choice: SourceChoice? {
    if invocation.isSet("--take-file") { return .preferLocal }
    return invocation.isSet("--take-record") ? .preferRemote : nil
  }

  /// What is said now, over what was said when the file was tracked before.
  private func file(_ path: String) throws -> TrackedFile {
    let known = repository.configuration.tracked.first { $0.path == path }
    guard let record = try invocation.flag("--as").map(record) ?? known?.record else {
      throw CommandFailure.usage(
        "track: --as KIND/ID is missing: it names the record that the file becomes", hint: invocation.helpHint
      )
    }
    var file = TrackedFile(
      path: path, record: record, keys: known?.keys ?? [], defaults: known?.defaults ?? [:])
    if invocation.flag("--keys") != nil { file.keys = invocation.list("--keys").map { JSONString($0) } }
    if let defaults = invocation.flag("--defaults") {
      let kind = try repository.read { try $0.kinds.kind(record.kind) }
      file.defaults = try KindCommands.defaults(defaults, of: kind, context)
    }
    return file
  }

  private func record(_ text: String) throws -> RecordName {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else {
      throw CommandFailure.usage(
        "--as takes a kind and an id, not '\(text)'", hint: "as in --as editor/main")
    }
    let kind = try repository.read { try $0.kinds.kind(String(parts[0])) }
    return RecordName(
      family: .keys, kind: kind.name, id: try RecordGrammar.id(Array(parts[1].utf8)))
  }
}

private enum TrackList {
  static func show(_ repository: Repository, _ output: Output) throws -> ExitStatus {
    let files = try repository.trackedFiles()
    if output.style.wantsJSON {
      for report in files {
        var json = TrackWords.json(report.file)
        json["problem"] = .text(report.problem.map(TrackWords.words))
        json["waiting"] = .texts(report.waiting.map(\.string))
        output.json(.object(json))
      }
      return .done
    }
    if files.isEmpty { output.note("nothing is tracked: 'runic track FILE --as KIND/ID' begins") }
    var table = TextTable([
      .init("FILE", shrinks: true), .init("RECORD"), .init("KEYS", shrinks: true), .init("WAITING"),
    ])
    for report in files {
      let file = report.file
      table.add([
        file.path, TrackWords.record(file),
        file.keys.isEmpty ? "all" : file.keys.map(\.string).joined(separator: ","),
        report.waiting.map(\.string).joined(separator: ","),
      ])
    }
    if !files.isEmpty { output.table(table) }
    for report in files {
      guard let problem = report.problem else { continue }
      output.warning("'\(report.file.path)': \(TrackWords.words(problem))")
    }
    return .done
  }
}
