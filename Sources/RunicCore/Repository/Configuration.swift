import CanonicalJSON

/// A remote as the user named it.
public struct RemoteSetting: Equatable, Sendable {
  /// Letters, digits, `-` and `_`, 1 to 64, the first of them no `-`.
  public var name: String
  /// A folder or an address, as it was typed.
  public var url: String
  /// The id of the repository that was found there; nil where it could not be reached yet.
  public var repository: String?

  public init(name: String, url: String, repository: String? = nil) {
    self.name = name
    self.url = url
    self.repository = repository
  }
}

/// `config.json`: the remotes, in the order added, and settings. Private to a device.
public struct Configuration: Equatable, Sendable {
  /// In the order in which they were added.
  public private(set) var remotes: [RemoteSetting] = []
  /// What is set, as it was typed; also what counts as not set (`disregarded`).
  public private(set) var settings: [String: String] = [:]
  /// What each kind that has defaults shows where a record says nothing: canonical JSON, never synced.
  public private(set) var defaults: [String: JSONObject] = [:]
  /// The settings files that records follow, in the order in which they were named.
  public private(set) var tracked: [TrackedFile] = []

  /// Without remotes and settings.
  public init() {}

  /// The names of the settings that exist; `NAME` stands for a remote's name.
  public static let keys = Setting.allCases.map(\.rawValue)

  /// The remote of that name.
  ///
  /// - Throws: `unknownRemote`.
  public func remote(_ name: String) throws -> RemoteSetting {
    guard let remote = remotes.first(where: { $0.name == name }) else {
      throw RunicError.unknownRemote(name, known: remotes.map(\.name))
    }
    return remote
  }

  /// Adds a remote behind the others.
  ///
  /// - Throws: `badRemoteName`, `remoteExists`.
  public mutating func add(_ remote: RemoteSetting) throws {
    guard Self.isName(remote.name) else { throw RunicError.badRemoteName(remote.name) }
    guard !remotes.contains(where: { $0.name == remote.name }) else {
      throw RunicError.remoteExists(remote.name)
    }
    remotes.append(remote)
  }

  /// Removes a remote with its settings.
  ///
  /// - Throws: `unknownRemote`.
  public mutating func removeRemote(_ name: String) throws {
    _ = try remote(name)
    remotes.removeAll { $0.name == name }
    settings = settings.filter { Self.remoteName(inKey: $0.key) != name }
  }

  /// Calls a remote otherwise; its settings go with it.
  ///
  /// - Throws: `unknownRemote`, `badRemoteName`, `remoteExists`.
  public mutating func renameRemote(_ name: String, to other: String) throws {
    _ = try remote(name)
    guard Self.isName(other) else { throw RunicError.badRemoteName(other) }
    guard !remotes.contains(where: { $0.name == other }) else { throw RunicError.remoteExists(other) }
    update(name) { $0.name = other }
    for (key, value) in settings where Self.remoteName(inKey: key) == name {
      settings[key] = nil
      settings["remote.\(other).timeout"] = value
    }
  }

  /// Puts a remote at another place, of which nothing is known yet.
  ///
  /// - Throws: `unknownRemote`.
  public mutating func setURL(_ url: String, ofRemote name: String) throws {
    _ = try remote(name)
    update(name) { ($0.url, $0.repository) = (url, nil) }
  }

  /// Notes the id of the repository that was found at a remote; nothing where there is no such remote.
  public mutating func note(repository: String, ofRemote name: String) {
    update(name) { $0.repository = repository }
  }

  /// Sets what a kind's records show where they say nothing; nil takes that back.
  public mutating func setDefaults(_ object: JSONObject?, ofKind kind: String) {
    defaults[kind] = object
  }

  /// Follows a file, or follows it otherwise than before.
  public mutating func track(_ file: TrackedFile) {
    let place = tracked.firstIndex { $0.path == file.path }
    if let place { tracked[place] = file } else { tracked.append(file) }
  }

  /// Follows a file no longer; nothing where it was not followed.
  public mutating func untrack(_ path: String) { tracked.removeAll { $0.path == path } }

  /// What a record shows where it says nothing: the defaults of its kind, and over them those of its files.
  func defaults(of name: RecordName) -> JSONObject {
    var result = defaults[name.kind] ?? [:]
    for file in tracked where file.record == name {
      for (key, value) in file.defaults { result[key] = value }
    }
    return result
  }

  private mutating func update(_ name: String, _ change: (inout RemoteSetting) -> Void) {
    for index in remotes.indices where remotes[index].name == name { change(&remotes[index]) }
  }

  // MARK: - Settings

