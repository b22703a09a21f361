import CanonicalJSON
import ObjectStore

@testable import RunicCore

/// One request in the making.
struct SampleRequest {
  var provider = "anthropic"
  var model = "claude-opus-4-8"
  var time = "2026-09-05T12:00:00Z"
  var device: UInt8 = 1
  var tokens: [JSONString: Int64] = ["inputTokens": 1000]
  var other: [JSONString: JSONValue] = [:]

  var payload: [UInt8] {
    var object: JSONObject = [
      "model": .string(JSONString(model)), "occurredAt": .string(JSONString(time)),
      "providerID": .string(JSONString(provider)),
    ]
    for (key, count) in tokens { object[key] = .integer(count) }
    for (key, value) in other { object[key] = value }
    return object.canonicalBytes
  }
}

enum ReportSample {
  static func device(_ number: UInt8) -> DeviceID {
    let bytes = [UInt8](repeating: number, count: 16)
    return bytes.withUnsafeBytes { DeviceID(exactly: $0) }
  }

  static func seconds(_ time: String) -> Int64 { Timestamp(time)?.seconds ?? .min }

  /// The report over some requests.
  static func report(
    _ requests: [SampleRequest], by grouping: ReportGrouping = .daily, zone: ZoneRules = .utc,
    now: String = "2026-09-30T00:00:00Z", _ change: (inout ReportQuery) -> Void = { _ in }
  ) -> Report {
    var query = ReportQuery(grouping: grouping, zone: zone)
    change(&query)
    var builder = ReportBuilder(query, now: seconds(now) * 1000)
    for request in requests {
      request.payload.withUnsafeBytes { payload in
        device(request.device).withUnsafeBytes { builder.add(payload: payload, device: $0) }
      }
    }
    return builder.report()
  }

  /// A rule that the tests may rely on, as the variable `TZ` holds it.
  static func zone(_ rule: String) -> ZoneRules { ZoneRules(posix: rule) ?? .utc }

  static let berlin = zone("CET-1CEST,M3.5.0,M10.5.0/3")
}

extension Report {
  /// Names of periods, or of whatever the rows are about.
  var names: [String] {
    rows.map { row in
      switch row.key {
      case .period(_, let name), .provider(let name): name
      case .model(let name): "\(name.provider)/\(name.model)"
      case .device(let device): device.hex
      case .account(let name), .session(let name): name ?? "-"
      }
    }
  }
}

/// Writes zone files byte by byte (RFC 9636).
enum ZoneFixture {
  static func file(
    version: UInt8 = UInt8(ascii: "2"), transitions: [(time: Int64, type: UInt8)], offsets: [Int32],
    footer: String, leaps: Int = 0
  ) -> [UInt8] {
    guard version >= UInt8(ascii: "2") else { return block(version, 4, transitions, offsets, leaps) }
    return block(version, 4, [], [0], 0) + block(version, 8, transitions, offsets, leaps)
      + Array("\n\(footer)\n".utf8)
  }

  private static func block(
    _ version: UInt8, _ size: Int, _ transitions: [(time: Int64, type: UInt8)], _ offsets: [Int32],
    _ leaps: Int
  ) -> [UInt8] {
    var bytes = Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15)
    for count in [0, 0, leaps, transitions.count, offsets.count, 4] { bytes += word(Int64(count), 4) }
    for transition in transitions { bytes += word(transition.time, size) }
    bytes += transitions.map(\.type)
    for offset in offsets { bytes += word(Int64(offset), 4) + [0, 0] }
    bytes += Array("XXX\0".utf8)
    return bytes + [UInt8](repeating: 0, count: leaps * (size + 4))
  }

  private static func word(_ value: Int64, _ size: Int) -> [UInt8] {
    (0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> Int64($0 * 8)) }
  }
}
