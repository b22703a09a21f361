import CCrypto

/// Where random bytes come from: the system in the program, a seed in tests.
public struct RandomSource: Sendable {
  /// Overwrites the whole buffer. Called from any thread.
  public let fill: @Sendable (UnsafeMutableRawBufferPointer) -> Void

  public init(fill: @escaping @Sendable (UnsafeMutableRawBufferPointer) -> Void) {
    self.fill = fill
  }

  /// Unpredictable bytes. RAND_bytes_ex(3), which the system seeds and which notices a fork.
  public static let system = RandomSource { buffer in
    var rest = buffer[...]
    while !rest.isEmpty {
      let part = UnsafeMutableRawBufferPointer(rebasing: rest.prefix(1 << 30))
      Libcrypto.require(RAND_bytes_ex(Libcrypto.context, part.baseAddress, part.count, 0))
      rest = rest.dropFirst(part.count)
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
