import CanonicalJSON
import ObjectStore
import TestSupport

@testable import RunicCore

/// A settings file that follows a record, and what its user's editor did to it.
///
/// Every value that the editor sets is one of its own, so that each can be told wherever it turns up.
struct SettingsFile {
  static let folder = "\(SimulatedDevice.home)/s"

  /// A value that was set, or a key that was removed.
  struct Edit {
    let key: JSONString
    let value: JSONValue?
  }

  /// How the file lies there.
  enum Condition: Equatable {
    case whole
    /// Nobody can take it apart, or it is gone (nil): nobody else may write there. The text as it was before.
    case broken([UInt8]?, before: [UInt8])
    /// Whole, but its mode says that nobody writes it.
    case locked([UInt8])
  }

  let tracked: TrackedFile
  private(set) var condition = Condition.whole
  /// Members that nobody follows, as the editor wrote them last.
  private var strange: [(name: String, text: String)] = []
  /// The latest edit of each key that nobody has said was taken, and those that were.
  private(set) var open: [JSONString: Edit] = [:]
  private(set) var taken: [Edit] = []
  /// How often the editor has changed something: what was wrong before may be told again.
  private(set) var changes = 0
  private let style: Style

  private struct Style {
    let indent: String
    let newline: String
    let hasMark: Bool
    let permissions: UInt32
  }

  /// - Parameter keys: none where all are followed.
  init(_ name: String, id: String, keys: [JSONString], _ random: inout SeededRandom) {
    tracked = TrackedFile(
      path: "\(Self.folder)/\(name)",
      record: RecordName(family: .keys, kind: BuiltInName.preferences, id: Array(id.utf8)), keys: keys)
    style = Style(
      indent: random.pick("  ", "\t", "    "), newline: random.pick("\n", "\n", "\r\n"),
      hasMark: random.chance(20), permissions: random.pick(0o644, 0o600))
    if keys.isEmpty { return }
    strange = [("window", random.strangeText()), ("caf\\u00e9", random.strangeText())]
  }

  var path: String { tracked.path }
  var name: String { String(path.dropFirst(Self.folder.count + 1)) }
  /// The keys that the editor changes.
  private var keys: [JSONString] { tracked.keys.isEmpty ? ["a", "b", "c", "d"] : tracked.keys }
}

// MARK: - What the editor does

extension SettingsFile {
  /// The first text.
  mutating func begin(
    on disk: MemoryFileSystem, _ random: inout SeededRandom, value: (JSONString) throws -> JSONValue
  ) throws {
    var payload = JSONObject()
    for key in keys where random.chance(70) { set(key, to: try value(key), in: &payload) }
    try disk.makeFolders(Self.folder)
    try disk.syncDirectory(SimulatedDevice.home)
    try save(text(payload), on: disk)
  }

  /// Changes some keys, most often followed ones.
  mutating func edit(
    on disk: MemoryFileSystem, _ random: inout SeededRandom, value: (JSONString) throws -> JSONValue
  ) throws {
    if case .broken = condition { return try mend(on: disk) }
    var payload = try payload(on: disk)
    for _ in 0..<random.number(1...2) {
      let key = keys[random.number(0...keys.count - 1)]
      if random.chance(20) { remove(key, from: &payload) } else { set(key, to: try value(key), in: &payload) }
    }
    if !strange.isEmpty, random.chance(40) { strange[0].text = random.strangeText() }
    let bytes = text(payload)
    if case .locked = condition { condition = .locked(bytes) }
    try save(bytes, on: disk)
  }

  /// Leaves what nobody can take apart.
  mutating func makeBroken(on disk: MemoryFileSystem, _ random: inout SeededRandom) throws {
    guard case .whole = condition else { return try mend(on: disk) }
    let before = try disk.contents(path)
    let broken: [UInt8]?
    switch random.number(0...5) {
    case 0: broken = nil
    case 1: broken = []
    case 2: broken = Array("// mine\n".utf8) + before
    case 3: broken = Array("[1, 2]\n".utf8)
    case 4: broken = Array("{\"theme\": \"x\", \"theme\": \"y\"}".utf8)
    default: broken = Array(before.prefix(before.count / 2))
    }
    condition = .broken(broken, before: before)
    if let broken { return try save(broken, on: disk) }
    changes += 1
    try disk.remove(path)
    try disk.syncDirectory(Self.folder)
  }

  /// Makes the file one that nobody may write, or one that its owner may write again.
  mutating func toggleLock(on disk: MemoryFileSystem) throws {
    switch condition {
    case .whole:
      condition = .locked(try disk.contents(path))
      try disk.setPermissions(path, 0o400)
    case .locked:
      condition = .whole
      try disk.setPermissions(path, style.permissions)
    case .broken: return
    }
    changes += 1
  }

