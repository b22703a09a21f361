#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The terminal that the user sits at, for questions whose answer nobody may see; closed when its owner goes.
struct Terminal: ~Copyable {
  private let descriptor: Int32

  /// Opens `/dev/tty`; nil where there is none.
  init?() {
    do throws(OutputError) {
      descriptor = try System.openFile("/dev/tty", writable: true)
    } catch { return nil }
  }

  deinit { System.closeDescriptor(descriptor) }

  /// Asks and reads a line that is not shown, without its end; nil where the terminal went away.
  ///
  /// While it reads, the terminal sends keys instead of signals, so that no signal can leave it silent: Ctrl-C is
  /// a byte like any other, and throws once everything is as it was. Signals from elsewhere end it then, too.
  func askInSecret(_ prompt: String) throws -> [UInt8]? {
    var before = termios()
    guard tcgetattr(descriptor, &before) == 0 else { return nil }
    return try SignalAction.deferring([SIGTERM, SIGHUP, SIGQUIT]) {
      try Interrupt.deferred { try askInSecret(prompt, before: &before) }
    }
  }

  private func askInSecret(_ prompt: String, before: inout termios) throws -> [UInt8]? {
    var silent = before
    silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
    setWait(&silent, tenths: 2)
    _ = tcsetattr(descriptor, TCSAFLUSH, &silent)
    defer {
      _ = tcsetattr(descriptor, TCSAFLUSH, &before)
      try? System.write(descriptor, Array("\n".utf8))
    }
    try System.write(descriptor, Array(prompt.utf8))
    return try readLine()
  }

  private func readLine() throws -> [UInt8]? {
    var line = SecretLine()
    while true {
      try Interrupt.check()
      if SignalAction.isWaiting { throw CommandFailure.interrupted }
      guard let byte = try nextByte() else {
        // Nothing typed for a moment, or nobody there any more.
        var state = termios()
        if tcgetattr(descriptor, &state) != 0 { return nil }
        continue
      }
      switch line.take(byte) {
      case .more: continue
      case .done: return line.bytes
      case .interrupted: throw CommandFailure.interrupted
      }
    }
  }

  private func nextByte() throws(OutputError) -> UInt8? {
    do throws(OutputError) {
      return try System.read(descriptor, limit: 1).first
    } catch {
      if error.code == System.interruptedCall { return nil }
      throw error
    }
  }

  /// A read returns with what is there, after this time also with nothing.
  private func setWait(_ mode: inout termios, tenths: UInt8) {
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      characters[Int(VMIN)] = 0
      characters[Int(VTIME)] = tenths
    }
  }
}

/// A line as it is typed, with the few keys that edit it.
struct SecretLine {
  enum Step: Equatable { case more, done, interrupted }

  private(set) var bytes: [UInt8] = []

  /// Takes a key: a byte of the text, or one that edits or ends it.
  mutating func take(_ byte: UInt8) -> Step {
    switch byte {
    case 0x03: return .interrupted
    case 0x04, 0x0A, 0x0D: return .done
    case 0x08, 0x7F: removeLastCharacter()
    case 0x15: bytes.removeAll()
    default: bytes.append(byte)
    }
    return .more
  }

  /// Removes the bytes that go on a character, then the one that begins it.
  private mutating func removeLastCharacter() {
    while let last = bytes.popLast(), last & 0xC0 == 0x80 {}
  }
}
