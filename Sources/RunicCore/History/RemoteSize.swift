import ObjectStore

/// What lies on a remote, by device.
public struct RemoteSize: Sendable {
  /// Files and their bytes.
  public struct Sum: Equatable, Sendable {
    public var files: Int64 = 0
    public var bytes: Int64 = 0

    public init() {}

    mutating func add(_ length: Int64) {
      files &+= 1
      bytes &+= length
    }
  }

  /// What one device has there.
  public struct Device: Sendable {
    public let id: DeviceID
    public let name: String
    public var objects = Sum()
    public var heads = Sum()
    /// Of the objects' bytes, by kind of record: by how long the changes of each kind are before they are deflated.
    /// Only of what this device holds too.
    public var kinds: [(kind: String, bytes: Int64)] = []
  }

  public let remote: String
  public internal(set) var devices: [Device] = []
  /// Marker and key slots.
  public internal(set) var others = Sum()

  public var total: Sum {
    var sum = others
    for device in devices {
      sum.files &+= device.objects.files &+ device.heads.files
      sum.bytes &+= device.objects.bytes &+ device.heads.bytes
    }
    return sum
  }
}

extension Repository {
  /// Asks a remote for all its files, and shares the bytes of each device's objects out by kind.
  ///
  /// - Complexity: one listing of the remote; reads all commits that are here.
  public func size(of name: String) throws -> RemoteSize {
    let remote = try remote(try configuration.remote(name))
    try checkMarker(of: remote)
    let devices = try remote.devices()
    let entries = try remote.list(devices.map(TreeFolder.objects) + [.heads, .keys, .root])
    return try read { snapshot in
      let shares = try snapshot.bytesByKind()
      var size = RemoteSize(remote: name)
      var found: [DeviceID: RemoteSize.Device] = [:]
      for entry in entries {
        switch entry.name {
        case .object(let device, _):
          found[device, default: .init(id: device, name: snapshot.name(of: device))].objects.add(entry.length)
        case .head(let head):
          found[head.device, default: .init(id: head.device, name: snapshot.name(of: head.device))]
            .heads.add(entry.length)
        case .marker, .slot, .keyFile: size.others.add(entry.length)
        }
      }
      size.devices = found.values.map { device in
        var device = device
        device.kinds = Self.share(device.objects.bytes, by: shares[device.id] ?? [:])
        return device
      }.sorted { $0.objects.bytes > $1.objects.bytes }
      return size
    }
  }

  private static func share(_ bytes: Int64, by parts: [String: Int64]) -> [(kind: String, bytes: Int64)] {
    let all = parts.values.reduce(0, &+)
    guard all > 0 else { return [] }
    return parts.map { ($0.key, Int64(Double(bytes) * Double($0.value) / Double(all))) }
      .sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }
}

extension Snapshot {
  /// How many bytes the changes of each device take, by kind.
  func bytesByKind() throws -> [DeviceID: [String: Int64]] {
    var result: [DeviceID: [String: Int64]] = [:]
    try forEachCommit { commit in
      var places: [String: Int64] = [:]
      var count: Int64 = 0
      try commit.forEachChange { change in
        places[change.name.kind, default: 0] &+= 1
        count &+= 1
      }
      for (kind, part) in places {
        result[commit.device, default: [:]][kind, default: 0] &+= Int64(commit.length) &* part / max(1, count)
      }
      return true
    }
    return result
  }
}
