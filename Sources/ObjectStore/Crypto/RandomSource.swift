/// Where random bytes come from: the system in the program, a seed in tests.
public struct RandomSource: Sendable {
  /// Overwrites the whole buffer. Called from any thread.
  public let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  public init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
    self.fill = fill
  }

  /// Unpredictable bytes of the system, which no clone of a process repeats: getrandom(2), as the standard library
  /// asks for it on each system. A few dozen are what anything here needs at a time.
  public static let system = RandomSource { buffer in
    var generator = SystemRandomNumberGenerator()
    var rest = buffer[...]
    while !rest.isEmpty {
      withUnsafeBytes(of: generator.next()) { word in
        let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(word.count))
        part.copyMemory(from: UnsafeRawBufferPointer(rebasing: word.prefix(part.count)))
        rest = rest.dropFirst(part.count)
      }
    }
  }

  /// `count` bytes that need not stay secret.
  public func bytes(_ count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      fill(UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<count]))
      filled = count
    }
  }

  /// `count` bytes that must stay secret.
  public func secret(_ count: Int) -> SecretBytes {
    SecretBytes(count: count, filledBy: fill)
  }
}
