import ObjectStore

/// What a `keys` folder holds for one repository: passphrase slots, and the files of keys that rotations added.
/// What is hostile or damaged in it costs nothing and hides nothing else.
struct KeyFolder {
  private let repository: RepositoryID
  /// The id of the key that the repository began with, whose number is 1.
  private let first: KeyID
  private(set) var slots: [KeySlot]
  private(set) var files: [KeyID: KeyFile]

  /// How many slots are tried with a passphrase: each takes a third of a second.
  private static let limit = 64

  init(_ found: [TreeName: [UInt8]], marker: Marker) {
    repository = marker.repository
    first = marker.key
    var files: [KeyID: KeyFile] = [:]
    var slots: [KeySlot] = []
    for (name, bytes) in found {
      switch name {
      case .slot(let id):
        if let slot = try? KeySlot(decoding: bytes, id: id) { slots.append(slot) }
      case .keyFile(let name):
        if let file = try? KeyFile(decoding: bytes, name: name) { files[name.key] = file }
      case .marker, .head, .object: continue
      }
    }
    self.files = files.filter { $0.value.repository == marker.repository }
    var numbers = self.files.mapValues(\.name.number)
    numbers[marker.key] = 1
    let usable = slots.filter { $0.repository == marker.repository && numbers[$0.key] != nil }
    // Newest keys first: whoever opens one need not try the slots of those that lie in its file.
    let sorted = usable.sorted { (numbers[$0.key] ?? 1, $1.id) > (numbers[$1.key] ?? 1, $0.id) }
    self.slots = Array(sorted.prefix(Self.limit))
  }

  /// The files that are of use, as they lie in a tree.
  var bytes: [TreeName: [UInt8]] {
    var result: [TreeName: [UInt8]] = [:]
    for slot in slots { result[.slot(slot.id)] = slot.bytes }
    for file in files.values { result[.keyFile(file.name)] = file.bytes }
    return result
  }

  /// The keys that a rotation added and that are not among those held.
  func missing(from keys: RepositoryKeys) -> [KeyFileName] {
    files.values.map(\.name).filter { keys[$0.key] == nil }.sorted()
  }

  // MARK: - Opening

  /// A key and all that its file holds; only itself where it is the first one, and nothing where it is neither.
  func keys(with root: SecretBytes) throws -> [RepositoryKey] {
    let key = try RepositoryKey(root: root, number: 1, repository: repository)
    if key.id == first { return [key] }
    return try files[key.id]?.open(with: root) ?? []
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

  /// All keys of the repository that something opens.
  ///
  /// - Throws: `RunicError.foreignRepository`, `.noUsableSlot`, `.wrongKey`.
  func open(_ unlock: Unlock, marker: Marker) throws -> RepositoryKeys {
    var found: [RepositoryKey]
    switch unlock {
    case .keys(let roots, let repository):
      guard repository == marker.repository else {
        throw RunicError.foreignRepository(here: repository, there: marker.repository)
      }
      found = try roots.flatMap(keys(with:))
    case .passphrase(let ask):
      guard !slots.isEmpty else { throw RunicError.noUsableSlot }
      found = try open(passphrase: try ask())
    }
    guard let one = found.popLast() else { throw RunicError.wrongKey }
    let keys = RepositoryKeys(one).adding(found)
    guard marker.accepts(keys) else { throw RunicError.wrongKey }
    return keys
  }
}
