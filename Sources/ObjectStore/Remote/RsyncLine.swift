import Synchronization

/// One way to run rsync against a tree: knows the address and what the two programs can do, and counts nothing.
struct RsyncLine: Sendable {
  let address: RsyncAddress
  /// The address as it was typed, for errors.
  let place: String
  let program: RemoteProgram
  private let memory = Memory()

  /// What was learned of the two programs, and of the tree.
  private final class Memory: Sendable {
    struct Content {
      var version: RsyncVersion?
      /// Options that the other side does not know, and that can be done without.
      var unknown: Set<String> = []
      var hasTree = false
    }
    let content = Mutex(Content())
  }

  /// Whether the tree was seen there: nothing is written before.
  var hasTree: Bool {
    get { memory.content.withLock { $0.hasTree } }
    nonmutating set { memory.content.withLock { $0.hasTree = newValue } }
  }

  /// Options that may be left out, at a price: the data there is not flushed; no folders are made above the tree.
  private static let dispensable: Set<String> = ["fsync", "mkpath"]

  /// Runs rsync once, and again without an option that the other side turns out not to know.
  ///
  /// - Parameters:
  ///   - options: those of this run alone; `--fsync` and the like are left out where they are not known.
  ///   - paths: source and target; the tree's root is `address.argument`.
  ///   - input: what `--files-from=-` reads.
  ///   - expected: what progress is measured by.
  ///   - isWell: whether a status other than 0 is well.
  func run(
    _ options: [String], _ paths: [String], input: [UInt8] = [], expected: TransferProgress? = nil,
    isWell: (ProgramResult) -> Bool = { _ in false }
  ) throws(RemoteError) -> [RsyncItem] {
    let version = try version()
    while true {
      let call = ProgramCall(
        "rsync", arguments(options, version) + (expected == nil ? [] : RsyncOutput.progress) + ["--"] + paths,
        environment: ["LC_ALL": "C"], input: input)
      var meter = Meter(expected, program.options.observer)
      var unknown: String?
      do throws(RemoteError) {
        let result = try program.run(call, place: place, onOutput: { meter.take($0) }) { result in
          unknown = RsyncFailure.unknownOption(result)
          return isWell(result) ? nil : RsyncFailure.sort(result, place: place)
        }
        return RsyncOutput.items(result.output)
      } catch {
        guard let unknown, Self.dispensable.contains(unknown), options.contains("--\(unknown)") else {
          throw error
        }
        let isNew = memory.content.withLock { $0.unknown.insert(unknown).inserted }
        guard isNew else { throw error }
      }
    }
  }

  private func arguments(_ options: [String], _ version: RsyncVersion) -> [String] {
    let unknown = memory.content.withLock { $0.unknown }
    var result = [
      "--out-format=\(RsyncItem.format)", "-ii", "--outbuf=L", "--timeout=\(program.options.timeout)",
    ]
    // Older ones have the remote shell split the path; newer ones quote it, as restricted shells prefer.
    if !version.quotesPaths { result.append("--protect-args") }
    switch address.line {
    case .shell:
      let (variable, timeout) = (program.options.remoteShell, program.options.timeout)
      if let command = address.shellCommand(variable: variable, timeout: timeout) {
        result.append("--rsh=\(command)")
      }
    case .daemon: result += ["--contimeout=\(program.options.timeout)", "--no-motd"]
    }
    return result
      + options.filter { option in
        let name = String(option.drop { $0 == "-" })
        return !unknown.contains(name) && !(Self.dispensable.contains(name) && !version.knows(name))
      }
  }

  /// What this side's rsync says of itself.
  private func version() throws(RemoteError) -> RsyncVersion {
    if let version = memory.content.withLock({ $0.version }) { return version }
    let call = ProgramCall("rsync", ["--version"], environment: ["LC_ALL": "C"], timeLimit: 30_000)
    let result: ProgramResult
    do throws(ProgramError) { result = try program.options.runner.run(call) } catch {
      throw RemoteError(error, of: "rsync", place: place)
    }
    let said = ProgramMessages(result.output).lines.first ?? ""
    guard let version = RsyncVersion(said), version >= .oldest else {
      let failure = ProgramFailure(program: "rsync", status: nil, said: said)
      throw RemoteError(.tooOldHere, place: place, program: failure)
    }
    memory.content.withLock { $0.version = version }
    return version
  }
}

/// The version of an rsync.
struct RsyncVersion: Comparable {
  let parts: [Int]

  /// The first with all that is needed here: `--delete-missing-args`, `--ignore-missing-args`, `--outbuf`.
  static let oldest = RsyncVersion(parts: [3, 1, 0])

  private init(parts: [Int]) { self.parts = parts }

  /// Reads the first line of `rsync --version`; nil for that of another program of the name.
  init?(_ line: String) {
    let words = line.split(separator: " ")
    guard words.count >= 3, words[0] == "rsync", words[1] == "version" else { return nil }
    let numbers = words[2].drop { $0 == "v" }.split(separator: ".")
      .map { part in Int(part.prefix { $0.isASCII && $0.isNumber }) ?? 0 }
    guard !numbers.isEmpty else { return nil }
    parts = numbers
  }

  static func < (a: RsyncVersion, b: RsyncVersion) -> Bool { a.parts.lexicographicallyPrecedes(b.parts) }
  static func == (a: RsyncVersion, b: RsyncVersion) -> Bool { a.parts == b.parts }

  /// Whether it keeps the remote shell from splitting a path.
  var quotesPaths: Bool { self >= RsyncVersion(parts: [3, 2, 4]) }

  func knows(_ option: String) -> Bool {
    switch option {
    case "fsync": self >= RsyncVersion(parts: [3, 2, 4])
    case "mkpath": self >= RsyncVersion(parts: [3, 2, 3])
    default: true
    }
  }
}

/// Counts what is over while a run goes on.
private struct Meter {
  private var output = RsyncOutput()
  private var progress: TransferProgress?
  private let observer: RemoteObserver

  init(_ progress: TransferProgress?, _ observer: RemoteObserver) {
    self.progress = progress
    self.observer = observer
  }

  mutating func take(_ piece: ArraySlice<UInt8>) {
    guard var progress else { return }
    output.take(piece) { item in
      guard item.type == .file, item.step != .deleted else { return }
      progress.files += 1
    }
    progress.bytes = output.transferred
    self.progress = progress
    observer.progress(progress)
  }
}
