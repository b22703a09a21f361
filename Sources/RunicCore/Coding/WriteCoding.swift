import CanonicalJSON
import ObjectStore

extension ChangeWriter {
  mutating func write(_ write: RegisterWrite) {
    require(write.generation >= 1 && !(write.writes.isEmpty && write.settles.isEmpty))
    let keyed = KeyedWrites(write.writes)
    if write.generation != 1 {
      member("generation")
      integer(write.generation)
    }
    member("id")
    text(write.id)
    member("kind")
    plain(write.kind)
    origin(write.origin)
    replaces(keyed.replacing)
    if write.isResolution {
      member("resolves")
      raw("true".utf8)
    }
    set(keyed.set)
    commits("settles", write.settles)
    writtenStamp(write.stamp)
    unset(keyed.unset)
    whole(write.writes[.whole])
    end()
  }

  private mutating func replaces(_ lists: [(key: [UInt8], commits: [Digest])]) {
    guard !lists.isEmpty else { return }
    member("replaces")
    nested { writer in
      for (key, commits) in lists {
        writer.key(key)
        writer.list(Self.ascending(commits)) { $0.hex($1) }
      }
    }
  }

  private mutating func set(_ values: [(key: [UInt8], value: [UInt8])]) {
    guard !values.isEmpty else { return }
    member("set")
    nested { writer in
      for (key, value) in values {
        writer.key(key)
        value.withUnsafeBytes { writer.json($0, inside: 2) }
      }
    }
  }

  private mutating func unset(_ keys: [[UInt8]]) {
    guard !keys.isEmpty else { return }
    member("unset")
    list(keys) { $0.text($1) }
  }

  private mutating func whole(_ written: WrittenValue?) {
    guard let written else { return }
    member("whole")
    if let value = written.value {
      value.withUnsafeBytes { json($0, inside: 1) }
    } else {
      raw("null".utf8)
    }
    commits("wholeReplaces", written.replaces)
  }
}

/// The writes of keys, sorted as they are written.
private struct KeyedWrites {
  private(set) var replacing: [(key: [UInt8], commits: [Digest])] = []
  private(set) var set: [(key: [UInt8], value: [UInt8])] = []
  private(set) var unset: [[UInt8]] = []

  init(_ writes: [RegisterKey: WrittenValue]) {
    for (register, written) in writes.sorted(by: { $0.key < $1.key }) {
      guard case .key(let key) = register else { continue }
      if !written.replaces.isEmpty { replacing.append((key, written.replaces)) }
      if let value = written.value { set.append((key, value)) } else { unset.append(key) }
    }
  }
}

/// The members of a write.
struct WriteFields {
  private var generation: Int64 = 1
  private var shared = SharedFields()
  private var replaces: [RegisterKey: [Digest]] = [:]
  private var isResolution = false
  private var settles: [Digest] = []
  /// Nil inside is an unset.
  private var values: [RegisterKey: [UInt8]?] = [:]

  /// - Parameters:
  ///   - cursor: at the value of the first key.
  ///   - first: that key.
  init(
    _ cursor: inout ChangeCursor, _ members: inout JSONCursor.Members, first: JSONKey,
    _ kinds: inout KindNames
  ) throws(FormatError) {
    var key: JSONKey? = first
    while let name = key {
      try read(name, &cursor, &kinds)
      key = try cursor.nextKey(in: &members)
    }
  }

  func change() throws(FormatError) -> RegisterWrite {
    guard !values.isEmpty || !settles.isEmpty else { throw .content("empty change") }
    guard replaces.keys.allSatisfy({ values[$0] != nil }) else { throw .content("replaces") }
    var writes: [RegisterKey: WrittenValue] = [:]
    for (key, value) in values { writes[key] = WrittenValue(value: value, replaces: replaces[key] ?? []) }
    return RegisterWrite(
      kind: try shared.kind(), id: try shared.requiredID(), generation: generation, writes: writes,
      settles: settles, isResolution: isResolution, stamp: try shared.writtenStamp(), origin: shared.origin)
  }

  private mutating func read(
    _ key: JSONKey, _ cursor: inout ChangeCursor, _ kinds: inout KindNames
  ) throws(FormatError) {
    switch key {
    case "generation": generation = try cursor.generation(in: ChangeBounds.namedGenerations)
    case "replaces": try readReplaces(&cursor)
    case "resolves":
      try cursor.truth()
      isResolution = true
    case "set": try readSet(&cursor)
    case "settles": settles = try cursor.commits()
    case "unset": try readUnset(&cursor)
    case "whole": values[.whole] = .some(try Self.whole(&cursor))
    case "wholeReplaces": replaces[.whole] = try cursor.commits()
    default: try shared.read(key, &cursor, &kinds)
    }
  }

  private mutating func readReplaces(_ cursor: inout ChangeCursor) throws(FormatError) {
    var members = try cursor.beginObject()
    while let key = try cursor.nextKey(in: &members) {
      replaces[.key(key.string.utf8)] = try cursor.commits()
    }
    guard !replaces.isEmpty else { throw .content("empty list") }
  }

  private mutating func readSet(_ cursor: inout ChangeCursor) throws(FormatError) {
    var members = try cursor.beginObject()
    while let key = try cursor.nextKey(in: &members) {
      values[.key(key.string.utf8)] = .some(Array(try cursor.value().bytes))
    }
    guard !values.isEmpty else { throw .content("empty list") }
  }

  private mutating func readUnset(_ cursor: inout ChangeCursor) throws(FormatError) {
    var last: RegisterKey?
    var elements = try cursor.beginArray()
    while try cursor.nextElement(in: &elements) {
      let key = RegisterKey.key(try cursor.text())
      if let last, last >= key { throw .content("key order") }
      guard values.updateValue(nil, forKey: key) == nil else { throw .content("key set and unset") }
      last = key
    }
    guard last != nil else { throw .content("empty list") }
  }

  /// The payload, or nothing where it is unset.
  private static func whole(_ cursor: inout ChangeCursor) throws(FormatError) -> [UInt8]? {
    let value = try cursor.value()
    switch value.type {
    case .object: return Array(value.bytes)
    case .null: return nil
    default: throw .content("payload")
    }
  }
}
