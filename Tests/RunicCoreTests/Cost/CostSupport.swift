import ObjectStore
import Synchronization
import TestSupport
import Testing

@testable import RunicCore

/// Passes everything on to another remote and counts it.
final class CountingRemote: Remote {
  private let inner: any Remote
  private let log = Mutex<[String]>([])

  init(_ inner: any Remote) { self.inner = inner }

  /// The methods called, with the folders or the number of files they were about.
  var calls: [String] { log.withLock { $0 } }
  var address: String { inner.address }

  private func count(_ call: String) { log.withLock { $0.append(call) } }

  func look(known: KnownHeads, into folder: () throws -> String) throws -> RemoteSight {
    count("look")
    return try inner.look(known: known, into: folder)
  }

  func marker() throws(RemoteError) -> [UInt8] {
    count("marker")
    return try inner.marker()
  }

  func keys() throws(RemoteError) -> [TreeName: [UInt8]] {
    count("keys")
    return try inner.keys()
  }

  func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] {
    count("list \(folders.map(\.path).joined(separator: " "))")
    return try inner.list(folders)
  }

  func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] {
    count("strangers")
    return try inner.strangers(in: folders)
  }

  func devices() throws(RemoteError) -> [DeviceID] {
    count("devices")
    return try inner.devices()
  }

  func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] {
    count("fetch \(names.count)")
    return try inner.fetch(names, into: target)
  }

  func add(_ files: [LocalFile], replacing damaged: Set<TreeName>) throws(RemoteError) -> [TreeName] {
    count("add \(files.count)")
    return try inner.add(files, replacing: damaged)
  }

  func publish(
    _ files: [LocalFile], replacing damaged: Set<TreeName>, removing names: [TreeName]
  ) throws(RemoteError) -> [TreeName] {
    count("publish \(files.count)")
    return try inner.publish(files, replacing: damaged, removing: names)
  }

  func remove(_ names: [TreeName]) throws(RemoteError) {
    count("remove \(names.count)")
    try inner.remove(names)
  }

  func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) {
    count("removeLeftovers")
    try inner.removeLeftovers(in: folders)
  }

  func create(_ files: [LocalFile]) throws(RemoteError) {
    count("create")
    try inner.create(files)
  }
}

extension Repository {
  /// Records many readings in one step.
  func useMany(_ count: Int, from first: Int = 0) throws {
    try write { transaction in
      var fingerprinter = Fingerprinter()
      for number in first..<first + count {
        let payload = Array("{\"primaryUsed\":\(number),\"providerID\":\"bulk\"}".utf8)
        let id = try Kind.usage.naturalID(of: payload[...], using: &fingerprinter)
        try transaction.add(kind: .usage, id: id, payload: payload[...])
      }
    }
  }
}
