import ObjectStore
import TestSupport
import Testing

/// A remote in memory, two devices at it, and files of the first to send.
private struct Two {
  let memory: MemoryRemote
  let files = MemoryFileSystem()
  let first, second: MemoryRemote.View
  let names: [TreeName]

  init(_ vices: RemoteVices, seed: UInt64 = 1, count: Int = 40) throws {
    memory = MemoryRemote(random: SeededRandom(seed: seed))
    try files.makeFolders("/out")
    try files.makeFolders("/in")
    first = memory.view(for: files)
    second = memory.view(for: files)
    try first.create([])
    var names: [TreeName] = []
    for number in 0..<count {
      let bytes = [UInt8](repeating: UInt8(number), count: 50 + number)
      let name = TreeName.object(DeviceID(from: .seeded(1)), SHA256.hash(bytes))
      try files.setContents("/out/\(name.name)", bytes)
      names.append(name)
    }
    self.names = names
    memory.vices = vices
  }

  func local(_ name: TreeName) throws -> LocalFile {
    let path = "/out/\(name.name)"
    return LocalFile(name: name, path: path, length: Int64(try files.contents(path).count))
  }

  func send() throws { for name in names { try first.add([local(name)]) } }

  var folder: TreeFolder { names[0].folder }
  func seen(by view: MemoryRemote.View) throws -> [RemoteEntry] { try view.list([folder]) }
  /// What everyone must see in the end.
  func whole() throws -> Set<RemoteEntry> {
    Set(try names.map { RemoteEntry(name: $0, length: try local($0).length) })
  }
}

@Suite struct MemoryRemoteTests {
  @Test func withoutVicesEverythingIsThereAtOnce() throws {
    let two = try Two(.none)
    try two.send()
    #expect(try Set(two.seen(by: two.second)) == two.whole())
    #expect(two.memory.mishaps == RemoteMishaps())
  }

  static let vices: [(vices: RemoteVices, struck: @Sendable (RemoteMishaps) -> Int)] = [
    (RemoteVices(late: 0.7), { $0.late }), (RemoteVices(late: 0.7, outOfOrder: true), { $0.late }),
    (RemoteVices(torn: 0.7), { $0.torn }), (RemoteVices(late: 0.5, torn: 0.5), { $0.torn }),
    (RemoteVices(conflictCopies: 0.7), { $0.conflictCopies }),
    (.passing, { min($0.late, $0.torn, $0.conflictCopies) }),
  ]

