import ObjectStore
import RunicCore

/// Looks at everything that a healthy repository needs, and goes on after what it cannot look at.
struct Examination {
  let repository: Repository
  let context: Context

  /// In the order of the screen: what lies here, then what lies elsewhere.
  func findings() throws -> [Finding] {
    context.output.progress("checking files")
    defer { context.output.clearProgress() }
    var findings = [files()] + keys() + [permissions(), clock()] + settings()
    for remote in repository.configuration.remotes {
      context.output.progress("checking \(remote.name)")
      findings += [self.remote(remote), lastSync(with: remote.name)]
    }
    if repository.configuration.remotes.isEmpty {
      findings.append(
        .amiss("remotes", "there is none: nothing is synced", cure: "runic remote add NAME URL"))
    }
    findings += tracked() + settling() + programs()
    // What an interrupt kept from being looked at is not amiss.
    try Interrupt.check()
    return findings
  }

  // MARK: - Here

  private func files() -> Finding {
    do {
      let report = try repository.check()
      let looked = "\(counted(report.fileCount, "file")), \(readableSize(report.byteCount))"
      let newer =
        switch report.newer.count {
        case 0: ""
        case let count: "; \(counted(count, "key file needs", "key files need")) a newer runic"
        }
      guard let first = report.damage.first else { return .fine("files", "whole: \(looked)\(newer)") }
      let cure = report.damage.contains { !$0.reason.isOfWriter } ? "runic pull" : FormatError.cureOfBroken
      return .damaged(
        "files", "\(counted(report.damage.count, "file")) damaged, \(first.path) first",
        cure: "\(cure); 'runic fsck' lists them")
    } catch { return .failed("files", error) }
  }

  /// Only where some are gone, or lie open without need: what else is amiss with them keeps a repository from being
  /// opened.
  private func keys() -> [Finding] {
    do {
      try repository.requireAllKeys()
      return try repository.needlessKeyFiles().map { path in
        .amiss(
          "keys", "'\(path)' holds keys in clear, though key.command prints them",
          cure: "set key.command again: that removes a file of which it prints all; any other is left to you")
      }
    } catch { return [.failed("keys", error)] }
  }

  /// The settings files that follow this person.
  private func tracked() -> [Finding] {
    do {
      return try repository.trackedFiles().map { report in
        let subject = "tracked file"
        if let problem = report.problem {
          return .amiss(
            subject, "'\(report.file.path)': \(TrackWords.words(problem))",
            cure: "mend the file, or 'runic untrack \(report.file.path)'")
        }
        guard report.waiting.isEmpty else {
          let keys = report.waiting.map(\.string).joined(separator: ", ")
          return .amiss(
            subject, "'\(report.file.path)' and its record differ in \(keys)",
            cure: "runic track \(report.file.path) --take-file, or --take-record")
        }
        return .fine(subject, "'\(report.file.path)' follows \(TrackWords.record(report.file))")
      }
    } catch { return [.failed("tracked files", error)] }
  }

  /// The key and all that is private: nobody else may read it.
  private func permissions() -> Finding {
    let (fileSystem, root) = (repository.environment.fileSystem, repository.layout.root)
    do {
      if let status = try fileSystem.status(root), status.permissions & 0o077 != 0 {
        return .amiss("permissions", "others may look into '\(root)'", cure: "chmod 700 '\(root)'")
      }
      for entry in try fileSystem.list(root).sorted(by: { $0.name < $1.name }) where entry.type == .file {
        let path = "\(root)/\(entry.name)"
        guard let status = try fileSystem.status(path), status.permissions & 0o077 != 0 else { continue }
        return .amiss("permissions", "others may read '\(path)'", cure: "chmod 600 '\(path)'")
      }
      return .fine("permissions", "the key and all private files are yours alone")
    } catch { return .failed("permissions", error) }
  }

  /// A clock may only be judged by what others wrote: one of them, or this one, is off.
  private func clock() -> Finding {
    do {
      let devices = try repository.read { try $0.devices() }
      let now = context.now()
      for device in devices where device.time > now && device.time - now > 5 * 60_000 {
        let ahead = RelativeTime.words(device.time, now: now)
        return .amiss(
          "clock", "the latest of \(device.name) lies in the future (\(ahead))",
          cure: "set the clock of this machine or of that one, e.g. 'timedatectl set-ntp true'")
      }
      return .fine("clock", "agrees with what \(counted(devices.count, "device")) wrote")
    } catch { return .failed("clock", error) }
  }

