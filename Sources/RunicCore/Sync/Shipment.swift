import ObjectStore

/// The files of one push: what is sent, in which order, and what may leave the remote.
struct Shipment {
  private let repository: Repository
  private let remote: any Remote
  private let name: String
  /// The plan's heads of which everything is whole here.
  private var sent: [(name: HeadName, head: Head)] = []
  private let listed: Set<HeadName>
  /// The newest head of each device that the remote has already.
  private let shown: [DeviceID: HeadName]
  /// Whether that is more than this device knew of the remote.
  private(set) var showsNews = false
  /// Files here that are damaged or gone: they and the heads that need them are not sent.
  private(set) var damagedHere: Set<TreeName> = []
  private var objects: [LocalFile] = []
  private var replacements: [LocalFile] = []
  private var slots: [LocalFile] = []
  private var heads: [LocalFile] = []
  private var removals: [TreeName] = []
  /// What the remote turned out to lack, once it is delivered.
  private var delivered: [TreeName]?

  var isEmpty: Bool { heads.isEmpty && replacements.isEmpty && removals.isEmpty }
  /// How many changes the remote gets to know.
  private(set) var changes: Int64 = 0
  /// How many damaged files are replaced.
  var mendedCount: Int { replacements.count }
  /// What was sent, or would be.
  var fileNames: [String] {
    (delivered ?? (objects + replacements + slots + heads).map(\.name)).map(\.path)
  }

  init(
    _ plan: PushPlan, repository: Repository, remote: any Remote, name: String, options: PushOptions
  ) throws {
    listed = Set(plan.listed.keys)
    shown = plan.shown
    self.repository = repository
    self.remote = remote
    self.name = name
    let trust = try repository.readTrust()[remote: name]
    showsNews = trust.isNews(shown, own: repository.deviceID)
    try collectReplacements(trust.damaged)
    guard !plan.heads.isEmpty else { return }
    let devices = Set(plan.heads.map(\.name.device))
    // What is read back takes the place of the list: then all is offered, and what is there is left as it is.
    let there = options.verify ? [] : try remote.list(devices.sorted().map(TreeFolder.objects) + [.keys])
    let lengths = Dictionary(there.map { ($0.name, $0.length) }) { first, _ in first }
    for (headName, head, changes) in plan.heads {
      if try collect(head, named: headName, lengths) { self.changes += changes }
    }
    try collectSlots(Set(there.map(\.name)))
    if !options.verify { try collectRemovals(trust, lengths) }
  }

  /// The files of a head that are not there, if all of them are whole here.
  ///
  /// - Returns: whether they are.
  private mutating func collect(
    _ head: Head, named name: HeadName, _ lengths: [TreeName: Int64]
  ) throws -> Bool {
    var wanted = head.objects.filter { lengths[.object(name.device, $0.digest)] != $0.length }.map {
      TreeName.object(name.device, $0.digest)
    }
    wanted.append(.head(name))
    let broken = try wanted.filter { try !repository.isWhole($0) }
    damagedHere.formUnion(broken)
    guard broken.isEmpty else { return false }
    objects += try wanted.dropLast().map(repository.localFile)
    heads.append(try repository.localFile(.head(name)))
    sent.append((name, head))
    return true
  }

  /// Damaged files there that are whole here.
  private mutating func collectReplacements(_ damaged: Set<String>) throws {
    for name in damaged.sorted().compactMap(TreeName.init(path:)) {
      guard (try? repository.store.read(name)) != nil else { continue }
      replacements.append(try repository.localFile(name))
    }
  }

  private mutating func collectSlots(_ there: Set<TreeName>) throws {
    let here = try repository.store.names(in: .keys)
    let withdrawn = Set(try repository.read { try $0.withdrawnSlots() }.map(TreeName.slot))
    slots = try here.filter { !there.contains($0) && !withdrawn.contains($0) }.map(repository.localFile)
    removals += withdrawn.filter(there.contains).sorted { $0.path < $1.path }
  }

