import ObjectStore
import TestSupport
import Testing

@testable import RunicCore

/// Files put together from parts of others, files with something behind them, and games with slots and markers.
@Suite struct TamperSpliceTests {
  private let scene: TamperScene

  init() throws { scene = try TamperScene() }

  /// The sealed files: those whose name holds the digest of their bytes.
  private var sealed: [(name: TreeName, bytes: [UInt8])] {
    scene.files.sorted { $0.key < $1.key }.compactMap { path, bytes in
      guard let name = TreeName(path: path), name.digest != nil else { return nil }
      return (name, bytes)
    }
  }

  private func place(_ bytes: [UInt8], as name: TreeName, without old: TreeName? = nil, _ comment: Comment)
    throws
  {
    let bench = try scene.bench()
    try bench.disk.setContents(bench.path("shared/") + name.path, bytes)
    if let old { try bench.disk.remove(bench.path("shared/") + old.path) }
    let problems = try scene.problems(bench, naming: name.path)
    #expect(problems.isEmpty, comment)
  }

  /// The header of one file before the sealed body of another, and a body before another's tag: under the name of the
  /// file that lends its header, and under one that fits the new bytes.
  @Test func aFileOfTwoPartsIsFoundOrIgnored() throws {
    let tag = SealedHeader.tagLength
    for (name, bytes) in sealed {
      for (other, lent) in sealed where other != name {
        let header = bytes.prefix(SealedHeader.length) + lent.dropFirst(SealedHeader.length)
        let end = bytes.dropLast(tag) + lent.suffix(tag)
        for (part, spliced) in [("body", Array(header)), ("tag", Array(end))] where spliced != bytes {
          try place(spliced, as: name, "the \(part) of \(other.path) in \(name.path)")
          let renamed = name.renamed(for: spliced)
          try place(spliced, as: renamed, without: name, "the \(part) of \(other.path) in \(renamed.path)")
        }
      }
    }
  }

  @Test func aFileWithSomethingBehindItIsFoundOrIgnored() throws {
    for (name, bytes) in sealed {
      for more in [[0], Array(bytes.suffix(SealedHeader.tagLength)), bytes] as [[UInt8]] {
        try place(bytes + more, as: name, "\(more.count) bytes behind \(name.path)")
        let renamed = name.renamed(for: bytes + more)
        try place(bytes + more, as: renamed, without: name, "\(more.count) bytes behind \(renamed.path)")
      }
    }
  }

  // MARK: - Slots and markers

  private static func words(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8)) }

  private func clone(_ bench: Workbench, _ passphrase: String, to name: String) throws -> Repository {
    try Repository.clone(
      from: bench.path("shared"), named: "shared", to: bench.path(name), deviceName: name,
      unlock: .passphrase { Self.words(passphrase) }, environment: bench.environment)
  }

  /// Whoever holds the storage may put slots there, but none that opens anything: the marker's check is made with the
  /// repository key.
  @Test func aSlotThatAStrangerPutsInBringsNobodyToAnotherKey() throws {
    let bench = try scene.bench()
    let a = try bench.open("a")
    let stranger = try RepositoryKey(root: bench.random.secret(32), number: 1, repository: a.id)
    let slot = try KeySlot(wrapping: stranger, passphrase: Self.words("known"), random: bench.random)
    try bench.disk.makeDirectories(bench.path("shared/keys"), permissions: 0o700)
    let path = bench.path("shared/") + TreeName.slot(slot.id).path
    try bench.disk.setContents(path, slot.bytes)
    let before = try bench.disk.tree("/")
    #expect { try clone(bench, "known", to: "victim") } throws: {
      if case .keyFileAbsent(stranger.id)? = $0 as? RunicError { true } else { false }
    }
    #expect(try bench.disk.tree("/") == before)
    _ = try a.pull("shared")
    try a.use("claude", 5)
    _ = try a.push("shared")
    #expect(a.keys.newest.id != stranger.id)
  }

  /// The marker and the slot of another repository that the attacker owns, in the place of one's own: a device that
  /// knows the repository notices before it writes a byte there.
  @Test func aTreeThatIsSwappedForAnotherIsRefusedAndNothingIsWrittenThere() throws {
    let bench = try scene.bench()
    _ = try bench.begin("other", remote: "elsewhere")
    let foreign = try bench.shared("elsewhere")
    for path in scene.files.keys { try bench.disk.remove(bench.path("shared/") + path) }
    for (path, bytes) in foreign {
      try bench.disk.makeDirectories(parent(of: bench.path("shared/") + path), permissions: 0o700)
      try bench.disk.setContents(bench.path("shared/") + path, bytes)
    }
    let a = try bench.open("a")
    try a.use("claude", 5)
    #expect(throws: (any Error).self) { try a.push("shared") }
    #expect(throws: (any Error).self) { try a.pull("shared") }
    #expect(try bench.shared() == foreign)
  }
}

extension TreeName {
  /// The name that other bytes would have in this file's place.
  fileprivate func renamed(for bytes: [UInt8]) -> TreeName {
    let digest = SHA256.hash(bytes)
    return switch self {
    case .head(let head): .head(HeadName(device: head.device, sequence: head.sequence, digest: digest))
    case .object(let device, _): .object(device, digest)
    case .marker, .slot, .keyFile: self
    }
  }
}
