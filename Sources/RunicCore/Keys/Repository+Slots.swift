import CanonicalJSON
import ObjectStore

/// A passphrase slot as it is known here.
public struct SlotView: Hashable, Sendable {
  public let id: SlotID
  /// When it was made, as its record says; nil where the record has not arrived.
  public let added: Timestamp?
  /// Whether its file is one that a passphrase could open: not cut, hostile or for another key.
  public let isUsable: Bool
  /// Whether it opens the key that all is written with now: one made before a rotation opens what was there then.
  public let opensNewest: Bool
}

extension Repository {
  /// The slots that count here, sorted by id: files of the store that no record withdraws.
  public func slots() throws -> [SlotView] { try read(slots(in:)) }

  private func slots(in snapshot: Snapshot) throws -> [SlotView] {
    try store.names(in: .keys).compactMap { name in
      guard case .slot(let id) = name else { return nil }
      let said = try snapshot.slotRecord(id)
      if said["removed"]?.boolValue == true { return nil }
      let key = usableKey(of: id)
      return SlotView(
        id: id, added: said["added"]?.textValue.flatMap(Timestamp.init), isUsable: key != nil,
        opensNewest: key == keys.newest.id)
    }.sorted { $0.id < $1.id }
  }

  /// The key that a slot opens; nil where its file is not one that a passphrase could open.
  private func usableKey(of id: SlotID) -> KeyID? {
    guard let bytes = try? store.read(.slot(id)), let slot = try? KeySlot(decoding: bytes, id: id),
      slot.repository == keys.repository
    else { return nil }
    return keys[slot.key]?.id
  }

  /// Makes a slot: from then on the passphrase opens every copy that the slot reaches. Takes scrypt's time and
  /// memory, before the lock is taken.
  public func addSlot(passphrase: SecretBytes) throws -> SlotID {
    var made: SlotID?
    do {
      return try changeKeys { _ in
        try KeySlot(wrapping: keys.newest, passphrase: passphrase, random: environment.random)
      } changing: { transaction, slot in
        made = slot.id
        try store.write(slot.bytes, to: .slot(slot.id))
        try transaction.note(slot)
        return slot.id
      }
    } catch {
      // Without its record it could never be told from one that was made elsewhere.
      if let made { do { try store.remove(.slot(made)) } catch {} }
      throw error
    }
  }

  /// Says of the slots that `init` made when they were made and what their files are.
  public func noteSlots() throws {
    let slots = try store.names(in: .keys).compactMap { name -> KeySlot? in
      guard case .slot(let id) = name else { return nil }
      return try? KeySlot(decoding: store.read(name), id: id)
    }
    if slots.isEmpty { return }
    try write { transaction in for slot in slots { try transaction.note(slot) } }
  }

  /// Withdraws a slot here and, as the record comes to them, everywhere.
  ///
  /// It takes the passphrase's way in from those who come later; who had the key keeps it.
  ///
  /// - Parameter prefix: at least four digits of the slot's id.
  /// - Returns: the slot, and how many are left.
  /// - Throws: `RunicError.unknownSlot`, `.ambiguous`.
  public func removeSlot(_ prefix: String) throws -> (removed: SlotID, left: Int) {
    let result = try write { transaction in
      let slots = try slots(in: transaction.current)
      guard let slot = try UniquePrefix.find(prefix, in: slots, name: \.id.hex) else {
        throw RunicError.unknownSlot(prefix)
      }
      try transaction.withdraw(slot.id)
      return (slot.id, slots.count - 1)
    }
    tidySlots()
    return result
  }

  /// Brings the slots that a remote has and that records here tell of, and drops those that they withdraw.
  ///
  /// - Complexity: asks the remote nothing where no slot is missing.
  func updateSlots(from remote: any Remote) throws {
    try dropWithdrawnSlots()
    let here = Set(try store.names(in: .keys))
    let wanted = try read { try $0.slotDigests() }.filter { !here.contains(.slot($0.key)) }
    guard !wanted.isEmpty else { return }
    let found = try remote.keys().filter { name, bytes in
      guard case .slot(let id) = name, wanted[id] == SHA256.hash(bytes) else { return false }
      return (try? KeySlot(decoding: bytes, id: id)).map { keys[$0.key] != nil } ?? false
    }
    guard !found.isEmpty else { return }
    let lock = try lock()
    try withExtendedLifetime(lock) {
      for (name, bytes) in found { try store.write(bytes, to: name) }
    }
  }

  /// Removes the files of slots that records withdraw.
  func dropWithdrawnSlots() throws {
    let names = try store.names(in: .keys)
    let withdrawn = try read { snapshot in
      try names.filter { name in
        guard case .slot(let id) = name else { return false }
        return try snapshot.slotRecord(id)["removed"]?.boolValue == true
      }
    }
    guard !withdrawn.isEmpty else { return }
    let lock = try lock()
    try withExtendedLifetime(lock) { for name in withdrawn { try store.remove(name) } }
  }

  /// The same behind a change that counts already: what cannot be removed is left for the next pull.
  func tidySlots() {
    do { try dropWithdrawnSlots() } catch {}
  }
}

extension Snapshot {
  /// What is said of a slot; empty where nothing is.
  func slotRecord(_ slot: SlotID) throws -> JSONObject {
    try record(RecordName(family: .keys, kind: BuiltInName.keySlot, id: Array(slot.hex.utf8)))?.object ?? [:]
  }

  /// The slots that `key remove` named: neither kept nor pushed.
  func withdrawnSlots() throws -> [SlotID] {
    var slots: [SlotID] = []
    try forEachRecord(of: BuiltInName.keySlot, .keys) { record in
      if record.object["removed"]?.boolValue == true,
        let slot = SlotID(hex: String(decoding: record.name.id, as: UTF8.self))
      {
        slots.append(slot)
      }
      return true
    }
    return slots
  }

  /// The SHA-256 of the files of the slots that count, as their records say.
  func slotDigests() throws -> [SlotID: Digest] {
    var digests: [SlotID: Digest] = [:]
    try forEachRecord(of: BuiltInName.keySlot, .keys) { record in
      if record.object["removed"]?.boolValue != true,
        let slot = SlotID(hex: String(decoding: record.name.id, as: UTF8.self))
      {
        digests[slot] = record.object["sha256"]?.textValue.flatMap { Digest(hex: $0) }
      }
      return true
    }
    return digests
  }
}

extension Transaction {
  /// Says of a slot when it was made and what its file is, so that a change to the file is found.
  func note(_ slot: KeySlot) throws {
    let time = Timestamp(milliseconds: now)?.text ?? ""
    try patch(
      kind: .keySlots, id: Array(slot.id.hex.utf8),
      Patch(set: [
        "added": .string(JSONString(time)), "sha256": .string(JSONString(SHA256.hash(slot.bytes).hex)),
      ]))
  }

  func withdraw(_ slot: SlotID) throws {
    try patch(kind: .keySlots, id: Array(slot.hex.utf8), Patch(set: ["removed": true]))
  }
}
