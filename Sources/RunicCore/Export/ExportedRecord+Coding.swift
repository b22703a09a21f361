import CanonicalJSON
import ObjectStore

extension ExportedHistory {
  init(_ reader: ExportReader) throws(RunicError) {
    let payload = try reader.value("add", "an object", \.objectValue)
    var rank = Rank.zero
    if reader.object["rank"] != nil {
      rank = try reader.value("rank", "up to four integers") { value in
        guard let list = value.arrayValue else { return nil }
        let integers = list.compactMap(\.intValue)
        return integers.count == list.count ? Rank(integers) : nil
      }
    }
    self.init(
      kind: try reader.kind(), id: try reader.id(), payload: payload.canonicalBytes[...], rank: rank,
      stamp: try reader.stamp(), origin: try reader.origin(hasCommit: false))
  }
}

extension ExportedKeyed {
  var json: JSONObject {
    var object: JSONObject = [
      "id": JSONString(utf8: id).map(JSONValue.string) ?? .null, "kind": .string(JSONString(kind)),
      "writes": .array(writes.map { .object($0.json) }),
    ]
    if !deletes.isEmpty { object["deletes"] = .array(deletes.map { .object($0.json) }) }
    if !latest.isEmpty {
      object["latest"] = .array(
        latest.sorted { $0.key < $1.key }.map { generation, stamp in
          ["generation": .integer(generation), "stamp": .string(JSONString(stamp.hex))]
        })
    }
    return object
  }

  init(_ reader: ExportReader) throws(RunicError) {
    var writes: [Write] = []
    for each in try reader.objects("writes") { writes.append(try Write(each)) }
    var deletes: [Delete] = []
    for each in try reader.objects("deletes") { deletes.append(try Delete(each)) }
    var latest: [Int64: Stamp] = [:]
    for each in try reader.objects("latest") { latest[try each.generation()] = try each.stamp() }
    self.init(
      kind: try reader.kind(), id: try reader.id(), writes: writes, deletes: deletes, latest: latest)
  }
}

extension ExportedKeyed.Write {
  fileprivate var json: JSONObject {
    var object = origin.json
    object["generation"] = .integer(generation)
    object["stamp"] = .string(JSONString(stamp.hex))
    if isResolution { object["resolution"] = true }
    if isSettled { object["settled"] = true }
    var (set, unset) = (JSONObject(), [JSONValue]())
    for (register, value) in values.sorted(by: { $0.key < $1.key }) {
      let parsed = value.flatMap { try? JSONValue.parse($0) }
      guard let key = register.string else {
        object["whole"] = parsed ?? .null
        continue
      }
      if let parsed { set[key] = parsed } else { unset.append(.string(key)) }
    }
    if !set.isEmpty { object["set"] = .object(set) }
    if !unset.isEmpty { object["unset"] = .array(unset) }
    return object
  }

  fileprivate init(_ reader: ExportReader) throws(RunicError) {
    self.init(
      generation: try reader.generation(), values: try Self.values(reader), stamp: try reader.stamp(),
      origin: try reader.origin(hasCommit: true), isResolution: try reader.flag("resolution"),
      isSettled: try reader.flag("settled"))
  }

  private static func values(_ reader: ExportReader) throws(RunicError) -> [RegisterKey: [UInt8]?] {
    var values: [RegisterKey: [UInt8]?] = [:]
    if let whole = reader.object["whole"] {
      guard whole.isNull || whole.objectValue != nil else {
        throw ExportReader.bad("whole", .type(expected: "an object or null"))
      }
      values[.whole] = .some(whole.isNull ? nil : whole.canonicalBytes)
    }
    if reader.object["set"] != nil {
      for (key, value) in try reader.value("set", "an object", \.objectValue) {
        values[.key(key.utf8)] = .some(value.canonicalBytes)
      }
    }
    if reader.object["unset"] != nil {
      let keys = try reader.value("unset", "a list of strings") { value in
        let keys = value.arrayValue?.compactMap(\.stringValue)
        return keys?.count == value.arrayValue?.count ? keys : nil
      }
      for key in keys { values[.key(key.utf8)] = .some(nil) }
    }
    guard !values.isEmpty else { throw ExportReader.bad("set", .missing) }
    return values
  }
}

extension ExportedKeyed.Delete {
  fileprivate var json: JSONObject {
    var object = origin.json
    object["generation"] = .integer(generation)
    object["stamp"] = .string(JSONString(stamp.hex))
    if isSettled { object["settled"] = true }
    return object
  }

  fileprivate init(_ reader: ExportReader) throws(RunicError) {
    self.init(
      generation: try reader.generation(), stamp: try reader.stamp(),
      origin: try reader.origin(hasCommit: true), isSettled: try reader.flag("settled"))
  }
}
