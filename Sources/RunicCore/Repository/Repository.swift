import CanonicalJSON
import ObjectStore

/// A local repository: a device's private files and its copy of the shared tree.
///
/// Reading takes no lock (`read`); whatever writes does so inside `write`, which holds the repository's lock and
/// makes one step of everything that happens in it. Nobody waits for a remote, a passphrase or another program
/// inside either.
public final class Repository {
  public let layout: RepositoryLayout
  public let environment: Environment
  public internal(set) var configuration: Configuration
  var device: DeviceFile
  var identity: DeviceIdentity
  private(set) var keys: RepositoryKeys
  let store: Store
  let files: PrivateFiles
  private var lastTrust: (bytes: [UInt8], trust: Trust)?
  /// A remote's marker that was found to be this repository's: it need not be checked anew each time.
  var knownMarker: [UInt8]?
  /// The index as this repository last read or wrote it, kept open: most often it is still the one on disk.
  private var openIndex: Index?
  /// Is told of every record that a change from elsewhere touches when it is applied; an app looks on through it.
  var onMerge: ((RecordName) -> Void)?

  public var id: RepositoryID { keys.repository }
  public var deviceID: DeviceID { device.device }
  public var deviceName: String { device.name }
  /// The keys of the repository that this device holds.
  package var repositoryKeys: RepositoryKeys { keys }

  init(
    layout: RepositoryLayout, environment: Environment, configuration: Configuration, device: DeviceFile,
    identity: DeviceIdentity, keys: RepositoryKeys
  ) {
    self.layout = layout
    self.environment = environment
    self.configuration = configuration
    self.device = device
    self.identity = identity
    self.keys = keys
    files = PrivateFiles(layout: layout, environment: environment)
    store = files.store
  }

  // MARK: - Opening

  /// Opens the repository in a folder.
  ///
  /// - Throws: `RunicError.noRepository`, `.badPrivateFile`, `.badKeyFile`, `.wrongKeyFile`, `.newerFormat`.
  public static func open(at root: String, environment: Environment) throws -> Repository {
    try open(at: root, environment: environment, keys: keys(of:configuration:files:))
  }

  /// Opens the repository in a folder with keys that come from elsewhere than where they are kept.
  static func open(
    at root: String, environment: Environment,
    keys: (DeviceFile, Configuration, PrivateFiles) throws -> RepositoryKeys
  ) throws -> Repository {
    let layout = try RepositoryLayout(at: root, in: environment.fileSystem)
    let files = PrivateFiles(layout: layout, environment: environment)
    guard let json = try files.readObject(layout.device) else {
      if try isUsed(layout, in: environment.fileSystem) {
        throw RunicError.badPrivateFile(path: layout.device)
      }
      throw RunicError.noRepository(path: root)
    }
    guard let device = DeviceFile(json: json) else { throw RunicError.badPrivateFile(path: layout.device) }
    let configuration = try configuration(in: files)
    return Repository(
      layout: layout, environment: environment, configuration: configuration, device: device,
      identity: try identity(of: device, files: files), keys: try keys(device, configuration, files))
  }

  /// The settings of the repository in a folder, which need no key; those of a new one where there are none.
  ///
  /// - Throws: `RunicError.badPrivateFile`.
  public static func configuration(at root: String, environment: Environment) throws -> Configuration {
    let layout = try RepositoryLayout(at: root, in: environment.fileSystem)
    return try configuration(in: PrivateFiles(layout: layout, environment: environment))
  }

  static func configuration(in files: PrivateFiles) throws -> Configuration {
    let path = files.layout.configuration
    guard let json = try files.readObject(path) else { return Configuration() }
    guard let stored = Configuration(json: json) else { throw RunicError.badPrivateFile(path: path) }
    return stored
  }

  /// Another process may have changed the settings.
  func rereadConfiguration() throws { configuration = try Self.configuration(in: files) }

  static func identity(of device: DeviceFile, files: PrivateFiles) throws -> DeviceIdentity {
    let path = files.layout.deviceKey(device.device.hex)
    guard let seed = try files.readSecret(path, count: SigningKey.seedCount),
      let key = SigningKey(seed: seed), key.publicKey.deviceID == device.device
    else { throw RunicError.badPrivateFile(path: path) }
    return DeviceIdentity(key: key, name: device.name, platform: Machine.platform)
  }

  /// Takes keys in, so that they last: from now on they are held here.
  func hold(_ more: [RepositoryKey]) throws {
    keys = keys.adding(more)
    if keyCommand == nil { try files.writeKeys(keys) }
    var next = device
    next.keyCount = max(next.keyCount, keys.all.count)
    try files.writeObject(next.json, to: layout.device)
    device = next
  }

  /// Another process of this device may have taken keys in.
  func reloadKeys() {
    guard lostKeyCount > 0, keyCommand == nil else { return }
    if let stored = try? files.readKeys(of: device.repository) { keys = keys.adding(stored.all) }
  }

  /// Runs the command that stands in for the key file once more: another process may have taken a key in, which the
  /// command prints by now. Not under the lock: it may ask its user something.
  ///
  /// - Returns: whether all keys are here now.
  func takePrintedKeys(by command: String) throws -> Bool {
    let printed = try environment.keys(printedBy: command, of: id)
    if let more = try KeyFolder(of: store, marker: marker()).keys(printed) { keys = keys.adding(more.all) }
    return lostKeyCount == 0
  }

  // MARK: - Private files

  /// Changes the configuration under the lock and makes it last. It is read again first, so that what another process
  /// changed stays.
  ///
  /// - Throws: `LockTimeout` where another process holds the repository for longer than `Environment.lockWait`;
  ///   `SystemError`; what `change` throws, and then nothing is written.
  public func configure(_ change: (inout Configuration) throws -> Void) throws {
    let lock = try lock()
    try withExtendedLifetime(lock) { try changeConfiguration(change) }
  }

