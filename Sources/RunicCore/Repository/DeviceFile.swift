import CanonicalJSON
import ObjectStore

/// `device.json`: which device this repository is, and what people call it.
struct DeviceFile: Equatable {
  var device: DeviceID
  var name: String
  var repository: RepositoryID
  /// The identities that this repository had before it found that it was a clone or a restored backup.
  var formerly: [DeviceID] = []
  /// How many repository keys the device holds: tells a process that another one of the same device took some in.
  var keyCount = 1

  func isOwn(_ other: DeviceID) -> Bool { other == device || formerly.contains(other) }

  var json: JSONObject {
    var object: JSONObject = [
      "device": .string(JSONString(device.hex)), "format": 1,
      "formerly": .array(formerly.map { .string(JSONString($0.hex)) }), "name": .string(JSONString(name)),
      "repository": .string(JSONString(repository.hex)),
    ]
    if keyCount != 1 { object["keys"] = .integer(Int64(keyCount)) }
    return object
  }

  init(device: DeviceID, name: String, repository: RepositoryID) {
    self.device = device
    self.name = name
    self.repository = repository
  }

  init?(json: JSONObject) {
    guard let device = json["device"]?.textValue.flatMap({ DeviceID(hex: $0) }),
      let name = json["name"]?.textValue,
      let repository = json["repository"]?.textValue.flatMap({ RepositoryID(hex: $0) })
    else { return nil }
    self.init(device: device, name: name, repository: repository)
    keyCount = json["keys"]?.intValue.map { Int(clamping: $0) } ?? 1
    formerly = (json["formerly"]?.arrayValue ?? []).compactMap {
      $0.textValue.flatMap { DeviceID(hex: $0) }
    }
  }
}
