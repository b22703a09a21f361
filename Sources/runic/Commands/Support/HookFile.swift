import CanonicalJSON
import ObjectStore
import RunicCore

/// The settings of an AI tool that runic's hook goes into.
struct HookFile {
  static let tools = ["claude", "codex"]

  let path: String
  private let event: String
  private let fileSystem: any FileSystem
  private let random: RandomSource

  private static let limit = 16 << 20
  /// How long the tool is to let the hook run, in seconds; Claude Code would end it after less than two.
  private static let timeLimit = 60

  init(_ invocation: Invocation, _ context: Context) throws {
    let tool = try invocation.required(0)
    let isClaude = tool == "claude"
    let variable = isClaude ? "CLAUDE_CONFIG_DIR" : "CODEX_HOME"
    let home = context.environment.nonEmpty("HOME").map { "\($0)/.\(tool)" }
    let named = context.environment.nonEmpty(variable)?.prefix { $0 != "," }
    guard let folder = named.map(String.init) ?? home else {
      throw CommandFailure.failed(
        "HOME is not set, so nobody knows where \(tool) keeps its settings", hint: "set HOME")
    }
    path = "\(Session.absolute(folder))/\(isClaude ? "settings.json" : "hooks.json")"
    event = isClaude ? "SessionEnd" : "Stop"
    fileSystem = context.fileSystem
    random = context.random
  }

  /// - Parameter repository: where the user named one.
  func hook(isSyncing: Bool, repository: String?) -> ToolHook {
    let options = repository.map { " --repo \(ShellWord.quoted(Session.absolute($0)))" } ?? ""
    let commands = ["record usage"] + (isSyncing ? ["pull", "push"] : [])
    return ToolHook(
      event: event, command: commands.map { "runic\(options) \($0) --quiet" }.joined(separator: "; "),
      timeLimit: Self.timeLimit)
  }

  // MARK: - Changes

  /// - Returns: whether anything was changed.
  func install(_ hook: ToolHook) throws -> Bool {
    let settings = try read(path)
    let changed = try told { () throws(ToolHookError) in try hook.installed(in: settings) }
    if changed == settings { return false }
    // The copy shows how the file was before runic first touched it.
    let isOurs = try settings.map { bytes in
      try told { () throws(ToolHookError) in try ToolHook.removed(from: bytes, event: event) } != bytes
    }
    if let settings, isOurs != true { try write(settings, to: backup) }
    try write(changed, to: path)
    return true
  }

  /// - Returns: whether anything was changed.
  func uninstall() throws -> Bool {
    guard let settings = try read(path) else { return false }
    let rest = try told { () throws(ToolHookError) in try ToolHook.removed(from: settings, event: event) }
    if rest == settings { return false }
    if let before = try original(of: settings) {
      try write(before, to: path)
    } else if try isMadeByUs(settings, without: rest) {
      try removeFile()
    } else {
      try write(rest, to: path)
    }
    return true
  }

  /// Whether there was no file before: what was there has a copy, and what was made holds nothing but the hook.
  private func isMadeByUs(_ settings: [UInt8], without rest: [UInt8]) throws -> Bool {
    guard (try? JSONValue.parse(rest)) == [:] else { return false }
    if try read(backup) == nil { return true }
    // The copy may be older than the file: of one that was there before this one.
    guard let command = ToolHook.command(in: settings, event: event) else { return false }
    let hook = ToolHook(event: event, command: command, timeLimit: Self.timeLimit)
    return (try? hook.installed(in: nil)) == settings
  }

  /// With its folder, where nothing else is in it: then the tool has never run.
  private func removeFile() throws {
    try fileSystem.remove(path)
    let folder = parent(of: path)
    if (try? fileSystem.removeDirectory(folder)) != nil {
      try fileSystem.syncDirectory(parent(of: folder))
    } else {
      try fileSystem.syncDirectory(folder)
    }
  }

  /// How the file was before, where nothing but the hook has changed since: also what an empty list looked
  /// like.
  private func original(of settings: [UInt8]) throws -> [UInt8]? {
    guard let before = try read(backup), let command = ToolHook.command(in: settings, event: event)
    else { return nil }
    let hook = ToolHook(event: event, command: command, timeLimit: Self.timeLimit)
    return (try? hook.installed(in: before)) == settings ? before : nil
  }

  private var backup: String { "\(path).before-runic" }

  private func told<Value>(_ body: () throws(ToolHookError) -> Value) throws -> Value {
    do throws(ToolHookError) { return try body() } catch {
      let hint = "mend the file by hand; nothing was changed"
      switch error {
      case .syntax(let cause):
        throw CommandFailure.failed(
          "'\(path)' is no JSON: \(cause.words)", code: "bad-json", hint: hint)
      case .shape(let name):
        let what = name.isEmpty ? "holds no JSON object" : "has a '\(name)' of another kind than is known"
        throw CommandFailure.failed("'\(path)' \(what)", code: "unknown-settings", hint: hint)
      }
    }
  }

  // MARK: - Files

  private func read(_ path: String) throws -> [UInt8]? {
    if try fileSystem.status(path)?.type == .symbolicLink {
      throw CommandFailure.failed(
        "'\(path)' is a symbolic link, which would be replaced by a file", code: "symbolic-link",
        hint: "add the hook to the file that it leads to by hand")
    }
    return try fileSystem.readIfPresent(path, limit: Self.limit)
  }

  private func write(_ bytes: [UInt8], to target: String) throws {
    let permissions = try fileSystem.status(path)?.permissions ?? 0o600
    try fileSystem.makeDirectories(parent(of: target), permissions: 0o700)
    let temporary = "\(target).\(Hexadecimal.encode(random.bytes(4)))"
    try fileSystem.writeDurably(bytes, to: target, by: temporary, permissions: permissions)
  }
}
