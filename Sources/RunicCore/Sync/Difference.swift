import CanonicalJSON
import ObjectStore

/// What one device's commits that only one side has would change in one record.
public struct RecordDifference: Hashable, Sendable {
  public let name: RecordName
  /// Who committed it.
  public let device: DeviceID
  public let deviceName: String
  /// The keys that are set or unset, in canonical order; none of a history, or of a record that is one value.
  public let keys: [JSONString]
  /// Whether the record is deleted, at least once.
  public let isDeleted: Bool
}

/// What a push would send and a pull would bring.
public struct RemoteDifference: Sendable {
  public let remote: String
  public let outgoing: [RecordDifference]
  public let incoming: [RecordDifference]
}

extension Repository {
  /// Compares this device with a remote by record and key. Applies nothing, and writes nothing on either side.
  ///
  /// - Complexity: reads the commits that only one side has; memory for the records that they name.
  public func difference(from name: String) throws -> RemoteDifference {
    let remote = try remote(try configuration.remote(name))
    let folder = try TransferFolder.forReading(self)
    let path = folder.path
    return try withExtendedLifetime(folder) {
      try read { snapshot in
        let survey = try RemoteSurvey.take(remote, repository: self, snapshot: snapshot) { path }
        var reading = DifferenceReading(remote: remote, folder: path, snapshot: snapshot, survey: survey)
        let plan = try PushPlan(survey, options: PushOptions(), remote: name, snapshot: snapshot)
        for (_, head, _) in plan.heads { try reading.send(head) }
        let outgoing = reading.takeRecords()
        let waiting = try Array(survey.fresh.values) + snapshot.pendingHeads()
        for head in waiting.sorted(by: { $0.commit.sequence > $1.commit.sequence }) {
          try reading.bring(head)
        }
        return RemoteDifference(remote: name, outgoing: outgoing, incoming: reading.takeRecords())
      }
    }
  }
}

/// Collects the changes of commits that only one side has.
private struct DifferenceReading {
  let remote: any Remote
  let folder: String
  let snapshot: Snapshot
  let survey: RemoteSurvey
  private var records: [RecordAndDevice: Found] = [:]
  private var seen: Set<Digest> = []

  private struct Found {
    let deviceName: String
    var keys: Set<JSONString> = []
    var isDeleted = false

    mutating func note(_ change: Change) {
      switch change {
      case .add: break
      case .set(let write): keys.formUnion(write.writes.keys.lazy.compactMap(\.string))
      case .delete: isDeleted = true
      }
    }
  }

  private struct RecordAndDevice: Hashable {
    let name: RecordName
    let device: DeviceID
  }

  init(remote: any Remote, folder: String, snapshot: Snapshot, survey: RemoteSurvey) {
    self.remote = remote
    self.folder = folder
    self.snapshot = snapshot
    self.survey = survey
  }

  private var repository: Repository { snapshot.repository }

  /// What was collected since the last call, by kind, id and device.
  mutating func takeRecords() -> [RecordDifference] {
    defer { (records, seen) = ([:], []) }
    return records.map { place, found in
      RecordDifference(
        name: place.name, device: place.device, deviceName: found.deviceName, keys: found.keys.sorted(),
        isDeleted: found.isDeleted)
    }.sorted {
      $0.name != $1.name ? $0.name < $1.name : $0.device < $1.device
    }
  }

  // MARK: - Outgoing

  /// Collects the commits of a head here that the remote lacks.
  mutating func send(_ head: Head) throws {
    let there = try places(of: head.device)
    let index = snapshot.index
    guard let log = index.logs[head.device] else { return }
    func has(_ hash: Digest) throws -> Bool {
      guard let place = try index.place(of: hash) else { return false }
      return there.contains { other in
        log.isAncestor(sequence: place.sequence, on: place.branch, ofTipOf: other.branch)
          && (place.branch != other.branch || place.sequence <= other.sequence)
      }
    }
    for entry in head.objects where try !has(entry.hash) {
      let object = try repository.store.object(entry, of: head.device, keys: repository.keys)
      try collect(object, head) { try !has($0) }
    }
  }

  /// Where the heads of a device stand that the remote lists and that are known here.
  private func places(of device: DeviceID) throws -> [CommitPlace] {
    let names = survey.listed.keys.filter { $0.device == device && survey.fresh[$0] == nil }
    var heads = survey.fresh.values.filter { $0.device == device }
    for file in try remote.fetch(names.map(TreeName.head), into: folder) {
      guard case .head(let name) = file.name,
        let bytes = try? repository.environment.fileSystem.read(file.path, limit: Limits.headFile)
      else { continue }
      if let head = try? Head(decoding: bytes, name: name, keys: repository.keys) { heads.append(head) }
      repository.environment.fileSystem.removeLeftover(file.path)
    }
    return try heads.compactMap { try snapshot.index.place(of: $0.commit, in: $0.device) }
  }

  // MARK: - Incoming

  /// Collects the commits of a head there that are not applied here, as far as its objects can be read.
  mutating func bring(_ head: Head) throws {
    let index = snapshot.index
    let entries = try head.objects.filter {
      try snapshot.index.place(of: $0.hash) == nil && !seen.contains($0.hash)
    }
    let names = entries.map { TreeName.object(head.device, $0.digest) }
    for (entry, name) in zip(entries, names) {
      let fetched = try remote.fetch([name], into: folder)
      guard let file = fetched.first,
        let bytes = try? repository.environment.fileSystem.read(file.path, limit: name.limit)
      else { continue }
      repository.environment.fileSystem.removeLeftover(file.path)
      guard
        let object = try? ObjectReader(
          file: bytes, entry: entry, device: head.device, keys: repository.keys)
      else { continue }
      try collect(object, head) { try index.place(of: $0) == nil }
    }
  }

  private mutating func collect(
    _ object: ObjectReader, _ head: Head, where isNew: (Digest) throws -> Bool
  ) throws {
    try object.forEachCommit { commit, envelope, line in
      guard try isNew(commit.hash), seen.insert(commit.hash).inserted else { return }
      try ChangeCodec.decode(Array(line[envelope.changes])[...]) { note($0, head) }
    }
  }

  private mutating func note(_ change: Change, _ head: Head) {
    let place = RecordAndDevice(name: change.name, device: head.device)
    records[place, default: Found(deviceName: head.name)].note(change)
  }
}
