import CanonicalJSON
import ObjectStore
import RunicCore

/// The values that exist: what a word may name, by its sort.
///
/// Whatever cannot be read (no repository, no key, damage, a busy lock) offers nothing. No program of the user's
/// is run, so nothing is ever asked.
struct LiveValues {
  let context: Context
  static let limit = 200
  static let zones = "/usr/share/zoneinfo"

  func candidates(_ kind: ValueKind, _ choices: [String], at point: CompletionPoint) -> [Candidate] {
    switch kind {
    case .choice: choices.filter { $0 != "-" }.map { Candidate($0) }
    case .command: commands(after: point.positionals)
    case .file: paths.candidates(point.typed)
    case .directory: paths.candidates(point.typed, directoriesOnly: true)
    case .address: point.typed.contains(":") ? [] : paths.candidates(point.typed, directoriesOnly: true)
    case .zone: paths.candidates(point.typed, root: Self.zones)
    case .channel: AlertChannels.names.map { Candidate($0) }
    case .logSource: sources + paths.candidates(point.typed)
    case .remote, .configKey, .configValue: (try? configured(kind, point)) ?? []
    case .kind: (try? kinds(point)) ?? KindRegistry().names.map { Candidate($0) }
    case .storeFile: (try? storeFiles(point)) ?? []
    case .recordID, .recordKey, .assignment, .device, .keySlot, .commit, .provider:
      (try? recorded(kind, point)) ?? []
    case .none, .text, .number, .time, .newName, .fingerprint: []
    }
  }

  private var paths: PathValues {
    PathValues(fileSystem: context.fileSystem, environment: context.environment)
  }

  private var sources: [Candidate] {
    (Importers.all.map(\.name) + [Importers.ccusage.name]).map { Candidate($0, "what it logged") }
  }

  private func commands(after words: [String]) -> [Candidate] {
    let visible = context.commands.map(\.description).filter { !$0.isHidden }
    let fitting = visible.filter { $0.name.count > words.count && $0.name.starts(with: words) }
    return fitting.map { Candidate($0.name[words.count], $0.summary) }
  }

  // MARK: - Settings

  private func configured(_ kind: ValueKind, _ point: CompletionPoint) throws -> [Candidate] {
    let configuration = try Repository.configuration(at: path(point), environment: environment)
    switch kind {
    case .remote: return configuration.remotes.map { Candidate($0.name, $0.url) }
    case .configKey:
      let keys = Configuration.keys.flatMap { key in
        key.contains("NAME") ? configuration.remotes.map { "remote.\($0.name).timeout" } : [key]
      }
      return keys.map { Candidate($0, configuration.settings[$0] ?? "") }
    default:
      guard point.positionals.first == "sync.strategy" else { return [] }
      return MergeStrategy.allCases.map { Candidate($0.rawValue) }
    }
  }

  // MARK: - The repository

  func path(_ point: CompletionPoint) throws -> String {
    let flags = point.flag("--repo").map { [(name: "--repo", value: Optional(expandingHome($0)))] } ?? []
    return try Session.path(Invocation(command: helpCommand.description, flags: flags), context)
  }

  /// The shell has not done it yet.
  private func expandingHome(_ path: String) -> String {
    guard path.hasPrefix("~/"), let home = context.environment.nonEmpty("HOME") else { return path }
    return "\(home)/\(path.dropFirst(2))"
  }

  /// Without commands for the key, remotes or a wait for the lock.
  private var environment: RunicCore.Environment {
    RunicCore.Environment(
      fileSystem: context.fileSystem, clock: Clock(now: context.now, sleep: { _ in }),
      random: context.random, lockWait: 0)
  }

  func open(_ point: CompletionPoint) throws -> Repository {
    try Repository.open(at: path(point), environment: environment)
  }

  private func storeFiles(_ point: CompletionPoint) throws -> [Candidate] {
    try open(point).fileNames().prefix(Self.limit).map { Candidate($0.digest?.hex ?? $0.name, $0.path) }
  }
}
