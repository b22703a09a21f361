import ObjectStore

/// What `status` says of one remote, from what is known here: it is not asked.
public struct RemoteStatus: Hashable, Sendable {
  public let name: String
  public let url: String
  /// Commits that are here and that the remote has not shown, and commits that it has shown and that are not
  /// here yet.
  public let ahead: Int64
  public let behind: Int64
  /// Milliseconds since 1970.
  public let lastPull: Int64?
  public let lastPush: Int64?
  /// What is wrong with it: it shows less than it showed itself, or a file there is damaged.
  public let warnings: [SyncWarning]

  /// Whether it shows less than it showed itself.
  public var isRolledBack: Bool { warnings.contains { if case .rolledBack = $0 { true } else { false } } }
  /// Whether a file there is damaged.
  public var isDamaged: Bool { warnings.contains { if case .damaged = $0 { true } else { false } } }
}

/// What a person wants to know of a repository.
public struct RepositoryStatus: Sendable {
  public let repository: RepositoryID
  public let device: DeviceID
  public let deviceName: String
  public let remotes: [RemoteStatus]
  /// Changes of this device that no remote has.
  public let unpushed: Int64
  public let conflicts: Int
  public let pending: [PendingLog]
  /// What is wrong, but for what concerns one remote.
  public let ownWarnings: [SyncWarning]

  /// Everything that is wrong.
  public var warnings: [SyncWarning] { ownWarnings + remotes.flatMap(\.warnings) }
}

extension Repository {
  /// The state of the repository and of its remotes as last seen. Asks no remote.
  public func status() throws -> RepositoryStatus {
    try read { snapshot in
      // Only now: where the index had to be made anew, it says what could not be read.
      let trust = try readTrust()
      return RepositoryStatus(
        repository: id, device: deviceID, deviceName: deviceName,
        remotes: try configuration.remotes.map { try remoteStatus($0, trust: trust, snapshot: snapshot) },
        unpushed: try unpushed(trust, snapshot), conflicts: try snapshot.conflicts().count,
        pending: try snapshot.pendingLogs(),
        ownWarnings: standingWarnings(trust, snapshot) + slowRemotes(readHistory()) + (try waitingFiles()))
    }
  }

  private func remoteStatus(
    _ setting: RemoteSetting, trust: Trust, snapshot: Snapshot
  ) throws -> RemoteStatus {
    let known = trust[remote: setting.name]
    let here = snapshot.newestSequences
    // What a retired device did not bring is waited for by nobody.
    let shown = try known.shown.mapValues(\.sequence).filter { device, sequence in
      try sequence <= here[device] ?? 0 || !snapshot.isRetired(device)
    }
    let now = shown.merging(known.rolledBack.mapValues(\.to)) { $1 }
    return RemoteStatus(
      name: setting.name, url: setting.url, ahead: SyncPlan.distance(here: here, there: now).ahead,
      behind: SyncPlan.distance(here: here, there: shown).behind,
      lastPull: try lastSync(with: setting.name, "pull"), lastPush: try lastSync(with: setting.name, "push"),
      warnings: warnings(of: known, snapshot))
  }

  /// Counted in changes: from the newest of this device's commits that some remote has to its latest.
  private func unpushed(_ trust: Trust, _ snapshot: Snapshot) throws -> Int64 {
    guard let log = snapshot.index.logs[deviceID], let tip = log.branches.last else { return 0 }
    let pushed = try configuration.remotes.compactMap { remote in
      // A push before this device found itself cloned brought the log that it has left.
      try trust[remote: remote.name].pushed.flatMap {
        try snapshot.index.place(of: $0, in: deviceID)?.changes
      }
    }
    return max(0, tip.changes - (pushed.max() ?? 0))
  }

  private func warnings(of known: RemoteTrust, _ snapshot: Snapshot) -> [SyncWarning] {
    let rollbacks = known.rolledBack.sorted { $0.key < $1.key }.map { device, rollback in
      SyncWarning.rolledBack(
        device: device, name: snapshot.name(of: device), from: rollback.from, to: rollback.to,
        pulls: rollback.pulls)
    }
    return rollbacks + known.damaged.sorted().map(SyncWarning.damaged(file:))
  }

  private func standingWarnings(_ trust: Trust, _ snapshot: Snapshot) -> [SyncWarning] {
    var warnings: [SyncWarning] = []
    for (device, log) in snapshot.index.logs.sorted(by: { $0.key < $1.key }) {
      let name = snapshot.name(of: device)
      if log.isForked { warnings.append(.forked(device: device, name: name)) }
      if let stamp = log.farAhead { warnings.append(.farAhead(device: device, name: name, stamp: stamp)) }
    }
    return warnings + trust.damaged.sorted().map(SyncWarning.damaged(file:))
  }

  /// The remotes whose last syncs took long.
  public func slowRemotes(_ history: SyncHistory) -> [SyncWarning] {
    configuration.remotes.compactMap { setting in
      history.slowness(of: setting.name).map { .slow(remote: setting.name, seconds: $0) }
    }
  }

  private func waitingFiles() throws -> [SyncWarning] {
    try waitingKeys().filter { !$0.keys.isEmpty }.map {
      .waitingKeys(path: $0.file.path, count: $0.keys.count)
    }
  }
}