  /// Removes all keys that are followed.
  mutating func strip(on disk: MemoryFileSystem) throws {
    guard case .whole = condition else { return }
    var payload = try payload(on: disk)
    for (key, _) in payload { remove(key, from: &payload) }
    try save(text(payload), on: disk)
  }

  /// Whole again, and free to be written.
  mutating func mend(on disk: MemoryFileSystem) throws {
    switch condition {
    case .broken(_, let before):
      condition = .whole
      try save(before, on: disk)
    case .locked: try toggleLock(on: disk)
    case .whole: break
    }
  }

  private mutating func set(_ key: JSONString, to value: JSONValue, in payload: inout JSONObject) {
    payload[key] = value
    open[key] = Edit(key: key, value: value)
  }

  private mutating func remove(_ key: JSONString, from payload: inout JSONObject) {
    guard payload[key] != nil else { return }
    payload[key] = nil
    open[key] = Edit(key: key, value: nil)
  }

  private mutating func save(_ bytes: [UInt8], on disk: MemoryFileSystem) throws {
    changes += 1
    let permissions = if case .locked = condition { UInt32(0o400) } else { style.permissions }
    try disk.writeDurably(bytes, to: path, by: "\(path)~", permissions: permissions)
  }
}

// MARK: - What became of it

extension SettingsFile {
  /// Somebody says that these keys were taken.
  mutating func noteTaken(_ keys: [JSONString]) {
    for key in keys {
      if let edit = open.removeValue(forKey: key) { taken.append(edit) }
    }
  }

  /// The user has said that the record is right about these keys, or that the file is no longer followed.
  mutating func giveUp(_ keys: [JSONString]) { for key in keys { open[key] = nil } }

  mutating func giveUpAll() { open = [:] }

  /// Nobody but the editor wrote where nobody else may, what nobody follows is as it was, and the mode too.
  func check(on disk: MemoryFileSystem) throws {
    let found = try disk.status(path) == nil ? nil : try disk.contents(path)
    switch condition {
    case .broken(let bytes, _) where found != bytes:
      throw broken("a file that is no settings was written", found)
    case .locked(let bytes) where found != bytes:
      throw broken("a file that nobody may write was written", found)
    case .broken: return
    case .whole, .locked: break
    }
    guard let found else { throw broken("a file is gone", nil) }
    for (name, text) in strange where !found.contains(Array("\"\(name)\": \(text)".utf8)) {
      throw broken("\(name), which nobody follows, is not as the editor left it", found)
    }
    guard case .whole = condition, let status = try disk.status(path) else { return }
    guard status.permissions == style.permissions else {
      throw broken("the mode is \(String(status.permissions, radix: 8))", found)
    }
    guard found.starts(with: Self.mark) == style.hasMark else { throw broken("the mark has changed", found) }
  }

  func payload(on disk: MemoryFileSystem) throws -> JSONObject {
    let bytes = try disk.contents(path)
    let text = bytes.starts(with: Self.mark) ? bytes.dropFirst(Self.mark.count) : bytes[...]
    return try JSONValue.parse(text).objectValue?.filter { tracked.covers($0.key) } ?? [:]
  }

  func broken(_ what: String, _ bytes: [UInt8]?) -> BrokenLaw {
    BrokenLaw("\(path): \(what): \(bytes.map { String(decoding: $0, as: UTF8.self) } ?? "nothing")")
  }
}

// MARK: - Its text

extension SettingsFile {
  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  private func text(_ payload: JSONObject) -> [UInt8] {
    var members = payload.map { key, value in
      "\"\(key.string)\": \(String(decoding: value.canonicalBytes, as: UTF8.self))"
    }
    let others = strange.map { "\"\($0.name)\": \($0.text)" }
    members = others.prefix(1) + members + others.dropFirst()
    let lines = members.map { "\(style.newline)\(style.indent)\($0)" }.joined(separator: ",")
    return (style.hasMark ? Self.mark : []) + Array("{\(lines)\(style.newline)}\(style.newline)".utf8)
  }
}

extension JSONObject {
  fileprivate func filter(_ isWanted: (Element) -> Bool) -> JSONObject {
    var result = self
    for member in self where !isWanted(member) { result[member.key] = nil }
    return result
  }
}

extension Array<UInt8> {
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    guard let first = part.first, count >= part.count else { return false }
    return (0...count - part.count).contains { self[$0] == first && self[$0...].starts(with: part) }
  }
}

extension SeededRandom {
  /// A value as some programs write it and canonical JSON does not.
  fileprivate mutating func strangeText() -> String {
    pick(
      "{\"x\": 1.0,  \"y\" :[ 2.50, 3e2 ]}", "\"a\\/b \\u00e9\"", "[ ]", "-0.0", "{\"n\": {\"m\": null}}",
      "\(number(0...99)).00")
  }
}