  func changeConfiguration(_ change: (inout Configuration) throws -> Void) throws {
    if let json = try files.readObject(layout.configuration), let stored = Configuration(json: json) {
      configuration = stored
    }
    let before = configuration
    try change(&configuration)
    if configuration != before { try files.writeObject(configuration.json, to: layout.configuration) }
  }

  func lock() throws -> FileLock {
    try FileLock.acquire(
      layout.lock, wait: environment.lockWait, in: environment.fileSystem, clock: environment.clock)
  }

  private func isUnlocked() throws -> Bool {
    let lock = try FileLock.acquireIfFree(layout.lock, in: environment.fileSystem)
    return lock != nil
  }

  /// What the file says; it is taken apart only where its bytes are not those of the last time.
  func readTrust() throws -> Trust {
    guard let bytes = try files.read(layout.trust) else { return Trust() }
    if let (known, trust) = lastTrust, known == bytes { return trust }
    guard let json = (try? JSONValue.parse(bytes.withoutLineFeed))?.objectValue, let trust = Trust(json: json)
    else {
      throw RunicError.badPrivateFile(path: layout.trust)
    }
    lastTrust = (bytes, trust)
    return trust
  }

  func writeTrust(_ trust: Trust) throws { try files.writeObject(trust.json, to: layout.trust) }

  // MARK: - Reading and writing

  /// Reads the state of all records. Takes no lock, unless the index must be made first.
  public func read<Result>(_ body: (Snapshot) throws -> Result) throws -> Result {
    do {
      return try body(try snapshot())
    } catch is TableError {
      // Not inside `write`: the body may come to take the lock itself.
      openIndex = nil
      try dropIndex()
      return try body(try snapshot())
    }
  }

  private func snapshot() throws -> Snapshot {
    let index = try storedIndex()
    if try !isCurrent(index) {
      do {
        // Somebody is at work, and brings the index up to date; or somebody was, and did not come to it.
        if try isUnlocked() || index.isEmpty {
          return try write { try Snapshot(index: $0.index, repository: self) }
        }
      } catch let error as SystemError where error.forbidsWriting {
        guard let snapshot = try? snapshotInMemory() else { throw error }
        return snapshot
      } catch let error as DamagedFile where !error.needsKey {
        // This device's newest head: what all others say can be read until a pull has brought it again.
        return try Snapshot(index: try storedIndex(), repository: self)
      }
    }
    return try Snapshot(index: index, repository: self)
  }

  /// Whether an index says all that the store's heads say, but for those that are known to be damaged, and still are.
  private func isCurrent(_ index: Index) throws -> Bool {
    let names = try store.headNames()
    if index.isCurrent(with: names) { return true }
    let damaged = try readTrust().damaged
    let readable = try names.filter {
      try !damaged.contains(TreeName.head($0).path) || isWhole(.head($0))
    }
    return readable.count < names.count && index.isCurrent(with: readable)
  }

  /// The index as it lies on the disk.
  private func storedIndex() throws -> Index {
    let index = try currentIndex() ?? Index(folder: layout.index, environment: environment, mayErase: false)
    openIndex = index
    return index
  }

  /// The state of all records where the index is behind and the disk takes nothing: what it lacks is held in memory,
  /// as far as that is little.
  private func snapshotInMemory() throws -> Snapshot {
    let index = try Index(folder: layout.index, environment: environment, mayErase: false)
    try index.catchUp(with: store, keys: keys)
    try index.hold()
    return try Snapshot(index: index, repository: self)
  }

  /// Holds the lock while `body` writes; all that it did lasts when this returns, or none of it where it throws.
  ///
  /// - Parameter body: is called a second time, from the state before, where the index turns out to be damaged.
  public func write<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    do { return try writeOnce(body) } catch let error as RunicError {
      guard case .keysLost(_, _, let command?) = error, try takePrintedKeys(by: command) else { throw error }
      return try writeOnce(body)
    }
  }

  private func writeOnce<Result>(_ body: (Transaction) throws -> Result) throws -> Result {
    let lock = try lock()
    return try withExtendedLifetime(lock) {
      do {
        return try Transaction.run(in: self, body)
      } catch is TableError {
        // Nothing counts yet: what comes behind the head throws no more.
        openIndex = nil
        try SortedTable.destroy(folder: layout.index, fileSystem: environment.fileSystem)
        return try Transaction.run(in: self, body)
      }
    }
  }

  // MARK: - The index

  /// The open index, if what is on disk is still what it holds.
  private func currentIndex() throws -> Index? {
    guard let index = openIndex, try index.table.isCurrent() else { return nil }
    return index
  }

  /// The index for a writer. The open one is changed only where no snapshot holds it: a snapshot stays as it is.
  func indexForWriting() throws -> Index {
    let isFree = isKnownUniquelyReferenced(&openIndex)
    let current = isFree ? try? currentIndex() : nil
    openIndex = nil
    if let current { return current }
    return try Index(folder: layout.index, environment: environment, mayErase: true)
  }

  /// Leaves an index behind that could not be brought to where the store is: whoever opens it next finds it behind, or,
  /// where it is damaged, none. It is derived.
  func leaveIndex(after error: any Error) {
    guard error is TableError else { return }
    // What stays of it shows its damage to the next one too.
    do { try SortedTable.destroy(folder: layout.index, fileSystem: environment.fileSystem) } catch {}
  }

  /// Keeps an index open that a writer has brought to its end.
  func keepOpen(_ index: Index) { openIndex = index }
}
