import CanonicalJSON
import ObjectStore
import TestSupport

@testable import RunicCore

// MARK: - Devices that watch

extension Simulation {
  /// Beyond any interval of a watcher.
  static let longestRest: Int64 = 3_700_000
  /// A pause after which a watcher is not at rest: it waits for edits or records that belong together.
  private static let soon: Int64 = 1500

  /// Gives a device its settings files, its remotes by name and, perhaps, hooks.
  func setUpWatching(_ device: SimulatedDevice) throws {
    let repository = device.repository
    guard repository.configuration.tracked.isEmpty, device.number < 2 || random.chance(25) else { return }
    device.watches = true
    try repository.configure { configuration in
      for remote in device.remotes {
        try configuration.add(RemoteSetting(name: "r\(remote)", url: "memory:r\(remote)"))
      }
      try configuration.set("sync.strategy", to: device.strategy.rawValue)
    }
    var files = [SettingsFile("app.json", id: "user-preferences", keys: ["theme", "extra"], &random)]
    if random.chance(50) { files.append(SettingsFile("all.json", id: "editor", keys: [], &random)) }
    for var file in files {
      try file.begin(on: device.fileSystem, &random) { try newValue($0, of: device) }
      try repository.track(file.tracked)
      device.settings.append(file)
    }
    guard random.chance(60) else { return }
    try device.fileSystem.makeDirectories(repository.layout.hooks, permissions: 0o700)
    for hook in Hook.allCases {
      let path = "\(repository.layout.hooks)/\(hook.rawValue)"
      try device.fileSystem.writeDurably([], to: path, by: "\(path)~", permissions: 0o700)
    }
    try device.fileSystem.syncDirectory(repository.layout.root)
  }

  /// A value that no editor ever set, which knows what its device knows.
  private func newValue(_ key: JSONString, of device: SimulatedDevice) throws -> JSONValue {
    let text = JSONValue.string(JSONString("v\(known.count)"))
    let value: JSONValue = key != "theme" && known.count % 3 == 0 ? ["is": text, "of": [1, 2.5]] : text
    known[value.canonicalBytes] = try device.newestCommits()
    return value
  }

  private func startWatcher(of device: SimulatedDevice) throws {
    meet(.watcher)
    note("\(device.number) begins to watch")
    setClock(of: device)
    device.watcher = try SimulatedWatcher(
      of: device,
      door: { [self] disk in
        RemoteDoor(
          Dictionary(
            uniqueKeysWithValues: device.remotes.map {
              ("memory:r\($0)", view(of: remotes[$0], for: device, on: disk))
            }))
      }, note: { [unowned self, unowned device] in note("  \(device.number)\($0)") },
      onTrack: { [unowned self, unowned device] in noteTracked($0, of: device) })
  }

  /// Whoever watches does what is due, some of them late: the machines are busy.
  func driveWatchers() throws {
    for device in devices where device.watches && events >= device.sleepsUntil {
      guard let watcher = device.watcher else {
        if random.chance(50) { try startWatcher(of: device) }
        continue
      }
      if watcher.isFullUntil > 0, events > watcher.isFullUntil {
        note("\(device.number) has room again")
        watcher.disk.setFault(nil)
        watcher.isFullUntil = 0
        watcher.speech.isInTrouble = false
      }
      if random.chance(40) { try drive(device, isHinted: random.chance(30)) }
    }
  }

  /// Lets a watcher work until nothing is due soon.
  ///
  /// - Parameter isHinted: whether it is told of all folders, not of some.
  private func drive(_ device: SimulatedDevice, isHinted: Bool = true) throws {
    guard let watcher = try rest(device, isHinted: isHinted) else { return }
    if watcher.speech.hasSlept { meet(.wokenWatcher) }
    if device.hooks.refusals > 0 { meet(.hookAgainst) }
    if watcher.speech.hasReturned { meet(.folderBack) }
    guard isHinted, !hasCopies, try !lacking(device, watcher).isEmpty else { return }
    // What a round recorded that failed then is seen with the next look.
    now &+= 30_000
    _ = try rest(device, isHinted: true)
    guard let remote = try lacking(device, watcher).first else { return }
    throw BrokenLaw("the watcher of device \(device.number) rests, and r\(remote) lacks its commits")
  }

