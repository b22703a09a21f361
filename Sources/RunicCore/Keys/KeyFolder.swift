import ObjectStore

/// What a `keys` folder holds for one repository: passphrase slots, and the files of keys that rotations added.
///
/// What is damaged in it or of another repository costs nothing and hides nothing else. What only a key could tell from
/// the real is tried, up to a bound: so forged slots make opening with a passphrase slow, and beyond the bound they hide
/// real ones, as whoever can write there could by removing them.
struct KeyFolder {
  private let repository: RepositoryID
  /// The id of the key that the repository began with, whose number is 1.
  private let first: KeyID
  private(set) var slots: [KeySlot]
  /// Slots of keys whose file is not there.
  private let orphans: [KeySlot]
  /// Several of one key where all but one are forged.
  private var files: [KeyID: [KeyFile]]

  /// How many slots are tried with a passphrase, of the first key and of all others: each takes a third of a second.
  static let limit = 64

  init(_ found: [TreeName: [UInt8]], marker: Marker) {
    repository = marker.repository
    first = marker.key
    files = [:]
    var slots: [KeySlot] = []
    for (name, bytes) in found {
      switch name {
      case .slot(let id):
        if let slot = try? KeySlot(decoding: bytes, id: id) { slots.append(slot) }
      case .keyFile(let name):
        guard let file = try? KeyFile(decoding: bytes, name: name), file.repository == repository else {
          continue
        }
        files[name.key, default: []].append(file)
      case .marker, .head, .object: continue
      }
    }
    var numbers = files.mapValues { $0.lazy.map(\.name.number).max() ?? 1 }
    numbers[marker.key] = 1
    let own = slots.filter { $0.repository == marker.repository }
    let usable = own.filter { numbers[$0.key] != nil }
    self.slots = Self.chosen(usable, first: marker.key) { numbers[$0.key] ?? 1 }
    orphans = Array(own.filter { numbers[$0.key] == nil }.sorted { $0.id < $1.id }.prefix(Self.limit))
  }

  /// The slots to try, newest keys first: whoever opens one need not try the slots of those that lie in its file.
  ///
  /// Anyone who can write there can forge a key file, and slots of its key. So the first key, which the marker names, has
  /// places of its own, and other keys take turns: many slots of one crowd out none of another.
  private static func chosen(
    _ slots: [KeySlot], first: KeyID, number: (KeySlot) -> Int64
  ) -> [KeySlot] {
    let byKey = Dictionary(grouping: slots.sorted { $0.id < $1.id }, by: \.key)
    let turns = byKey.filter { $0.key != first }.values.flatMap { $0.enumerated() }.sorted {
      ($0.offset, number($1.element), $0.element.id) < ($1.offset, number($0.element), $1.element.id)
    }
    let chosen = (byKey[first] ?? []).prefix(limit) + turns.prefix(limit).map(\.element)
    return chosen.sorted { (number($0), $1.id) > (number($1), $0.id) }
  }

  /// The `keys` folder of a local store.
  init(of store: Store, marker: Marker, without withdrawn: Set<SlotID> = []) throws {
    var found: [TreeName: [UInt8]] = [:]
    for name in try store.names(in: .keys) { found[name] = try? store.read(name) }
    for slot in withdrawn { found[.slot(slot)] = nil }
    self.init(found, marker: marker)
  }

  /// The files that are of use, as they lie in a tree.
  var bytes: [TreeName: [UInt8]] {
    var result: [TreeName: [UInt8]] = [:]
    for slot in slots { result[.slot(slot.id)] = slot.bytes }
    for file in files.values.joined() { result[.keyFile(file.name)] = file.bytes }
    return result
  }

  /// The keys that a rotation added and that are not among those held.
  func missing(from keys: RepositoryKeys) -> [KeyFileName] {
    files.values.joined().map(\.name).filter { keys[$0.key] == nil }.sorted()
  }

  // MARK: - Opening

  /// A key and all that its file holds; only itself where it is the first one, and nothing where no file is its own.
  func keys(with root: SecretBytes) throws -> [RepositoryKey] {
    let key = try RepositoryKey(root: root, number: 1, repository: repository)
    if key.id == first { return [key] }
    for file in files[key.id] ?? [] {
      if let keys = try? file.open(with: root) { return keys }
    }
    return []
  }

  /// What was printed, and all that the files of those keys hold; one that is not known here counts only where it came
  /// with a number. Nil where there is none.
  func keys(_ printed: [RepositoryKey]) throws -> RepositoryKeys? {
    var found = try printed.flatMap { key in
      let known = try keys(with: key.root)
      return known.isEmpty && key.number > 1 ? [key] : known
    }
    return found.popLast().map { RepositoryKeys($0).adding(found) }
  }

  /// The keys that a passphrase opens, beyond those that are held, and the slots that gave them.
  ///
  /// - Complexity: scrypt's time and memory for each slot of a key that is not known yet.
  func open(
    passphrase: SecretBytes, beyond held: [RepositoryKey] = []
  ) throws -> [RepositoryKey] {
    var known = Set(held.map(\.id))
    var found: [RepositoryKey] = []
    for slot in slots where !known.contains(slot.key) {
      guard let root = try? slot.unwrap(passphrase: passphrase), let keys = try? keys(with: root) else {
        continue
      }
      found += keys.filter { known.insert($0.id).inserted }
    }
    return found
  }

  /// The same without some slots, by their bytes.
  func leavingOut(_ tried: Set<[UInt8]>) -> KeyFolder {
    var rest = self
    rest.slots.removeAll { tried.contains($0.bytes) }
    return rest
  }

  /// The key that a passphrase would open if the key's file were there.
  static func keyWithoutFile(in folders: [KeyFolder], passphrase: SecretBytes) -> KeyID? {
    var tried: Set<[UInt8]> = []
    let orphans = folders.flatMap(\.orphans).filter { tried.insert($0.bytes).inserted }
    return orphans.prefix(limit).first { (try? $0.unwrap(passphrase: passphrase)) != nil }?.key
  }

  /// All keys of the repository that something opens.
  ///
  /// - Throws: `RunicError.foreignRepository`, `.noUsableSlot`, `.keyFileAbsent`, `.wrongKey`.
  func open(_ unlock: Unlock, marker: Marker) throws -> RepositoryKeys {
    var found: [RepositoryKey]
    switch unlock {
    case .keys(let roots, let repository):
      guard repository == marker.repository else {
        throw RunicError.foreignRepository(here: repository, there: marker.repository)
      }
      found = try roots.flatMap(keys(with:))
      // The string that it was in has a check of its own: it is a key of this repository.
      if found.isEmpty, let root = roots.first {
        throw RunicError.keyFileAbsent(
          try RepositoryKey(root: root, number: 1, repository: repository).id)
      }
    case .passphrase(let ask):
      guard !slots.isEmpty else {
        throw orphans.first.map { RunicError.keyFileAbsent($0.key) } ?? .noUsableSlot
      }
      let passphrase = try ask()
      found = try open(passphrase: passphrase)
      if found.isEmpty, let key = Self.keyWithoutFile(in: [self], passphrase: passphrase) {
        throw RunicError.keyFileAbsent(key)
      }
    }
    guard let one = found.popLast() else { throw RunicError.wrongKey }
    let keys = RepositoryKeys(one).adding(found)
    guard marker.accepts(keys) else { throw RunicError.wrongKey }
    return keys
  }
}
