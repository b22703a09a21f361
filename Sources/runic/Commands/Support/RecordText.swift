import CanonicalJSON
import ObjectStore
import RunicCore

/// Records in the forms in which commands print them.
struct RecordText {
  let snapshot: Snapshot

  /// How much of a hash or an id of digits people are shown.
  static let shortLength = 8

  /// One line of JSON. The payload is copied as it lies, for a list may have many of them.
  func json(_ record: RecordView, isRetracted: Bool = false) -> [UInt8] {
    var line: [UInt8] = []
    func member(_ name: String, _ value: JSONValue) {
      line.append(UInt8(ascii: line.isEmpty ? "{" : ","))
      line += "\"\(name)\":".utf8
      value.write(into: &line)
    }
    member("device", .text(record.device.hex))
    member("deviceName", .text(record.deviceName))
    member("fingerprint", .text(record.fingerprint.hex))
    member("id", Self.id(record.name.id))
    member("kind", .text(record.name.kind))
    if record.isLocal { member("local", true) }
    line += ",\"payload\":".utf8
    line += snapshot.payloadWithDefaults(record)
    if isRetracted { member("retracted", true) }
    member("stamp", .text(record.stamp.hex))
    member("time", .time(record.time))
    line.append(UInt8(ascii: "}"))
    return line
  }

  static func id(_ id: [UInt8]) -> JSONValue { JSONString(utf8: id).map(JSONValue.string) ?? .null }

  /// An id as people read it: cut where it is a fingerprint, or the id of a device or a key slot.
  static func short(_ id: [UInt8]) -> String {
    let text = String(decoding: id, as: UTF8.self)
    let isLong = Digest(hex: text) != nil || DeviceID(hex: text) != nil
    return isLong ? String(text.prefix(shortLength)) : text
  }

  static func short(_ digest: Digest) -> String { String(digest.hex.prefix(shortLength)) }

  /// A value as `get` prints it: a string without quotes, anything else as JSON.
  static func bare(_ value: JSONValue) -> String {
    value.textValue ?? String(decoding: value.canonicalBytes, as: UTF8.self)
  }

  /// A canonical value that may be missing, as JSON.
  static func json(_ canonical: [UInt8]?) -> JSONValue {
    canonical.flatMap { try? JSONValue.parse($0) } ?? .null
  }

  /// A canonical value that may be missing, for people.
  static func text(_ canonical: [UInt8]?, absent: String = "(unset)") -> String {
    canonical.map { bare(json($0)) } ?? absent
  }

  // MARK: - Warnings

  /// A merge may break a rule over several fields: it is shown, with a word of it.
  func warn(of record: RecordView, _ kind: Kind, on output: Output) {
    guard !kind.orderRules.isEmpty else { return }
    for rule in kind.warnings(in: record.object) {
      output.warning(
        "\(kind.name) '\(String(decoding: record.name.id, as: UTF8.self))': \(rule.lower) is above \(rule.upper)"
      )
    }
  }
}

extension RecordView {
  /// The time that a record is about, in milliseconds: that of its reading or request where its kind has one,
  /// else that of its recording.
  func ownTime(_ kind: Kind) -> Int64 {
    guard let field = BuiltInName.timeField(of: kind.name),
      let text = value(of: JSONString(field.description))?.textValue, let stated = Timestamp(text)
    else { return time }
    return stated.milliseconds
  }
}

/// A device as people type it: its name, its id, or four digits or more that the id begins with. It may be one that
/// is only known from an import.
struct DeviceMatch {
  private let typed: [UInt8]
  private let isPrefix: Bool

  init(_ typed: String) {
    self.typed = Array(typed.utf8)
    isPrefix = Snapshot.isPrefix(typed)
  }

  func accepts(_ device: DeviceID, _ name: String) -> Bool {
    name.utf8.elementsEqual(typed) || (isPrefix && device.hex.utf8.starts(with: typed))
  }
}
