import CanonicalJSON
import ObjectStore

/// Values that an app handed over for keys that differ from the record and have no base: they wait, in a file for each
/// record, until a sync picks a side.
struct UndecidedKeys: Equatable, Sendable {
  let name: RecordName
  /// The values of the keys that wait; of a kind that is one register, the whole payload.
  let values: JSONObject
  let isWhole: Bool
}

extension UndecidedKeys {
  fileprivate var json: JSONObject {
    [
      "format": 1, "id": .string(JSONString(utf8: name.id) ?? ""), "kind": .string(JSONString(name.kind)),
      "values": .object(values), "whole": .bool(isWhole),
    ]
  }

  fileprivate init?(json: JSONObject) {
    guard json["format"]?.intValue == 1, let id = json["id"]?.stringValue,
      let kind = json["kind"]?.textValue, let values = json["values"]?.objectValue,
      let isWhole = json["whole"]?.boolValue, RecordGrammar.isID(id.utf8),
      RecordGrammar.isKindName(kind.utf8)
    else { return nil }
    self.init(
      name: RecordName(family: .keys, kind: kind, id: id.utf8), values: values, isWhole: isWhole)
  }
}

extension Repository {
  private static let undecidedPrefix = "undecided-"

  private func undecidedFile(_ name: RecordName) -> String {
    Self.undecidedPrefix + SHA256.hash(Array(AppLedger.source(name).utf8)).hex
  }

  /// All that waits, sorted by record.
  func undecidedKeys() throws -> [UndecidedKeys] {
    try undecidedFiles().compactMap { file in
      let path = "\(layout.local)/\(file)"
      // Another process may have decided it meanwhile.
      guard let json = try files.readObject(path) else { return nil }
      guard let keys = UndecidedKeys(json: json) else { throw RunicError.badPrivateFile(path: path) }
      return keys
    }.sorted { $0.name < $1.name }
  }

  private func undecidedFiles() throws -> [String] {
    try environment.fileSystem.listIfPresent(layout.local).map(\.name)
      .filter { $0.hasPrefix(Self.undecidedPrefix) }
  }

  /// Makes it last what waits of some records. An app's newest payload stands for all that it handed over before.
  ///
  /// - Parameter taken: of each record that was taken in what waits of it; nil where nothing does.
  func noteUndecided(_ taken: [RecordName: UndecidedKeys?]) throws {
    if taken.isEmpty { return }
    let known = Set(try undecidedFiles())
    let changed = taken.filter { $0.value != nil || known.contains(undecidedFile($0.key)) }
    if changed.isEmpty { return }
    let lock = try lock()
    try withExtendedLifetime(lock) {
      try environment.fileSystem.makeDirectories(layout.local, permissions: 0o700)
      for (name, keys) in changed {
        let path = "\(layout.local)/\(undecidedFile(name))"
        if let keys {
          try files.writeObject(keys.json, to: path)
        } else {
          try environment.fileSystem.removeIfPresent(path)
        }
      }
    }
  }
}