  @Test(arguments: vices.indices)
  func vicesStrikeTheOthersOnlyAndPass(row: Int) throws {
    let (vices, struck) = Self.vices[row]
    let two = try Two(vices)
    try two.send()
    #expect(struck(two.memory.mishaps) >= 3)
    #expect(try Set(two.seen(by: two.first)) == two.whole(), "the writer sees all")
    let seen = try Set(two.seen(by: two.second))
    if vices.late > 0 { #expect(seen.count < two.names.count) }
    if vices.torn > 0 { #expect(!seen.subtracting(try two.whole()).isEmpty) }
    two.memory.vices = .none
    two.memory.settle()
    #expect(try Set(two.seen(by: two.second)) == two.whole())
    #expect(try two.second.strangers(in: [two.folder]).count == two.memory.mishaps.conflictCopies)
  }

  @Test func aLateFileComesByItselfAfterSomeOperations() throws {
    let two = try Two(RemoteVices(late: 1, delay: 5...5), count: 1)
    try two.send()
    var waits = 0
    while try two.seen(by: two.second).isEmpty, waits < 20 { waits += 1 }
    #expect(waits == 4)
  }

  @Test(arguments: [false, true])
  func filesOvertakeEachOtherOnlyOutOfOrder(isOutOfOrder: Bool) throws {
    let two = try Two(RemoteVices(late: 0.5, outOfOrder: isOutOfOrder))
    var gaps = 0
    for name in two.names {
      try two.first.add([two.local(name)])
      let seen = Set(try two.seen(by: two.second).map(\.name))
      let arrived = two.names.map { seen.contains($0) }
      gaps += zip(arrived, arrived.dropFirst()).filter { !$0 && $1 }.count
    }
    #expect((gaps > 0) == isOutOfOrder)
  }

  @Test func aTornFileIsFetchedTorn() throws {
    let two = try Two(RemoteVices(torn: 1, delay: 50...50), count: 5)
    try two.send()
    for file in try two.second.fetch(two.names, into: "/in") {
      let bytes = try two.files.contents(file.path)
      let whole = try two.files.contents("/out/\(file.name.name)")
      #expect(bytes.count < whole.count && whole.starts(with: bytes) && file.length == bytes.count)
    }
    // Whoever holds it whole writes it over.
    #expect(try two.second.add([two.local(two.names[0])]) == [two.names[0]])
  }

  @Test func aFileDeliveredTwiceIsThereAgainAfterItsRemoval() throws {
    let two = try Two(RemoteVices(twice: 1, delay: 3...3), count: 3)
    try two.send()
    try two.first.remove(two.names)
    #expect(try two.seen(by: two.first).count < 3)
    two.memory.vices = .none
    two.memory.settle()
    #expect(try Set(two.seen(by: two.second)) == two.whole())
    #expect(two.memory.mishaps.returned >= 3)
    try two.first.remove(two.names)
    two.memory.settle()
    #expect(try two.seen(by: two.second).isEmpty, "and then no more")
  }

  @Test func damagedBytesKeepTheirLengthAndAreReplaced() throws {
    let two = try Two(RemoteVices(damaged: 1), count: 3)
    try two.send()
    #expect(two.memory.mishaps.damaged == 3)
    #expect(try Set(two.seen(by: two.second)) == two.whole())
    for name in two.names {
      let bytes = try #require(two.memory.files[name.path])
      #expect(SHA256.hash(bytes) != name.digest)
    }
    two.memory.vices = .none
    try two.second.replace(two.names.map(two.local))
    for name in two.names { #expect(two.memory.files[name.path].map { SHA256.hash($0) } == name.digest) }
  }

  @Test func theSameSeedGivesTheSameScheduleAndAnotherAnother() throws {
    func play(_ seed: UInt64) throws -> [[RemoteEntry]] {
      let two = try Two(.passing, seed: seed)
      return try two.names.map { name in
        try two.first.add([two.local(name)])
        return try two.seen(by: two.second)
      }
    }
    #expect(try play(5) == play(5))
    #expect(try play(5) != play(6))
  }

  @Test func aPlaceThatGoesAwayIsUnreachableUntilItComesBack() throws {
    let two = try Two(.none, count: 6)
    two.memory.goAway(after: 4)
    let error = #expect(throws: RemoteError.self) { try two.first.add(two.names.map(two.local)) }
    #expect(error?.reason == .unreachable)
    for call in [
      { _ = try two.first.marker() }, { _ = try two.first.list([.heads]) }, { _ = try two.first.devices() },
      { try two.first.remove([two.names[0]]) }, { _ = try two.second.fetch([two.names[0]], into: "/in") },
    ] as [() throws -> Void] {
      let error = #expect(throws: RemoteError.self) { try call() }
      #expect(error?.reason == .unreachable)
    }
    two.memory.comeBack()
    #expect(try two.seen(by: two.second).map(\.name).count == 4)
    #expect(try two.first.add(two.names.map(two.local)) == Array(two.names[4...]))
  }

  @Test func aFullOrForbiddenPlaceTakesNothing() throws {
    let two = try Two(.none, count: 6)
    two.memory.setCapacity(160)
    let error = #expect(throws: RemoteError.self) { try two.first.add(two.names.map(two.local)) }
    #expect(error?.reason == .full)
    #expect(two.memory.names.count == 3)
    two.memory.setCapacity(nil)
    two.memory.refuseWrites(.readOnly)
    #expect(try two.first.add([two.local(two.names[0])]).isEmpty, "what is there is not written")
    for write in [
      { try two.first.add([two.local(two.names[5])]) }, { try two.first.replace([two.local(two.names[0])]) },
      { try two.first.remove([two.names[0]]) },
    ] as [() throws -> Void] {
      let error = #expect(throws: RemoteError.self) { try write() }
      #expect(error?.reason == .readOnly)
    }
    #expect(two.memory.names.count == 3)
  }

  @Test func aPlaceCanBeRolledBackSwappedAndWiped() throws {
    let two = try Two(.none, count: 4)
    try two.first.add([two.local(two.names[0])])
    let early = two.memory.snapshot()
    try two.send()
    two.memory.rollBack(to: early)
    #expect(two.memory.names == [two.names[0]])
    two.memory.rollBack(to: try Two(.none).memory.snapshot())
    #expect(two.memory.names.isEmpty)
    two.memory.wipe()
    let error = #expect(throws: RemoteError.self) { try two.first.marker() }
    #expect(error?.reason == .empty)
  }

  @Test func callsAreCounted() throws {
    let two = try Two(.none, count: 3)
    two.memory.put([1, 2], at: "runic.json")
    two.memory.resetCounters()
    _ = try two.second.marker()
    _ = try two.second.list([.heads])
    #expect(
      two.memory.counters == MemoryRemote.Counters(calls: 2, markersRead: 1, listings: 1, foldersListed: 1))
    two.memory.resetCounters()
    try two.first.add(two.names.map(two.local))
    _ = try two.second.fetch(two.names, into: "/in")
    try two.first.remove(two.names)
    let counters = two.memory.counters
    #expect((counters.filesWritten, counters.filesFetched, counters.filesRemoved) == (3, 3, 3))
    #expect((counters.bytesWritten, counters.bytesFetched) == (153, 153))
  }
}
