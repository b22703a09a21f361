import ObjectStore

// Devices that have no log here: an import brought their records along, under the names that they had.
extension Snapshot {
  /// What people call devices; one that only an import brought along as the newest of its readings and requests does.
  ///
  /// - Complexity: one walk over all of those where there is such a device.
  public func names(of devices: Set<DeviceID>) throws -> [DeviceID: String] {
    names(of: devices, imported: devices.allSatisfy(isKnown) ? [:] : try importedNames())
  }

  private func names(of devices: Set<DeviceID>, imported: [DeviceID: String]) -> [DeviceID: String] {
    Dictionary(
      uniqueKeysWithValues: devices.map { ($0, isKnown($0) ? name(of: $0) : imported[$0] ?? $0.hex) })
  }

  /// The device that a person means whose readings and requests are asked for: one of `device(_:)`, else one that only
  /// an import brought along.
  ///
  /// - Throws: as `device(_:)`.
  public func recorder(_ typed: String) throws -> DeviceID {
    do { return try device(typed).id } catch RunicError.unknownDevice {
      let imported = try importedNames()
      let names = try names(of: Set(devices().map(\.id)).union(imported.keys), imported: imported)
      return try Self.device(
        typed, among: names.sorted { $0.key < $1.key }, name: { $0.value }, id: { $0.key }
      ).key
    }
  }

  private func isKnown(_ device: DeviceID) -> Bool {
    device == repository.deviceID || index.logs[device]?.name.isEmpty == false
  }

  private func importedNames() throws -> [DeviceID: String] {
    var newest: [DeviceID: (stamp: Stamp, name: [UInt8])] = [:]
    for kind in [BuiltInName.request, BuiltInName.usage] {
      try index.table.scan(prefix: IndexKey.kind(kind, .history)) { _, value in
        guard let record = HistoryScan(value) else { throw TableError.damaged(file: "index") }
        guard let name = record.deviceName else { return true }
        let device = DeviceID(exactly: record.device)
        if let known = newest[device] {
          guard known.stamp <= record.stamp else { return true }
          if known.stamp == record.stamp, !known.name.lexicographicallyPrecedes(name) { return true }
        }
        newest[device] = (record.stamp, Array(name))
        return true
      }
    }
    return newest.mapValues { String(decoding: $0.name, as: UTF8.self) }
  }
}
