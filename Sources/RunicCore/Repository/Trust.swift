import CanonicalJSON
import ObjectStore

/// What a remote has shown and what this device wrote there.
struct RemoteTrust: Equatable {
  /// The newest head of each device that this remote has shown.
  var shown: [DeviceID: HeadName] = [:]
  /// The devices of which it shows less than it did, and in how many pulls it has done so.
  var rolledBack: [DeviceID: Rollback] = [:]
  /// This device's objects that it wrote there and has not seen gone since, in the order of writing.
  var objects: [Digest] = []
  /// The objects that this device's head there lists.
  var live: [Digest] = []
  /// This device's heads that it wrote there.
  var heads: [HeadName] = []
  /// This device's commit that was the latest when it last pushed there.
  var pushed: CommitName?
  /// Files there whose bytes did not match their names.
  var damaged: Set<String> = []
  /// Heads that it showed last and that could not be read, and why.
  var unread: [HeadName: UnreadHead] = [:]

  struct Rollback: Equatable {
    var from: Int64
    var to: Int64
    var pulls: Int
  }

  /// Whether verified heads that the remote lists are more than what is noted of it.
  func isNews(_ heads: [DeviceID: HeadName], own: DeviceID) -> Bool {
    heads.contains { device, head in
      (shown[device]?.sequence ?? 0) < head.sequence
        || (device == own && (pushed?.sequence ?? 0) < head.sequence)
    }
  }

  /// Notes a verified head that the remote has.
  mutating func saw(_ head: HeadName) {
    guard (shown[head.device]?.sequence ?? 0) <= head.sequence else { return }
    shown[head.device] = head
    rolledBack[head.device] = nil
  }

  /// Forgets what another place has shown. What this device wrote it would know again anywhere.
  mutating func move() {
    (shown, rolledBack, pushed, damaged, unread) = ([:], [:], nil, [], [:])
  }
}

/// What a head needs to be read: a newer version of the program, or a key that is not held.
struct UnreadHead: Equatable {
  var format: Int?
  var key: KeyID?

  func isUnread(with keys: RepositoryKeys) -> Bool {
    if let key { return keys[key] == nil }
    return (format ?? 0) > SealedHeader.formatVersion
  }
}

/// `trust`: what this device has verified. It is not derived from the store: it is what a store or a remote that
/// lost something is held against.
struct Trust: Equatable {
  /// The newest verified commit of each device.
  var devices: [DeviceID: CommitName] = [:]
  var remotes: [String: RemoteTrust] = [:]
  /// The devices whose fork has been reported.
  var reportedForks: Set<DeviceID> = []
  /// Files of the local store whose bytes did not match their names: the next pull brings them again.
  var damaged: Set<String> = []

  subscript(remote name: String) -> RemoteTrust {
    get { remotes[name] ?? RemoteTrust() }
    set { remotes[name] = newValue }
  }

  mutating func verified(_ commit: CommitName, of device: DeviceID) {
    if (devices[device]?.sequence ?? 0) < commit.sequence { devices[device] = commit }
  }
}

// MARK: - Bytes

extension Trust {
  var json: JSONObject {
    [
      "damaged": .strings(damaged.sorted()), "devices": .commits(devices), "format": 1,
      "forks": .strings(reportedForks.sorted().map(\.hex)),
      "remotes": .object(JSONObject(remotes.mapValues(\.json))),
    ]
  }

  init?(json: JSONObject) {
    guard let devices = json["devices"]?.commitsValue, let remotes = json["remotes"]?.objectValue,
      let forks = json["forks"]?.stringsValue, let damaged = json["damaged"]?.stringsValue
    else { return nil }
    self.devices = devices
    self.damaged = Set(damaged)
    reportedForks = Set(forks.compactMap { DeviceID(hex: $0) })
    for (name, value) in remotes {
      guard let remote = value.objectValue.flatMap(RemoteTrust.init(json:)) else { return nil }
      self.remotes[name.string] = remote
    }
  }
}