  /// - Returns: the watcher, where there is one.
  private func rest(_ device: SimulatedDevice, isHinted: Bool) throws -> SimulatedWatcher? {
    guard let watcher = device.watcher else { return nil }
    setClock(of: device)
    if watcher.due < device.clock.milliseconds, random.chance(40) {
      // In time, for once.
      device.clock.milliseconds = watcher.due
      try step(watcher, of: device, isHinted: false)
    }
    for _ in 0..<16 {
      setClock(of: device)
      try step(watcher, of: device, isHinted: isHinted)
      if watcher.pause > Self.soon { return watcher }
      now &+= max(watcher.pause, 1)
    }
    throw BrokenLaw("the watcher of device \(device.number) does not come to rest")
  }

  private func step(_ watcher: SimulatedWatcher, of device: SimulatedDevice, isHinted: Bool) throws {
    watcher.hints.next = Set(watcher.hints.folders.filter { _ in isHinted || random.chance(40) })
    watcher.step()
    if let broken = watcher.speech.broken { throw broken }
    for file in device.settings { try file.check(on: device.fileSystem) }
  }

  /// The remotes that lack something of a watcher's, though nothing stands in the way.
  private func lacking(_ device: SimulatedDevice, _ watcher: SimulatedWatcher) throws -> [Int] {
    guard !watcher.speech.isInTrouble, let own = try device.newestHeads()[device.repository.deviceID] else {
      return []
    }
    return device.remotes.filter { number in
      watcher.speech.isFine("r\(number)") && !remotes[number].names.contains(.head(own))
    }
  }

  /// What became of a settings file, whoever says so.
  func noteTracked(_ report: TrackReport, of device: SimulatedDevice) {
    guard let place = device.settings.firstIndex(where: { $0.path == report.file.path }) else { return }
    device.settings[place].noteTaken(report.captured)
    if !report.written.isEmpty { meet(.followedFile) }
    if !report.waiting.isEmpty { meet(.waitingKeys) }
    if report.problem != nil { meet(.fileLeftAlone) }
  }
}

// MARK: - What happens to them

extension Simulation {
  func happenToWatcher(_ device: SimulatedDevice) throws {
    let sort = WatchEventSort.all[random.number(0...WatchEventSort.all.count - 1)]
    note("\(device.number) \(sort)")
    switch sort {
    case .editFile, .breakFile, .lockFile, .stripFile: try changeFile(of: device, sort)
    case .answer: _ = try answer(device)
    case .editMeanwhile, .loseLine, .fillDisk, .kill, .cutPower:
      guard device.watcher != nil else { return try startWatcher(of: device) }
      try disturb(device, sort)
    case .nap: now &+= Int64(random.number(60_000...900_000))
    case .outage: try loseFolder(of: device)
    case .hook:
      device.hooks.isAgainst.toggle()
      try stir(device)
      try drive(device)
    case .configure:
      let seconds = random.number(30...600)
      try device.repository.configure { try $0.set("watch.active", to: "\(seconds)") }
      if random.chance(50) { device.hooks.call(.reread) }
    case .retrack: try retrack(device)
    }
  }

  private func changeFile(of device: SimulatedDevice, _ sort: WatchEventSort) throws {
    let place = random.number(0...device.settings.count - 1)
    let disk = device.fileSystem
    switch sort {
    case .breakFile: try device.settings[place].makeBroken(on: disk, &random)
    case .lockFile: try device.settings[place].toggleLock(on: disk)
    case .stripFile: try device.settings[place].strip(on: disk)
    default:
      var file = device.settings[place]
      try file.edit(on: disk, &random) { try newValue($0, of: device) }
      device.settings[place] = file
    }
  }

  /// Gives a watcher something to do.
  private func stir(_ device: SimulatedDevice) throws {
    if random.chance(60) { try changeFile(of: device, .editFile) }
    if random.chance(60) { try device.record { try $0.addUsage(&random) } }
  }

  private func disturb(_ device: SimulatedDevice, _ sort: WatchEventSort) throws {
    guard let watcher = device.watcher else { return }
    try stir(device)
    switch sort {
    case .editMeanwhile:
      try writeElsewhere(than: device)
      watcher.door.disturb(
        at: random.number(1...5),
        .meanwhile { [self] in
          note("  meanwhile its file is edited")
          meet(.editDuringSync)
          try changeFile(of: device, .editFile)
        })
      try drive(device)
      return try watcher.door.calm()
    case .loseLine:
      watcher.door.disturb(at: random.number(1...5), .lineEnds)
      try drive(device)
      return try watcher.door.calm()
    case .fillDisk:
      watcher.isFullUntil = events + random.number(1...4)
      watcher.disk.setFault(
        FaultyFileSystem.Fault(
          call: random.number(1...12), code: FaultyFileSystem.noSpace, .fromThenOn,
          only: [.write, .makeDirectory], tearsWrites: random.chance(50)))
    default: watcher.disk.setFault(.death(at: random.number(1...400), tearsWrites: random.chance(50)))
    }
    watcher.speech.isInTrouble = true
    try drive(device)
    if sort == .fillDisk {
      if watcher.disk.failures > 0 { meet(.fullUnderWatcher) }
    } else {
      try bury(watcher, of: device, sort)
    }
  }

