import CanonicalJSON
import ObjectStore

/// What a rotation made.
public struct KeyRotation: Sendable {
  public let key: KeyID
  public let number: Int64
  /// The slots that open the new key, and those whose passphrase was not given: they open what was there before.
  public let slots: [SlotID]
  public let left: [SlotID]
}

extension Repository {
  /// The `keys` folder of the local store.
  func keyFolder() throws -> KeyFolder {
    // Where a key is lost, the records may not be readable.
    lostKeyCount > 0 ? try KeyFolder(of: store, marker: marker()) : try read(keyFolder(in:))
  }

  private func keyFolder(in snapshot: Snapshot) throws -> KeyFolder {
    try KeyFolder(of: store, marker: marker(), without: Set(snapshot.withdrawnSlots()))
  }

  /// How often a change of keys is made ready before others that change them too keep it from being made.
  private static let keyAttempts = 16

  /// Changes keys or slots. What takes scrypt's time and memory is made ready before the lock is taken; where another
  /// process has changed keys or slots by then, it is made ready anew.
  ///
  /// - Throws: `LockTimeout` where others change them again and again.
  func changeKeys<Ready, Result>(
    preparing prepare: (KeyFolder) throws -> Ready, changing change: (Transaction, Ready) throws -> Result
  ) throws -> Result {
    let begin = environment.clock.ticks()
    for _ in 0..<Self.keyAttempts {
      try reloadDevice()
      let folder = try keyFolder()
      let (held, slots) = (keys.all.map(\.id), folder.slots.map(\.id))
      let ready = try prepare(folder)
      let result = try write { transaction -> Result? in
        let now = try keyFolder(in: transaction.current)
        guard keys.all.map(\.id) == held, now.slots.map(\.id) == slots else { return nil }
        return try change(transaction, ready)
      }
      if let result { return result }
    }
    throw LockTimeout(path: layout.lock, waited: environment.clock.ticks() &- begin)
  }

  /// The local store's marker.
  func marker() throws -> Marker {
    let bytes = try store.read(.marker)
    do throws(FormatError) { return try Marker(decoding: bytes) } catch {
      throw DamagedFile(.marker, error)
    }
  }

  /// Adds a new key: what is written from then on, here and by every device that holds it, needs it to be read.
  /// What was written before stays as it is.
  ///
  /// - Parameter passphrases: of the slots that are to open the new key as well.
  /// - Throws: `RunicError.wrongKey` for a passphrase that opens no slot, `.keyFromCommand` where a command
  ///   stands in for the key file.
  /// - Complexity: scrypt's time and memory for each slot and passphrase, before the lock is taken.
  public func rotateKey(passphrases: [SecretBytes]) throws -> KeyRotation {
    if let keyCommand { throw RunicError.keyFromCommand(keyCommand) }
    let rotation = try changeKeys {
      try prepareRotation(passphrases, $0)
    } changing: { transaction, ready in
      let file = try KeyFile(adding: ready.key, to: keys, random: environment.random)
      for slot in ready.slots { try store.write(slot.bytes, to: .slot(slot.id)) }
      try store.write(file.bytes, to: .keyFile(file.name))
      try hold([ready.key])
      transaction.useIdentity()
      for slot in ready.slots { try transaction.note(slot) }
      for slot in ready.replaced { try transaction.withdraw(slot) }
      // A head under the new key: with it the next push has something to bring, and others learn of the key.
      if ready.slots.isEmpty { try transaction.appendEmptyCommit() }
      return KeyRotation(
        key: ready.key.id, number: ready.key.number, slots: ready.slots.map(\.id), left: ready.left)
    }
    tidySlots()
    return rotation
  }

  /// A key that comes after all that are held, its slots, and what becomes of the slots that there are.
  private struct ReadyRotation {
    let key: RepositoryKey
    let slots: [KeySlot]
    let replaced: Set<SlotID>
    let left: [SlotID]
  }

