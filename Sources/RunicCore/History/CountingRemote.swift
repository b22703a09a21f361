import ObjectStore
import Synchronization

/// What went over to a remote and what came from it, counted while it goes on.
final class TransferCount: Sendable {
  struct Sum {
    var sent = SyncHistory.Traffic()
    var received = SyncHistory.Traffic()
    var retries = 0
  }

  private let counted = Mutex(Sum())

  var sum: Sum { counted.withLock { $0 } }

  func retried() { counted.withLock { $0.retries &+= 1 } }

  fileprivate func received(_ files: [LocalFile]) {
    counted.withLock { sum in
      for file in files {
        sum.received.files &+= 1
        sum.received.bytes &+= file.length
      }
    }
  }

  fileprivate func sent(_ names: [TreeName], of files: [LocalFile]) {
    let written = Set(names)
    counted.withLock { sum in
      for file in files where written.contains(file.name) {
        sum.sent.files &+= 1
        sum.sent.bytes &+= file.length
      }
    }
  }
}

/// A remote, with what is moved counted.
struct CountingRemote: Remote {
  let base: any Remote
  let count: TransferCount

  var address: String { base.address }

  func look(known: KnownHeads, into folder: () throws -> String) throws -> RemoteSight {
    let sight = try base.look(known: known, into: folder)
    count.received(sight.fetched)
    return sight
  }

  func fetch(_ names: [TreeName], into target: String) throws(RemoteError) -> [LocalFile] {
    let files = try base.fetch(names, into: target)
    count.received(files)
    return files
  }

  func add(_ files: [LocalFile], replacing damaged: Set<TreeName>) throws(RemoteError) -> [TreeName] {
    let written = try base.add(files, replacing: damaged)
    count.sent(written, of: files)
    return written
  }

  func publish(
    _ files: [LocalFile], replacing damaged: Set<TreeName>, removing names: [TreeName]
  ) throws(RemoteError) -> [TreeName] {
    let written = try base.publish(files, replacing: damaged, removing: names)
    count.sent(written, of: files)
    return written
  }

  func marker() throws(RemoteError) -> [UInt8] { try base.marker() }
  func keys() throws(RemoteError) -> [TreeName: [UInt8]] { try base.keys() }
  func list(_ folders: [TreeFolder]) throws(RemoteError) -> [RemoteEntry] { try base.list(folders) }
  func strangers(in folders: [TreeFolder]) throws(RemoteError) -> [String] { try base.strangers(in: folders) }
  func devices() throws(RemoteError) -> [DeviceID] { try base.devices() }
  func remove(_ names: [TreeName]) throws(RemoteError) { try base.remove(names) }
  func removeLeftovers(in folders: [TreeFolder]) throws(RemoteError) { try base.removeLeftovers(in: folders) }
  func isInUse() throws(RemoteError) -> Bool { try base.isInUse() }
  func tryWriting() throws(RemoteError) { try base.tryWriting() }
  func create(_ files: [LocalFile]) throws(RemoteError) { try base.create(files) }
}
