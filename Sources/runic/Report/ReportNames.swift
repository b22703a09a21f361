import ObjectStore
import RunicCore

/// What devices and models are called on a screen or a page, where no two may be called the same.
struct ReportNames {
  private let devices: [DeviceID: String]
  /// Names of devices that several have: a machine that was set up anew often takes its old name.
  private let sharedDevices: Set<String>
  /// Names of models that several providers serve.
  private let sharedModels: Set<String>

  init(devices: [DeviceID: String], report: Report) {
    self.devices = devices
    sharedDevices = Self.repeated(devices.values)
    var models: Set<ModelName> = []
    for row in report.rows {
      if case .model(let name) = row.key { models.insert(name) }
      for model in row.models { models.insert(model.name) }
    }
    for cell in report.cube { models.insert(cell.model) }
    sharedModels = Self.repeated(models.map(\.model))
  }

  private static func repeated(_ names: some Sequence<String>) -> Set<String> {
    var seen: Set<String> = []
    return Set(names.filter { !seen.insert($0).inserted })
  }

  func name(of device: DeviceID) -> String {
    guard let name = devices[device] else { return device.hex }
    return sharedDevices.contains(name) ? "\(name) (\(device.hex.prefix(8)))" : name
  }

  func name(of model: ModelName) -> String {
    let name = Self.name(ofModel: model.model)
    return sharedModels.contains(model.model) ? "\(name) (\(Self.name(ofProvider: model.provider)))" : name
  }

  static func name(ofProvider provider: String) -> String { provider.isEmpty ? "(unknown)" : provider }
  static func name(ofModel model: String) -> String { model.isEmpty ? "(unknown model)" : model }
}
