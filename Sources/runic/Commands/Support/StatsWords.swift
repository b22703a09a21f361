import CanonicalJSON
import RunicCore

/// What `stats` shows.
struct StatsWords {
  let history: SyncHistory
  let sizes: [RemoteSize]
  let warnings: [SyncWarning]
  /// Milliseconds since 1970.
  let now: Int64

  /// Syncs and conflicts that people are shown; JSON has all that are kept.
  private static let shown = 10

  func show(_ context: Context) {
    let output = context.output
    for line in history.statistics.summary(now: Timestamp(milliseconds: now)).split(separator: "\n") {
      output.line(String(line))
    }
    if !history.syncs.isEmpty { showSyncs(context) }
    if !history.conflicts.isEmpty { showConflicts(context) }
    for size in sizes { show(size, output) }
    for warning in warnings { output.warning(warning.words) }
  }

  private func showSyncs(_ context: Context) {
    context.output.line()
    var table = TextTable([
      .init("TIME", isOptional: true), .init("REMOTE", shrinks: true), .init("DID"),
      .init("SECONDS", .right, isOptional: true), .init("SENT", .right, shrinks: true),
      .init("CAME", .right, shrinks: true), .init("RETRIES", .right, isOptional: true),
      .init("", shrinks: true),
    ])
    for sync in history.syncs.suffix(Self.shown).reversed() {
      table.add([
        context.time(sync.time / 1000 * 1000), sync.remote, sync.operation, Self.seconds(sync.duration),
        Self.traffic(sync.sent), Self.traffic(sync.received), "\(sync.retries)",
        sync.failure.map { "failed: \($0)" } ?? "",
      ])
    }
    context.output.table(table)
  }

  private static func seconds(_ seconds: Double) -> String {
    let hundredths = Int64((min(seconds, 1e9) * 100).rounded())
    let rest = hundredths % 100
    return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  private static func traffic(_ traffic: SyncHistory.Traffic) -> String {
    traffic.files == 0 ? "-" : "\(counted(traffic.changes, "change")), \(readableSize(traffic.bytes))"
  }

  private func showConflicts(_ context: Context) {
    context.output.line()
    var table = TextTable([
      .init("CONFLICT", shrinks: true), .init("MET", isOptional: true), .init("SETTLED", shrinks: true),
    ])
    for conflict in history.conflicts.suffix(Self.shown).reversed() {
      table.add([
        Self.name(conflict.place), context.time(conflict.met / 1000 * 1000),
        conflict.settlement.map { Self.words($0, context) } ?? "open",
      ])
    }
    context.output.table(table)
  }

  private static func name(_ place: ConflictPlace) -> String {
    let id = String(decoding: place.record.id, as: UTF8.self)
    return "\(place.record.kind) \(id)\(place.key.map { " \($0.string)" } ?? "")"
  }

  private static func words(_ settlement: ConflictSettlement, _ context: Context) -> String {
    let who = settlement.deviceName.isEmpty ? "" : " by \(settlement.deviceName)"
    return "\(settlement.way.rawValue)\(who), \(context.time(settlement.time / 1000 * 1000))"
  }

  private func show(_ size: RemoteSize, _ output: Output) {
    let total = size.total
    output.line()
    output.line(
      Escaping.oneLine("\(size.remote): \(readableSize(total.bytes)) in \(counted(total.files, "file"))"))
    var table = TextTable([
      .init("DEVICE", shrinks: true), .init("FILES", .right), .init("BYTES", .right),
      .init("BY KIND", shrinks: true),
    ])
    for device in size.devices {
      let kinds = device.kinds.map { "\($0.kind) \(readableSize($0.bytes))" }.joined(separator: ", ")
      table.add([
        device.name, "\(device.objects.files + device.heads.files)",
        readableSize(device.objects.bytes + device.heads.bytes), kinds,
      ])
    }
    output.table(table)
  }

  // MARK: - For programs

  func json(hasSizes: Bool) -> JSONValue {
    let statistics = history.statistics
    var object: JSONObject = [
      "conflicts": .array(history.conflicts.map(Self.json)), "syncs": .array(history.syncs.map(Self.json)),
      "statistics": [
        "averageDuration": JSONValue.number(statistics.averageDuration) ?? 0,
        "failedSyncs": .count(statistics.failedSyncs), "lastSyncDate": .text(statistics.lastSyncDate?.text),
        "successRate": JSONValue.number(statistics.successRate) ?? 0,
        "successfulSyncs": .count(statistics.successfulSyncs), "totalSyncs": .count(statistics.totalSyncs),
      ], "warnings": .texts(warnings.map(\.words)),
    ]
    if hasSizes { object["sizes"] = .array(sizes.map(Self.json)) }
    return .object(object)
  }

  private static func json(_ sync: SyncHistory.Sync) -> JSONValue {
    [
      "conflicts": .count(sync.conflicts), "conflictsResolved": .count(sync.settled),
      "duration": JSONValue.number(sync.duration) ?? 0, "failure": .text(sync.failure),
      "operation": .text(sync.operation), "received": sync.received.json, "remote": .text(sync.remote),
      "retries": .count(sync.retries), "sent": sync.sent.json, "time": .time(sync.time),
    ]
  }

  private static func json(_ conflict: MetConflict) -> JSONValue {
    let settled = conflict.settlement.map { settlement -> JSONValue in
      [
        "deviceName": .text(settlement.deviceName), "time": .time(settlement.time),
        "way": .text(settlement.way.rawValue),
      ]
    }
    return [
      "id": .text(String(decoding: conflict.place.record.id, as: UTF8.self)),
      "key": .text(conflict.place.key?.string), "kind": .text(conflict.place.record.kind),
      "met": .time(conflict.met), "settled": settled ?? .null,
    ]
  }

  private static func json(_ size: RemoteSize) -> JSONValue {
    [
      "bytes": .integer(size.total.bytes), "devices": .array(size.devices.map(json)),
      "files": .integer(size.total.files), "remote": .text(size.remote),
    ]
  }

  private static func json(_ device: RemoteSize.Device) -> JSONValue {
    [
      "bytes": .integer(device.objects.bytes + device.heads.bytes), "device": .text(device.id.hex),
      "deviceName": .text(device.name), "files": .integer(device.objects.files + device.heads.files),
      "kinds": .array(device.kinds.map { ["bytes": .integer($0.bytes), "kind": .text($0.kind)] }),
    ]
  }
}
