import ObjectStore

/// A `MemoryRemote` as a place for the conformance suite.
public struct MemoryRemotePlace: RemotePlace {
  public let memory = MemoryRemote()
  private let files: MemoryFileSystem
  public let scratch = "/scratch"
  public var local: any FileSystem { files }

  public init() throws {
    files = MemoryFileSystem()
    try files.makeFolders(scratch)
  }

  public func remote(for device: DeviceID) -> any Remote { memory.view(for: files, device: device) }
  public func makeEmpty() { memory.wipe() }

  public func put(_ thing: RemoteThing, at path: String) {
    switch thing {
    case .file(let bytes): memory.put(bytes, at: path)
    case .folder: memory.put(.folder, at: path)
    case .link, .pipe: memory.put(.link, at: path)
    }
  }

  public func contents(_ path: String) -> [UInt8]? { memory.files[path] }
  public func paths() -> [String] { memory.files.keys.sorted() }
}