  private func prepareRotation(_ passphrases: [SecretBytes], _ folder: KeyFolder) throws -> ReadyRotation {
    var replaced: Set<SlotID> = []
    for passphrase in passphrases {
      let opened = folder.slots.filter { (try? $0.unwrap(passphrase: passphrase)) != nil }
      guard !opened.isEmpty else { throw RunicError.wrongKey }
      replaced.formUnion(opened.map(\.id))
    }
    let key = try RepositoryKey(
      root: environment.random.secret(RepositoryKey.byteCount), number: try nextKeyNumber(), repository: id)
    let slots = try passphrases.map {
      try KeySlot(wrapping: key, passphrase: $0, random: environment.random)
    }
    return ReadyRotation(
      key: key, slots: slots, replaced: replaced,
      left: folder.slots.map(\.id).filter { !replaced.contains($0) }.sorted())
  }

  private func nextKeyNumber() throws -> Int64 {
    let (number, overflows) = keys.newest.number.addingReportingOverflow(1)
    guard !overflows else { throw RunicError.tooLarge(what: "key number", limit: Int.max) }
    return number
  }

  /// Puts another passphrase in the place of one: for every slot that the old one opens, a new slot.
  ///
  /// - Returns: the new slots and the withdrawn ones.
  /// - Throws: `RunicError.noUsableSlot`, `.wrongKey`.
  public func changePassphrase(
    from old: SecretBytes, to new: SecretBytes
  ) throws -> (made: [SlotID], withdrawn: [SlotID]) {
    let result = try changeKeys { folder in
      let usable = folder.slots.filter { keys[$0.key] != nil }
      guard !usable.isEmpty else { throw RunicError.noUsableSlot }
      let opened = usable.filter { (try? $0.unwrap(passphrase: old)) != nil }
      guard !opened.isEmpty else { throw RunicError.wrongKey }
      let made = try Set(opened.map(\.key)).compactMap { keys[$0] }.sorted { $0.id < $1.id }.map {
        try KeySlot(wrapping: $0, passphrase: new, random: environment.random)
      }
      return (made: made, withdrawn: opened.map(\.id))
    } changing: { transaction, ready in
      for slot in ready.made {
        try store.write(slot.bytes, to: .slot(slot.id))
        try transaction.note(slot)
      }
      for slot in ready.withdrawn { try transaction.withdraw(slot) }
      return (ready.made.map(\.id), ready.withdrawn)
    }
    tidySlots()
    return result
  }

  // MARK: - Keys that others added

  /// The keys that rotations elsewhere added and that this device does not hold, as the last pulls met them, and those
  /// that it held and lost.
  public func keysNotHeld() throws -> [KeyID] {
    let met = try readTrust().remotes.values.flatMap { $0.unread.values.compactMap(\.key) }
    let lost = lostKeyCount > 0 ? try keyFolder().missing(from: keys).map(\.key) : []
    return Set(met + lost).filter { keys[$0] == nil }.sorted()
  }