  /// A replaced object leaves in a later push than the one that brought its replacement, once the listing shows
  /// the replacement at full length.
  private mutating func collectRemovals(_ trust: RemoteTrust, _ lengths: [TreeName: Int64]) throws {
    let own = repository.deviceID
    guard let (newest, head) = sent.last(where: { $0.name.device == own }) else { return }
    guard try trust.live.allSatisfy({ try isThere(.object(own, $0), lengths) }) else { return }
    let live = Set(trust.live).union(head.objects.map(\.digest))
    let there = trust.objects.filter { lengths[.object(own, $0)] != nil }
    let old = SyncPlan.removable(written: trust.objects, live: live, listed: Set(there))
    removals += old.map { TreeName.object(own, $0) }
    let oldHeads = SyncPlan.removable(heads: trust.heads, listed: listed, newest: newest)
    removals += oldHeads.map(TreeName.head)
  }

  /// Whether a file is there at its full length, as far as that is still known here.
  private func isThere(_ name: TreeName, _ lengths: [TreeName: Int64]) throws -> Bool {
    guard let length = lengths[name] else { return false }
    let here = try repository.localFile(name).length
    return here == 0 || here == length
  }

  // MARK: - Delivery

  /// Notes, before anything is written, what will be this device's there: so nothing it wrote is ever forgotten,
  /// and nothing that it did not write is ever removed.
  func announce() throws {
    try repository.write { transaction in
      var trust = transaction.trust[remote: name]
      let own = repository.deviceID
      for (headName, head) in sent where headName.device == own {
        let known = Set(trust.objects)
        trust.objects += head.objects.map(\.digest).filter { !known.contains($0) }
        if !trust.heads.contains(headName) { trust.heads.append(headName) }
      }
      transaction.trust[remote: name] = trust
    }
  }

  /// Objects, with the check that they arrived; then what shows them, and what may leave.
  mutating func deliver(verifying folder: String?) throws {
    let damaged = Set(replacements.map(\.name))
    let (first, last) = split(replacements)
    let written = try remote.add(first + objects.filter { !damaged.contains($0.name) }, replacing: damaged)
    if let folder { try readBack(written, into: folder) }
    let shown = (slots + heads).filter { !damaged.contains($0.name) }
    let published = try remote.publish(last + shown, replacing: damaged, removing: removals)
    delivered = written + published
  }

  /// Objects go before heads, damaged or not.
  private func split(_ files: [LocalFile]) -> (objects: [LocalFile], others: [LocalFile]) {
    let isObject = { (file: LocalFile) in if case .object = file.name { true } else { false } }
    return (files.filter(isObject), files.filter { !isObject($0) })
  }

  private func readBack(_ written: [TreeName], into folder: String) throws {
    let back = try remote.fetch(written, into: folder)
    let whole = try Set(back.filter { try repository.wholeBytes(of: $0) != nil }.map(\.name))
    for name in written where !whole.contains(name) { throw FileDidNotArrive(remote: self.name, name: name) }
  }

  /// Notes what the remote has now, whoever brought it. Only now are files forgotten that were to leave: a push
  /// that ended before has removed none of them, perhaps, and the next one must.
  func conclude() throws {
    try repository.write { transaction in
      var trust = transaction.trust[remote: name]
      let (own, gone) = (repository.deviceID, Set(removals))
      trust.objects.removeAll { gone.contains(.object(own, $0)) }
      trust.heads.removeAll { gone.contains(.head($0)) }
      let mended = Set(replacements.map(\.name.path))
      trust.damaged.subtract(mended)
      for head in shown.values { trust.saw(head) }
      if !sent.contains(where: { $0.name.device == own }), let name = shown[own],
        let head = try? repository.store.head(name, keys: repository.keys)
      {
        trust.pushed = head.commit
      }
      for (headName, head) in sent {
        // Nothing of this device's own is newer than what it sends.
        if headName.device == own { trust.shown[own] = nil }
        trust.saw(headName)
        guard headName.device == own else { continue }
        trust.live = head.objects.map(\.digest)
        trust.pushed = head.commit
        transaction.trust.verified(head.commit, of: headName.device)
      }
      transaction.trust[remote: name] = trust
    }
  }
}