  /// Somebody else changes what this device's files follow, and shares it.
  private func writeElsewhere(than device: SimulatedDevice) throws {
    let other = devices[random.number(0...devices.count - 1)]
    let shared = other.remotes.filter { device.remotes.contains($0) }
    guard other !== device, let remote = shared.last else { return }
    note("  \(other.number) writes too, and pushes to r\(remote)")
    setClock(of: other)
    try other.record { transaction in
      for _ in 0..<3 { try transaction.patchPreferences(&random) }
    }
    try push(other, to: remote)
  }

  /// The process died at some call, unless it never came to that.
  private func bury(_ watcher: SimulatedWatcher, of device: SimulatedDevice, _ sort: WatchEventSort) throws {
    guard watcher.disk.failures > 0 else {
      watcher.disk.setFault(nil)
      watcher.isFullUntil = 0
      watcher.speech.isInTrouble = false
      return
    }
    note("  it is dead")
    meet(.killedWatcher)
    device.watcher = nil
    if sort == .cutPower { try cutPower(of: device) } else { try device.reopen() }
    try device.checkAcknowledged(all: true)
  }

  private func loseFolder(of device: SimulatedDevice) throws {
    remotes[0].goAway()
    try drive(device)
    guard random.chance(60) else { return }
    bringBackRemotes()
    now &+= 30_000
    try drive(device)
  }

  /// The user follows a file no longer, and then again.
  private func retrack(_ device: SimulatedDevice) throws {
    let place = random.number(0...device.settings.count - 1)
    let file = device.settings[place].tracked
    device.settings[place].giveUpAll()
    _ = try device.repository.untrack(file.path)
    if random.chance(50) { try drive(device) }
    try device.repository.track(file)
  }

  /// The user picks a side where keys wait, and says that what went at once was meant to go.
  ///
  /// - Returns: whether there was anything to say.
  private func answer(_ device: SimulatedDevice) throws -> Bool {
    var isAsked = false
    for report in try device.repository.captureTracked() {
      noteTracked(report, of: device)
      let isMassRemoval = if case .massRemoval? = report.problem { true } else { false }
      let place = device.settings.firstIndex { $0.path == report.file.path }
      guard let place, isMassRemoval || !report.waiting.isEmpty else { continue }
      isAsked = true
      let choice: SourceChoice? = report.waiting.isEmpty ? nil : random.pick(.preferLocal, .preferRemote)
      note(
        "  the user of \(device.number) answers \(choice.map { "\($0)" } ?? "yes") to \(report.waiting.map(\.string))"
      )
      for (_, value) in try device.settings[place].payload(on: device.fileSystem) {
        known[value.canonicalBytes]?.merge(try device.newestCommits()) { max($0, $1) }
        if choice == .preferLocal { chosen.insert(value.canonicalBytes) }
      }
      if choice == .preferRemote { device.settings[place].giveUp(report.waiting) }
      noteTracked(
        try device.repository.captureTracked(
          report.file, answer: TrackAnswer(choice: choice, allowsMassRemoval: isMassRemoval)), of: device)
      noteTracked(try device.repository.writeTracked(report.file, makesFile: false), of: device)
    }
    return isAsked
  }
}

// MARK: - Settling

extension Simulation {
  /// The troubles are over, and everyone who watches does.
  func calmWatchers() throws {
    for device in devices where device.watches {
      device.hooks.isAgainst = false
      device.watcher?.disk.setFault(nil)
      device.watcher?.isFullUntil = 0
      device.watcher?.speech.isInTrouble = false
      for place in device.settings.indices { try device.settings[place].mend(on: device.fileSystem) }
      if device.watcher == nil { try startWatcher(of: device) }
    }
  }

  /// All is due, and what the user is asked is answered.
  func settleWatcher(of device: SimulatedDevice) throws {
    try drive(device)
    while try answer(device) { try drive(device) }
  }
}

extension SimulatedDevice {
  /// Of each device the newest commit that is known here.
  func newestCommits() throws -> [DeviceID: Int64] {
    try repository.read { $0.index.logs.compactMapValues { $0.newest?.sequence } }
  }
}