  /// Takes the keys that rotations elsewhere added, or that were lost here, from the remotes and the local store.
  ///
  /// - Parameter unlock: where a command stands in for the key file, it is run in place of asking for a passphrase.
  /// - Returns: the ids of the keys that are held now and were not before; none where there is nothing to take.
  /// - Throws: `RunicError.wrongKey` where the passphrase or key opens nothing, `.olderKey` where it opens only what is
  ///   held, `.keyFileAbsent` where its key's file is nowhere, `.keyNotPrinted` where the command prints no key that is
  ///   missing, `.foreignRepository`; what reaching a remote throws, where none that was reached has a key's file.
  public func addKeys(_ unlock: Unlock) throws -> [KeyID] {
    if case .keys(_, let repository) = unlock, repository != id {
      throw RunicError.foreignRepository(here: id, there: repository)
    }
    let (folders, failure) = try keyFolders()
    let useful = folders.filter { !$0.missing(from: keys).isEmpty }
    guard !useful.isEmpty else {
      if let failure { throw failure }
      if let key = try (unlock.keysNotHeld(by: keys) + keysNotHeld()).first {
        throw RunicError.keyFileAbsent(key)
      }
      return []
    }
    let unlock = try keyCommand.map { try unlockByCommand($0, inPlaceOf: unlock) } ?? unlock
    var added: [KeyID] = []
    let found: (KeyFolder) throws -> [RepositoryKey]
    let opensOlder: () throws -> Bool
    let withoutFile: () throws -> KeyID?
    switch unlock {
    case .passphrase(let ask):
      let passphrase = try ask()
      // Most slots lie in every folder: each is tried once.
      var tried: Set<[UInt8]> = []
      found = { [self] folder in
        let fresh = folder.leavingOut(tried)
        tried.formUnion(fresh.slots.filter { keys[$0.key] == nil }.map(\.bytes))
        return try fresh.open(passphrase: passphrase, beyond: keys.all)
      }
      opensOlder = { [self] in
        let older = folders.flatMap(\.slots).filter { keys[$0.key] != nil && tried.insert($0.bytes).inserted }
        return older.prefix(KeyFolder.limit).contains { (try? $0.unwrap(passphrase: passphrase)) != nil }
      }
      withoutFile = { KeyFolder.keyWithoutFile(in: folders, passphrase: passphrase) }
    case .keys(let roots, _):
      found = { try roots.flatMap($0.keys(with:)) }
      opensOlder = { try folders.contains { try !roots.flatMap($0.keys(with:)).isEmpty } }
      withoutFile = { [self] in try unlock.keysNotHeld(by: keys).first(where: Set(keysNotHeld()).contains) }
    }
    for folder in useful {
      let new = try found(folder).filter { keys[$0.id] == nil }
      if !new.isEmpty { try take(new, from: folder) }
      added += new.map(\.id)
    }
    if added.isEmpty, let keyCommand { throw RunicError.keyNotPrinted(keyCommand) }
    guard added.isEmpty else { return added }
    if let key = try withoutFile() { throw RunicError.keyFileAbsent(key) }
    throw try opensOlder() ? RunicError.olderKey : RunicError.wrongKey
  }

  private func unlockByCommand(_ command: String, inPlaceOf unlock: Unlock) throws -> Unlock {
    guard case .passphrase = unlock else { throw RunicError.keyNotPrinted(command) }
    return .keys(try environment.keys(printedBy: command, of: id).map(\.root), id)
  }

  /// The `keys` folders of the local store and of every remote that can be reached, and why the first of the
  /// others could not.
  private func keyFolders() throws -> (folders: [KeyFolder], failure: (any Error)?) {
    let marker = try marker()
    var failure: (any Error)?
    var folders = [try keyFolder()]
    for setting in configuration.remotes {
      do {
        let there = try remote(setting)
        try check(marker: there.marker())
        folders.append(KeyFolder(try there.keys(), marker: marker))
      } catch { failure = failure ?? error }
    }
    return (folders, failure)
  }

  /// Keeps keys and their files. In no transaction, which would begin with this device's newest head: it may need
  /// just these keys.
  func take(_ new: [RepositoryKey], from folder: KeyFolder) throws {
    let ids = Set(new.map(\.id))
    let lock = try lock()
    try withExtendedLifetime(lock) {
      try reloadDevice()
      for (name, bytes) in folder.bytes {
        switch name {
        case .keyFile(let file) where ids.contains(file.key): try store.write(bytes, to: name)
        case .slot(let id) where folder.slots.contains { $0.id == id && ids.contains($0.key) }:
          try store.write(bytes, to: name)
        default: continue
        }
      }
      try hold(new)
    }
  }

  /// What `key export` prints: the newest key, and each other that lies in no held key's file.
  public func exportedKeys() throws -> [RepositoryKey] {
    let folder = try keyFolder()
    let covered = try Set(
      keys.all.flatMap { key in try folder.keys(with: key.root).dropFirst().map(\.id) })
    return keys.all.reversed().filter { $0.id == keys.newest.id || !covered.contains($0.id) }
  }
}
