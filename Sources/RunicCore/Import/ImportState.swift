import CanonicalJSON
import ObjectStore

/// What is known of a log that was read: whether it has to be read again, and from where.
struct LogState: Equatable {
  var length: Int64
  /// Nanoseconds since 1970; -1 where a change could hide behind it.
  var modified: Int64
  var identity: [UInt64]
  /// Offset behind the last whole line.
  var offset: Int64
  /// Of the bytes before the offset; nil where the log is always read whole.
  var sample: LogSample?
  /// Of the newest quota reading that was taken of the log, in whole seconds; nil where none was.
  var lastReading: Timestamp?
  /// Who read it, and how.
  var profile: ImportProfile

  /// How long after a change a file system may still show the same time for another one, in nanoseconds: the
  /// tick of a kernel, and some.
  private static let grain: Int64 = 20_000_000

  init(_ status: FileStatus, companions: [FileStatus], now: Int64, profile: ImportProfile) {
    length = companions.reduce(status.length) { $0.clampedSum($1.length) }
    let newest = companions.reduce(status.modified) { max($0, $1.modified) }
    let isOld = newest < now.multipliedReportingOverflow(by: 1_000_000).partialValue &- Self.grain
    modified = isOld ? newest : -1
    identity = status.identity
    offset = 0
    self.profile = profile
  }

  /// Whether a file that looks like this needs no reading.
  func covers(_ now: LogState) -> Bool {
    length == now.length && modified == now.modified && modified != -1 && identity == now.identity
      && profile.covers(now.profile)
  }
}

/// What was asked of a log when it was read.
struct ImportProfile: Equatable {
  let importer: String
  let revision: Int64
  let withProjects: Bool
  /// The providers whose requests were taken, where not all were.
  let providers: String

  /// Whether a reading under this profile found all that one under the other would find.
  func covers(_ other: ImportProfile) -> Bool {
    importer == other.importer && revision == other.revision && providers == other.providers
      && (withProjects || !other.withProjects)
  }
}

/// `imports`: which logs were read. Derived, and safe to lose: then all logs are read again and add nothing.
///
/// It holds for one state of the device's own log only. If that log has become shorter since (a restored
/// store) or another one (a new identity), what the logs gave may be gone, and they are read again.
struct ImportState: Equatable {
  var logs: [String: LogState] = [:]
  /// Those on which logs that were read hold requests; see `LoggedDays`.
  var days: Set<Int64> = []
  /// The name of the zone in which those days were told.
  private(set) var zone = ""

  private static let format = 3

  /// Empty where the bytes are of another form or another device, or know more of its log than there is.
  ///
  /// - Parameter sequence: the number of the newest commit of the device's log, 0 before the first.
  init(bytes: [UInt8], device: DeviceID, sequence: Int64) {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
    guard let header = lines.popFirst(), let object = (try? JSONValue.parse(header))?.objectValue,
      object["format"]?.intValue == Int64(Self.format), object["device"]?.textValue == device.hex,
      let known = object["sequence"]?.intValue, known <= sequence
    else { return }
    zone = object["zone"]?.textValue ?? ""
    days = Set(object["days"]?.arrayValue?.compactMap(\.intValue) ?? [])
    for line in lines {
      if let (path, log) = LogState.parse(line) { logs[path] = log }
    }
  }

  init(zone: String = "") { self.zone = zone }

  func bytes(device: DeviceID, sequence: Int64) -> [UInt8] {
    let header: JSONObject = [
      "days": .array(days.sorted().map(JSONValue.integer)), "device": .string(JSONString(device.hex)),
      "format": .integer(Int64(Self.format)),
      "sequence": .integer(sequence), "zone": .string(JSONString(zone)),
    ]
    var bytes = header.canonicalBytes
    bytes.append(UInt8(ascii: "\n"))
    for (path, log) in logs.sorted(by: { $0.key < $1.key }) where !path.utf8.contains(UInt8(ascii: "\n")) {
      bytes += "\(log.line)\t\(path)\n".utf8
    }
    return bytes
  }
}

extension LogState {
  private init(
    length: Int64, modified: Int64, identity: [UInt64], offset: Int64, sample: LogSample?,
    lastReading: Timestamp?, profile: ImportProfile
  ) {
    self.length = length
    self.modified = modified
    self.identity = identity
    self.offset = offset
    self.sample = sample
    self.lastReading = lastReading
    self.profile = profile
  }

  fileprivate var line: String {
    let fields = [
      "\(length)", "\(modified)", identity.map(String.init).joined(separator: ","), "\(offset)",
      sample?.text ?? "", lastReading.map { "\($0.seconds)" } ?? "", profile.importer, "\(profile.revision)",
      profile.withProjects ? "1" : "0",
      profile.providers,
    ]
    return fields.joined(separator: "\t")
  }

  fileprivate static func parse(_ line: ArraySlice<UInt8>) -> (path: String, log: LogState)? {
    let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 10, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard fields.count == 11, let length = Int64(fields[0]), let modified = Int64(fields[1]),
      let offset = Int64(fields[3]), offset >= 0, let revision = Int64(fields[7])
    else { return nil }
    let profile = ImportProfile(
      importer: fields[6], revision: revision, withProjects: fields[8] == "1", providers: fields[9])
    let log = LogState(
      length: length, modified: modified, identity: fields[2].split(separator: ",").compactMap { UInt64($0) },
      offset: offset, sample: fields[4].isEmpty ? nil : LogSample(text: fields[4]),
      lastReading: Int64(fields[5]).flatMap { Timestamp(seconds: $0) }, profile: profile)
    return (fields[10], log)
  }
}

// MARK: - The file

extension Repository {
  private var importStatePath: String { "\(layout.root)/imports" }
  /// Of hundreds of thousands of log files.
  private static let importStateLimit = 256 << 20

  private func ownSequence() throws -> Int64 {
    try store.headNames().reduce(0) { $1.device == deviceID ? max($0, $1.sequence) : $0 }
  }

  /// What is known; nothing where the file is gone, unreadable or of another log.
  func readImportState() throws -> ImportState {
    guard let bytes = try? environment.fileSystem.readIfPresent(importStatePath, limit: Self.importStateLimit)
    else {
      return ImportState()
    }
    return ImportState(bytes: bytes, device: deviceID, sequence: try ownSequence())
  }

  /// Under the lock, because whoever holds that clears away temporary files.
  func writeImportState(_ state: ImportState) throws {
    let lock = try lock()
    try withExtendedLifetime(lock) {
      try files.write(
        state.bytes(device: deviceID, sequence: try ownSequence()), to: importStatePath,
        limit: Self.importStateLimit)
    }
  }
}
