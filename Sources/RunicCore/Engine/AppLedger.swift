import CanonicalJSON
import ObjectStore

/// What an app held of its records: the part of the ledger that may come to hold very many, in files by the hash of a
/// source's name. A record that is taken in so reads and writes one small file, however many there are.
///
/// A change is kept here until `save`, which puts it over what the files say by then.
struct AppLedger {
  /// What the names of its files begin with.
  static let prefix = "bases-"

  private let repository: Repository
  private var files: [UInt8: SyncLedger] = [:]
  /// By source; nil forgets one.
  private var changes: [String: SyncLedger.Base?] = [:]

  init(_ repository: Repository) { self.repository = repository }

  /// What the ledger calls an app's copy of a record.
  static func source(_ name: RecordName) -> String {
    "app:\(name.kind)/\(String(decoding: name.id, as: UTF8.self))"
  }

  /// What a source held when it was last taken from or handed over; nil where it never was.
  mutating func base(of source: String) throws -> SyncLedger.Base? {
    if let changed = changes[source] { return changed }
    let number = Self.file(of: source)
    if let file = files[number] { return file.sources[source] }
    let file = try repository.readAppLedger(number)
    files[number] = file
    return file.sources[source]
  }

  mutating func note(_ base: SyncLedger.Base?, of source: String) { changes[source] = .some(base) }

  /// The bases of all records of a kind.
  func bases(ofKind kind: String) throws -> [String: SyncLedger.Base] {
    var found: [String: SyncLedger.Base] = [:]
    for number in try repository.appLedgerNumbers() {
      let file = try files[number] ?? repository.readAppLedger(number)
      for (source, base) in file.sources
      where base.record.kind == kind && source == Self.source(base.record) {
        found[source] = base
      }
    }
    return found
  }

  /// Makes the changes last. Other processes' changes to other sources stay.
  func save() throws {
    if changes.isEmpty { return }
    let lock = try repository.lock()
    try withExtendedLifetime(lock) {
      for (number, changes) in Dictionary(grouping: changes, by: { Self.file(of: $0.key) }) {
        var file = try repository.readAppLedger(number)
        let before = file
        for (source, base) in changes { file.sources[source] = base }
        if file != before { try repository.writeAppLedger(file, number) }
      }
    }
  }

  private static func file(of source: String) -> UInt8 {
    SHA256.hash(Array(source.utf8)).withUnsafeBytes { $0.first ?? 0 }
  }
}

extension Repository {
  private func appLedgerPath(_ number: UInt8) -> String {
    "\(layout.local)/\(AppLedger.prefix)\(Hexadecimal.encode([number]))"
  }

  fileprivate func appLedgerNumbers() throws -> [UInt8] {
    try environment.fileSystem.listIfPresent(layout.local).compactMap { entry in
      guard entry.name.hasPrefix(AppLedger.prefix) else { return nil }
      let digits = String(entry.name.dropFirst(AppLedger.prefix.count))
      return Hexadecimal.decode(digits).flatMap { $0.count == 1 ? $0[0] : nil }
    }.sorted()
  }

  fileprivate func readAppLedger(_ number: UInt8) throws -> SyncLedger {
    let path = appLedgerPath(number)
    guard let json = try files.readObject(path) else { return SyncLedger() }
    guard let ledger = SyncLedger(json: json) else { throw RunicError.badPrivateFile(path: path) }
    return ledger
  }

  fileprivate func writeAppLedger(_ ledger: SyncLedger, _ number: UInt8) throws {
    try environment.fileSystem.makeDirectories(layout.local, permissions: 0o700)
    try files.writeObject(ledger.json, to: appLedgerPath(number))
  }
}