  /// What somebody wrote into the file of settings that says nothing.
  private func settings() -> [Finding] {
    repository.configuration.disregarded.map { key in
      .amiss(
        "setting", "'\(key)' counts as not set: no such setting, or none that takes what is there",
        cure: "runic config unset \(key), or set it as 'runic config set --help' says")
    }
  }

  // MARK: - Elsewhere

  private func remote(_ setting: RemoteSetting) -> Finding {
    let subject = "remote \(setting.name)"
    do {
      let found = try repository.examine(setting)
      if !found.damaged.isEmpty {
        return .damaged(
          subject, "\(counted(found.damaged.count, "file")) damaged there",
          cure: "runic push --repair \(setting.name)")
      }
      if let failure = found.writing { return .failed(subject, failure) }
      let devices = counted(found.devices, "device")
      return .fine(
        subject, "reachable, writable, ours: \(devices), \(found.ahead) to push, \(found.behind) to pull")
    } catch { return .failed(subject, commandFailure(for: error).naming(remote: setting.name)) }
  }

  private func lastSync(with remote: String) -> Finding {
    let subject = "last sync"
    do {
      let status = try repository.status().remotes.first { $0.name == remote }
      guard let last = [status?.lastPull, status?.lastPush].compactMap({ $0 }).max() else {
        return .amiss(subject, "\(remote) was never synced with", cure: "runic sync \(remote)")
      }
      let words = "\(remote): \(context.time(last))"
      return Staleness.isStale(last, now: context.now())
        ? .amiss(subject, words, cure: "runic sync \(remote)") : .fine(subject, words)
    } catch { return .failed(subject, error) }
  }

  /// What stands open: conflicts, what did not arrive, and what earlier pulls warned of.
  private func settling() -> [Finding] {
    do {
      let status = try repository.status()
      let (told, unnamed) = SyncReport.fewer(status.warnings)
      var findings = told.map(Self.finding)
      if unnamed > 0 {
        findings.append(
          .amiss("warning", SyncReport.unnamed(unnamed), cure: "'runic status --json' names all"))
      }
      for log in status.pending {
        let words = SyncReport.words(log)
        guard !findings.contains(where: { $0.words == words }) else { continue }
        findings.append(.amiss("pending", words, cure: cure(of: log)))
      }
      if status.conflicts > 0 {
        findings.append(
          .amiss("conflicts", "\(counted(status.conflicts, "conflict")) open", cure: "runic conflicts"))
      }
      return findings
    } catch { return [.failed("status", error)] }
  }

  /// What brings in the rest of a log.
  private func cure(of log: PendingLog) -> String {
    if log.key != nil {
      return "\(SyncReport.stepBeforeKey(repository.configuration))runic key add, then runic pull"
    }
    if log.newerFormat != nil { return "install a newer runic" }
    return log.broken == nil ? "runic pull, once it has arrived" : "none on this device"
  }

  /// What a warning asks of a person. A log with two branches asks nothing: both are kept and read by everyone, and
  /// where they wrote one key there is a conflict, which is told by itself.
  private static func finding(_ warning: SyncWarning) -> Finding {
    let cure =
      switch warning {
      case .forked, .newIdentity: nil as String?
      case .rolledBack: "runic push"
      case .damaged: "runic pull, then 'runic push --repair'"
      case .farAhead: "set the clock of that device; 'runic device list' says how far it is ahead"
      case .unreadable: "'runic fsck' says what is wrong with it"
      case .slow: "'runic stats' shows its last syncs"
      case .waitingKeys(let path, _): "runic track \(path) --take-file, or --take-record"
      }
    guard let cure else { return .fine("devices", warning.words) }
    return .amiss("warning", warning.words, cure: cure)
  }

  private func programs() -> [Finding] {
    let addresses = repository.configuration.remotes.map(\.url)
    return InstalledProgram.all.map { program in
      if let version = program.version(InterruptibleRunner()) { return .fine(program.name, version) }
      guard addresses.contains(where: program.isNeeded(at:)) else {
        return .fine(program.name, "not installed; needed for \(program.purpose)")
      }
      return .amiss(
        program.name, "not installed, and a remote needs it", cure: "install \(program.name)")
    }
  }
}
