import CanonicalJSON
import ObjectStore

/// The lines of an export (`docs/export.md`): a header, then a record a line, each one canonical JSON.
public enum ExportCoding {
  public static let version: Int64 = 1

  /// The first line, without its line feed.
  public static func header(repository: RepositoryID) -> [UInt8] {
    let header: JSONObject = [
      "repository": .string(JSONString(repository.hex)), "runic": "export", "version": .integer(version),
    ]
    return header.canonicalBytes
  }

  /// - Throws: `badPayload` for what is no header, `newerFormat` for that of a later version.
  static func check(header line: JSONObject) throws(RunicError) {
    guard line["runic"]?.textValue == "export", let stated = line["version"]?.intValue else {
      throw .badPayload(JSONError(position: 0, reason: .typeMismatch))
    }
    guard stated == version else { throw .newerFormat(name: "export", version: Int(clamping: stated)) }
  }

  /// Appends a record's line, without its line feed.
  public static func append(_ record: ExportedRecord, to output: inout [UInt8]) {
    switch record {
    case .history(let history): append(history, to: &output)
    case .keyed(let keyed): keyed.json.write(into: &output)
    }
  }

  /// The payload is copied as it lies, for there are many of them.
  private static func append(_ history: ExportedHistory, to output: inout [UInt8]) {
    output += "{\"add\":".utf8
    output += history.payload
    var rest = history.origin.json
    rest["id"] = JSONString(utf8: history.id).map(JSONValue.string)
    rest["kind"] = .string(JSONString(history.kind))
    if history.rank != .zero { rest["rank"] = .array(history.rank.values.map(JSONValue.integer)) }
    rest["stamp"] = .string(JSONString(history.stamp.hex))
    output.append(UInt8(ascii: ","))
    output += rest.canonicalBytes.dropFirst()
  }

  /// Reads a record's line.
  ///
  /// - Throws: `badField` with the member that is wrong, `badPayload`, `badKindName`, `badID`.
  public static func record(_ line: JSONObject) throws(RunicError) -> ExportedRecord {
    let reader = ExportReader(line)
    if line["add"] != nil { return .history(try ExportedHistory(reader)) }
    return .keyed(try ExportedKeyed(reader))
  }
}

/// Reads the members of one object of an export.
struct ExportReader {
  let object: JSONObject

  init(_ object: JSONObject) { self.object = object }

  func value<Value>(
    _ key: JSONString, _ expected: String, _ read: (JSONValue) -> Value?
  ) throws(RunicError) -> Value {
    guard let member = object[key] else { throw Self.bad(key, .missing) }
    guard let value = read(member) else { throw Self.bad(key, .type(expected: expected)) }
    return value
  }

  static func bad(_ key: JSONString, _ problem: FieldProblem) -> RunicError {
    .badField(kind: "export", field: key.string, problem: problem)
  }

  func flag(_ key: JSONString) throws(RunicError) -> Bool {
    guard object[key] != nil else { return false }
    return try value(key, "true or false", \.boolValue)
  }

  func generation() throws(RunicError) -> Int64 {
    try value("generation", "a number from 1", { $0.intValue.flatMap { $0 >= 1 ? $0 : nil } })
  }

  func stamp() throws(RunicError) -> Stamp {
    try value("stamp", "a stamp", { $0.textValue.flatMap { Stamp(hex: $0) } })
  }

  func objects(_ key: JSONString) throws(RunicError) -> [ExportReader] {
    guard object[key] != nil else { return [] }
    let list = try value(key, "a list", \.arrayValue)
    var readers: [ExportReader] = []
    for element in list {
      guard let object = element.objectValue else {
        throw Self.bad(key, .type(expected: "a list of objects"))
      }
      readers.append(ExportReader(object))
    }
    return readers
  }

  func kind() throws(RunicError) -> String {
    let name = try value("kind", "a string", \.textValue)
    guard RecordGrammar.isKindName(name.utf8) else { throw .badKindName(name) }
    return name
  }

  func id() throws(RunicError) -> [UInt8] {
    try RecordGrammar.id(try value("id", "a string", \.stringValue).utf8)
  }

  func origin(hasCommit: Bool) throws(RunicError) -> Origin {
    let device = try value("device", "a device's id", { $0.textValue.flatMap { DeviceID(hex: $0) } })
    let time = try value(
      "time", "milliseconds since 1970", { $0.intValue.flatMap { (0...Limits.time).contains($0) ? $0 : nil } }
    )
    let deviceName: [UInt8]? =
      object["deviceName"] == nil ? nil : try value("deviceName", "a string", \.stringValue).utf8
    let commit: Digest? =
      hasCommit ? try value("commit", "a commit's hash", { $0.textValue.flatMap { Digest(hex: $0) } }) : nil
    return Origin(device: device, deviceName: deviceName, time: time, commit: commit)
  }
}

extension Origin {
  var json: JSONObject {
    var object: JSONObject = ["device": .string(JSONString(device.hex)), "time": .integer(time)]
    if let commit { object["commit"] = .string(JSONString(commit.hex)) }
    if let deviceName, let name = JSONString(utf8: deviceName) { object["deviceName"] = .string(name) }
    return object
  }
}