  /// Sets a setting.
  ///
  /// - Throws: `unknownConfiguration`, `unknownRemote`, `badConfiguration` for a value that it does not take.
  public mutating func set(_ key: String, to value: String) throws {
    guard try setting(key).takes(value) else { throw RunicError.badConfiguration(key: key, value: value) }
    settings[key] = value
  }

  /// Takes a setting out; also one that is not known, if it stands there.
  ///
  /// - Throws: `unknownConfiguration`, `unknownRemote`.
  public mutating func unset(_ key: String) throws {
    if settings.removeValue(forKey: key) == nil { _ = try setting(key) }
  }

  /// The keys of the settings that count as not set, in order: nobody knows them, or they do not take their values.
  public var disregarded: [String] {
    settings.filter { (try? setting($0.key).takes($0.value)) != true }.keys.sorted()
  }

  /// The setting that a key names.
  ///
  /// - Throws: `unknownConfiguration`, or `unknownRemote` where it is one of a remote that is not there.
  private func setting(_ key: String) throws -> Setting {
    if let name = Self.remoteName(inKey: key) {
      _ = try remote(name)
      return .remoteTimeout
    }
    guard let setting = Setting(rawValue: key) else {
      throw RunicError.unknownConfiguration(key: key, known: Self.keys)
    }
    return setting
  }

  /// The remote that a setting is one of.
  private static func remoteName(inKey key: String) -> String? {
    let parts = key.split(separator: ".", omittingEmptySubsequences: false)
    let isTimeout = parts.count == 3 && parts[0] == "remote" && parts[2] == "timeout"
    return isTimeout ? String(parts[1]) : nil
  }

  // What stands in the file may have been written by anyone: a value that no setting takes counts as none.

  /// What a pull does with conflicts: last-writer-wins where nothing is set.
  public var strategy: MergeStrategy {
    settings[Setting.syncStrategy.rawValue].flatMap(MergeStrategy.init(rawValue:)) ?? .lastWriterWins
  }

  /// Seconds that a hook may take: 1 to 86,400, 60 where nothing is set.
  public var hookTimeLimit: Int { seconds(.hooksTimeout) }

  /// How many seconds a setting says, or those that count where it is not set; 0 for one that is no number of seconds.
  func seconds(_ setting: Setting) -> Int {
    settings[setting.rawValue].flatMap(Setting.seconds) ?? setting.standardSeconds ?? 0
  }

  /// Seconds without an answer after which a remote counts as lost; nil where that is not set.
  public func timeout(ofRemote name: String) -> Int? {
    settings["remote.\(name).timeout"].flatMap(Setting.seconds)
  }

  /// Letters, digits, `-` and `_`, at most 64: a name that can stand in a file's name.
  private static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "-")
      && name.utf8.allSatisfy { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
          || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
      }
  }
}

// MARK: - Bytes

extension Configuration {
  var json: JSONObject {
    var object: JSONObject = [
      "format": 1, "remotes": .array(remotes.map(\.json)),
      "settings": .object(JSONObject(settings.mapValues { .string(JSONString($0)) })),
    ]
    if !defaults.isEmpty { object["defaults"] = .object(JSONObject(defaults.mapValues(JSONValue.object))) }
    if !tracked.isEmpty { object["tracked"] = .array(tracked.map(\.json)) }
    return object
  }

  init?(json: JSONObject) {
    guard let list = json["remotes"]?.arrayValue, let settings = json["settings"]?.objectValue else {
      return nil
    }
    for value in list {
      guard let object = value.objectValue, let name = object["name"]?.textValue,
        let url = object["url"]?.textValue
      else { return nil }
      remotes.append(RemoteSetting(name: name, url: url, repository: object["repository"]?.textValue))
    }
    for (key, value) in settings {
      // By hand a number is written without quotes.
      self.settings[key.string] = value.textValue ?? String(decoding: value.canonicalBytes, as: UTF8.self)
    }
    for (key, value) in json["defaults"]?.objectValue ?? [:] { defaults[key.string] = value.objectValue }
    tracked = (json["tracked"]?.arrayValue ?? []).compactMap(TrackedFile.init(json:))
  }
}

extension RemoteSetting {
  fileprivate var json: JSONValue {
    var object: JSONObject = ["name": .string(JSONString(name)), "url": .string(JSONString(url))]
    if let repository { object["repository"] = .string(JSONString(repository)) }
    return .object(object)
  }
}

extension JSONObject {
  /// An object of members whose keys are Swift strings.
  init(_ members: [String: JSONValue]) {
    self.init(members.map { (key: JSONString($0.key), value: $0.value) })
  }
}