extension RemoteTrust {
  fileprivate var json: JSONValue {
    var object: JSONObject = [
      "damaged": .strings(damaged.sorted()),
      "heads": .heads(heads), "live": .strings(live.map(\.hex)),
      "objects": .strings(objects.map(\.hex)),
      "shown": .heads(shown.values.sorted()),
    ]
    if let pushed { object["pushed"] = pushed.json }
    if !unread.isEmpty {
      object["unread"] = .array(unread.sorted { $0.key < $1.key }.map { $0.value.json(of: $0.key) })
    }
    object["rolledBack"] = .object(
      JSONObject(
        Dictionary(
          uniqueKeysWithValues: rolledBack.map { device, rollback in
            (
              device.hex,
              [
                "from": .integer(rollback.from), "pulls": .integer(Int64(rollback.pulls)),
                "to": .integer(rollback.to),
              ] as JSONValue
            )
          })))
    return .object(object)
  }

  fileprivate init?(json: JSONObject) {
    guard let shown = json["shown"]?.headsValue, let objects = json["objects"]?.stringsValue,
      let live = json["live"]?.stringsValue, let heads = json["heads"]?.headsValue,
      let damaged = json["damaged"]?.stringsValue, let rollbacks = json["rolledBack"]?.objectValue
    else { return nil }
    self.shown = Dictionary(shown.map { ($0.device, $0) }) { max($0, $1) }
    self.objects = objects.compactMap { Digest(hex: $0) }
    self.live = live.compactMap { Digest(hex: $0) }
    self.heads = heads
    self.damaged = Set(damaged)
    pushed = json["pushed"].flatMap(CommitName.init(json:))
    for value in json["unread"]?.arrayValue ?? [] {
      guard let (head, reason) = UnreadHead.read(value) else { return nil }
      unread[head] = reason
    }
    for (device, value) in rollbacks {
      guard let id = DeviceID(hex: device.string), let from = value["from"]?.intValue,
        let to = value["to"]?.intValue, let pulls = value["pulls"]?.intValue
      else { return nil }
      rolledBack[id] = Rollback(from: from, to: to, pulls: Int(clamping: pulls))
    }
  }
}

extension UnreadHead {
  fileprivate func json(of head: HeadName) -> JSONValue {
    var object: JSONObject = ["head": .string(JSONString(TreeName.head(head).name))]
    if let format { object["format"] = .integer(Int64(format)) }
    if let key { object["key"] = .string(JSONString(key.hex)) }
    return .object(object)
  }

  fileprivate static func read(_ json: JSONValue) -> (HeadName, UnreadHead)? {
    guard case .head(let head)? = json["head"]?.textValue.flatMap({ TreeFolder.heads.entry($0) }) else {
      return nil
    }
    let key = json["key"]?.textValue.flatMap { KeyID(hex: $0) }
    return (head, UnreadHead(format: json["format"]?.intValue.map { Int(clamping: $0) }, key: key))
  }
}

extension CommitName {
  var json: JSONValue { ["hash": .string(JSONString(hash.hex)), "sequence": .integer(sequence)] }

  init?(json: JSONValue) {
    guard let hash = json["hash"]?.textValue.flatMap({ Digest(hex: $0) }),
      let sequence = json["sequence"]?.intValue
    else { return nil }
    self.init(sequence: sequence, hash: hash)
  }
}

extension JSONValue {
  static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string(JSONString($0)) }) }

  static func heads(_ names: [HeadName]) -> JSONValue { .strings(names.map { TreeName.head($0).name }) }

  var headsValue: [HeadName]? {
    stringsValue?.compactMap {
      if case .head(let name) = TreeFolder.heads.entry($0) { name } else { nil }
    }
  }

  static func commits(_ commits: [DeviceID: CommitName]) -> JSONValue {
    .object(
      JSONObject(Dictionary(uniqueKeysWithValues: commits.map { ($0.key.hex, $0.value.json) })))
  }

  var stringsValue: [String]? { arrayValue.map { $0.compactMap(\.textValue) } }

  var commitsValue: [DeviceID: CommitName]? {
    guard let object = objectValue else { return nil }
    var commits: [DeviceID: CommitName] = [:]
    for (key, value) in object {
      guard let device = DeviceID(hex: key.string), let commit = CommitName(json: value) else { return nil }
      commits[device] = commit
    }
    return commits
  }
}
