// The one file that calls the C library to be told of changes in folders: inotify(7) on Linux. Elsewhere nothing is
// told and the wait alone remains, as behind network mounts, whose other machines' writes raise no event.

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tells of changes in folders. Hints, never more: events may be missed, and whoever waits looks for himself now and
/// then.
public protocol FolderHints: AnyObject {
  /// Watches these folders and no others. To be called again now and then: a folder that was mounted, or made anew,
  /// is another one than before.
  func watch(_ folders: Set<String>)

  /// Waits at most so many milliseconds.
  func wait(_ milliseconds: Int64) -> FolderWatcher.Wake
}

/// Waits for something to happen in some folders, or for a byte on a pipe.
public final class FolderWatcher: FolderHints {
  /// What woke the waiter.
  public struct Wake: Equatable, Sendable {
    /// The folders in which something happened.
    public var folders: Set<String> = []
    /// Whether there was something to read from the other descriptor; one byte was taken.
    public var isCalled = false

    public init(folders: Set<String> = [], isCalled: Bool = false) {
      (self.folders, self.isCalled) = (folders, isCalled)
    }
  }

  private let descriptor: Int32
  /// The other descriptor that ends a wait; nil: none.
  private let caller: Int32?
  private var numbers: [String: Int32] = [:]

  /// - Parameter caller: the end of a pipe to read from; it stays its owner's.
  public init(caller: Int32? = nil) {
    self.caller = caller
    #if os(Linux)
      descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    #else
      descriptor = -1
    #endif
  }

  deinit { if descriptor >= 0 { PosixFileSystem().close(descriptor) } }

  public func watch(_ folders: Set<String>) {
    for gone in Set(numbers.keys).subtracting(folders) { forget(gone) }
    for folder in folders { follow(folder) }
  }

  public func wait(_ milliseconds: Int64) -> Wake {
    var waiting = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: caller ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    var wake = Wake()
    // A signal that interrupts the wait has its own way to be heard.
    guard poll(&waiting, 2, Int32(clamping: max(0, milliseconds))) > 0 else { return wake }
    if waiting[0].revents != 0 { wake.folders = takeEvents() }
    if waiting[1].revents != 0 { wake.isCalled = takeByte() }
    return wake
  }

  private func takeByte() -> Bool {
    guard let caller else { return false }
    var byte: UInt8 = 0
    return read(caller, &byte, 1) == 1
  }

  #if os(Linux)
    private func follow(_ folder: String) {
      let mask = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_CLOSE_WRITE
      let number = inotify_add_watch(descriptor, folder, UInt32(mask) | UInt32(IN_ONLYDIR))
      if let before = numbers[folder], before != number { inotify_rm_watch(descriptor, before) }
      numbers[folder] = number >= 0 ? number : nil
    }

    private func forget(_ folder: String) {
      if let number = numbers.removeValue(forKey: folder) { inotify_rm_watch(descriptor, number) }
    }

    /// Reads all that has come: names do not matter, only folders.
    private func takeEvents() -> Set<String> {
      var seen: Set<Int32> = []
      var buffer = [UInt8](repeating: 0, count: 16 << 10)
      while true {
        let count = read(descriptor, &buffer, buffer.count)
        guard count > 0 else { break }
        buffer.withUnsafeBytes { bytes in
          var place = 0
          while place &+ MemoryLayout<inotify_event>.size <= count {
            let event = bytes.loadUnaligned(fromByteOffset: place, as: inotify_event.self)
            seen.insert(event.wd)
            place &+= MemoryLayout<inotify_event>.size &+ Int(event.len)
          }
        }
      }
      // Where the queue ran over nobody knows what happened: -1 stands for all.
      let all = seen.contains(-1)
      return Set(numbers.filter { all || seen.contains($0.value) }.keys)
    }
  #else
    private func follow(_ folder: String) { numbers[folder] = -1 }
    private func forget(_ folder: String) { numbers[folder] = nil }
    private func takeEvents() -> Set<String> { [] }
  #endif
}
