import CanonicalJSON
import ObjectStore
import RunicCore
import Testing
import TestSupport

/// Promises of `docs/threat-model.md` that no other suite is about.
@Suite struct ThreatModelTests {
  // MARK: - Nonces

  /// A random source that says the same for ever: a cloned machine at its worst.
  private static let stuck = RandomSource { buffer in
    for index in buffer.indices { buffer[index] = 7 }
  }

  private func sealed(_ text: String, sequence: Int64) throws -> [UInt8] {
    let id = try #require(RepositoryID(bytes: [UInt8](repeating: 1, count: 16)))
    let device = try #require(DeviceID(bytes: [UInt8](repeating: 2, count: 16)))
    let keys = try RepositoryKeys(
      root: SecretBytes(copying: [UInt8](repeating: 3, count: 32)), repository: id)
    let header = SealedHeader(
      purpose: .object, key: keys.newest.id, repository: id, device: device, first: 1, last: sequence)
    return try SealedFile.seal(Array(text.utf8), header: header, keys: keys, random: Self.stuck)
  }

  private func nonce(_ file: [UInt8]) -> ArraySlice<UInt8> {
    file[SealedHeader.length..<SealedHeader.length + SealedHeader.nonceLength]
  }

  @Test func twoBodiesUnderOneRandomSourceGetTwoNonces() throws {
    #expect(nonce(try sealed("one", sequence: 1)) != nonce(try sealed("two", sequence: 1)))
    #expect(nonce(try sealed("one", sequence: 1)) != nonce(try sealed("one", sequence: 2)))
  }

  // MARK: - Plaintext

  private func holds(_ bytes: [UInt8], _ text: String) -> Bool {
    let needle = Array(text.utf8)
    guard bytes.count >= needle.count else { return false }
    return (0...bytes.count - needle.count).contains { bytes[$0..<$0 + needle.count].elementsEqual(needle) }
  }

  @Test func nothingThatWasRecordedStandsInTheTreeAsItIs() throws {
    let memory = MemoryFileSystem()
    let bench = try Workbench(memory)
    let a = try bench.begin("telltale-device")
    try a.use("telltale-provider", 1)
    try a.prefer(["telltale-key": "telltale-value"])
    _ = try a.push("shared")
    let secrets = ["telltale", "preferences", "usage", Machine.platform]
    for place in ["shared", "telltale-device/store"] {
      let files = try memory.tree(bench.path(place))
      #expect(files.count >= 3)
      for (name, bytes) in files {
        for secret in secrets {
          #expect(!holds(bytes, secret), "\(secret) stands in \(place)/\(name)")
        }
      }
    }
    // The search does find what is there: the index is private, and plain.
    let index = try memory.tree(bench.path("telltale-device/index"))
    #expect(index.values.contains { holds($0, "telltale-value") })
  }

  // MARK: - Modes

  private func expectPrivate(_ memory: MemoryFileSystem, _ root: String, after call: Int) throws {
    guard let status = try memory.status(root) else { return }
    guard status.permissions == 0o700 else {
      // The folder itself may have been there; it is narrowed before anything lies in it.
      #expect(try memory.list(root).isEmpty, "call \(call): \(root) is open")
      return
    }
    for entry in try memory.list(root) {
      let path = "\(root)/\(entry.name)"
      let mode = try memory.status(path)?.permissions
      #expect(mode == (entry.type == .directory ? 0o700 : 0o600), "call \(call): \(path)")
      if entry.type == .directory { try expectPrivate(memory, path, after: call) }
    }
  }

  /// Stops `init` and `clone` at every call and looks at the modes of what is there by then.
  @Test func privateFilesAreNeverOpenToOthersNotEvenInTheMaking() throws {
    var call = 0
    var finished = 0
    while finished < 2 {
      call += 1
      finished = 0
      let memory = MemoryFileSystem()
      let whole = try Workbench(memory)
      let first = try whole.begin("first")
      let faulty = FaultyFileSystem(memory)
      let bench = try Workbench(faulty)
      faulty.setFault(.death(at: call))
      do {
        _ = try Repository.create(
          at: bench.path("new"), name: "new", passphrase: nil, environment: bench.environment)
        finished += 1
      } catch {}
      faulty.setFault(.death(at: call))
      do {
        _ = try bench.join("clone", of: first)
        finished += 1
      } catch {}
      for name in ["new", "clone"] { try expectPrivate(memory, whole.path(name), after: call) }
    }
    #expect(call > 20)
  }
}
