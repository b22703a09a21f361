import CCrypto

/// scrypt (RFC 7914): a key from a passphrase, at a cost in time and memory that slows guessing.
public enum Scrypt {
  /// Derives a key.
  ///
  /// The parameters are checked, and the memory reckoned, before anything is allocated. Takes about
  /// 128 * blockSize * cost bytes, and time in proportion to cost * blockSize * parallelization.
  ///
  /// - Parameters:
  ///   - cost: N, a power of two above 1.
  ///   - blockSize: r, at least 1.
  ///   - parallelization: p, at least 1.
  ///   - memoryLimit: In bytes; more is refused.
  /// - Throws: `KeyDerivationError.invalidParameters`, `.memoryLimitExceeded`.
  public static func deriveKey(
    passphrase: SecretBytes, salt: [UInt8], cost: UInt64, blockSize: UInt64, parallelization: UInt64,
    length: Int,
    memoryLimit: UInt64 = 192 << 20
  ) throws(KeyDerivationError) -> SecretBytes {
    let needed = try memory(cost: cost, blockSize: blockSize, parallelization: parallelization)
    guard needed <= memoryLimit else { throw .memoryLimitExceeded(needed: needed) }
    return try SecretBytes(count: length) { (key) throws(KeyDerivationError) in
      let status = Libcrypto.quietly {
        passphrase.withUnsafeBytes { secret in
          EVP_PBE_scrypt_ex(
            secret.baseAddress?.assumingMemoryBound(to: CChar.self), secret.count, salt, salt.count,
            cost, blockSize, parallelization, needed, key.baseAddress, key.count, Libcrypto.context, nil)
        }
      }
      guard status == 1 else { throw .invalidParameters }
    }
  }

  /// The bytes that libcrypto allocates: the blocks B (128 * r * p) and the table V with two blocks to work in
  /// (128 * r * (N + 2)).
  private static func memory(
    cost: UInt64, blockSize: UInt64, parallelization: UInt64
  ) throws(KeyDerivationError) -> UInt64 {
    guard cost > 1, cost & (cost &- 1) == 0, blockSize >= 1, parallelization >= 1 else {
      throw .invalidParameters
    }
    let (lanes, tooManyLanes) = blockSize.multipliedReportingOverflow(by: parallelization)
    guard !tooManyLanes, lanes < 1 << 30 else { throw .invalidParameters }
    let (rows, tooManyRows) = cost.addingReportingOverflow(parallelization &+ 2)
    let (bytes, tooManyBytes) = rows.multipliedReportingOverflow(by: 128 &* blockSize)
    return tooManyRows || tooManyBytes ? .max : bytes
  }
}
