import CCrypto

/// What every use of libcrypto shares: the algorithms, fetched once, and the answer to a call that cannot fail.
enum Libcrypto {
  /// runic's own of everything that libcrypto keeps. No configuration file is read for it, so none changes what
  /// runic computes, and nothing done here shows in an app that uses libcrypto too. OSSL_LIB_CTX_new(3).
  nonisolated(unsafe) static let context = require(LeanProvider.makeContext() ?? OSSL_LIB_CTX_new())

  // An algorithm never changes after it was fetched, its references are counted atomically by libcrypto, and
  // these are never given back.
  nonisolated(unsafe) static let sha256 = require(EVP_MD_fetch(context, "SHA256", nil))
  nonisolated(unsafe) static let hmac = require(EVP_MAC_fetch(context, "HMAC", nil))
  nonisolated(unsafe) static let aes256ECB = require(EVP_CIPHER_fetch(context, "AES-256-ECB", nil))
  nonisolated(unsafe) static let aes256GCM = require(EVP_CIPHER_fetch(context, "AES-256-GCM", nil))

  /// Passes on a result that is missing only where memory is exhausted or libcrypto lacks the algorithm.
  ///
  /// Neither can be mended by a caller, and to go on would mean wrong digests or keys that are not random, so
  /// the process ends, as it does where Swift itself finds no memory.
  static func require<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("libcrypto") }
    return value
  }

  /// The same for calls that answer 1 where they have done their work.
  static func require(_ status: Int32) {
    precondition(status == 1, "libcrypto")
  }

  /// Runs calls that foreign bytes may make fail, and drops what they leave in the thread's error queue, where
  /// an app that uses libcrypto too would find it.
  static func quietly<Result>(_ body: () -> Result) -> Result {
    ERR_set_mark()
    defer { ERR_pop_to_mark() }
    return body()
  }
}

/// The part of libcrypto that a whole process shares.
public enum LibcryptoProcess {
  /// Leaves out of its start what runic has no use for: the configuration file, the texts of its errors, and the
  /// names of all algorithms, which it would load even for a context of one's own. Half of the start's time.
  ///
  /// For a program that is nobody's guest, before anything else of libcrypto is called; an app that uses libcrypto
  /// for itself decides for itself. OPENSSL_init_crypto(3).
  public static func startLean() {
    let options = [
      OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS, OPENSSL_INIT_NO_ADD_ALL_CIPHERS, OPENSSL_INIT_NO_ADD_ALL_DIGESTS,
      OPENSSL_INIT_NO_LOAD_CONFIG,
    ]
    _ = OPENSSL_init_crypto(options.reduce(0) { $0 | UInt64($1) }, nil)
  }
}

/// Compares in a time that depends on the lengths alone. CRYPTO_memcmp(3).
public func constantTimeEqual(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  guard left.count == right.count else { return false }
  guard let first = left.baseAddress, let second = right.baseAddress else { return true }
  return CRYPTO_memcmp(first, second, left.count) == 0
}

/// Compares in a time that depends on the lengths alone.
public func constantTimeEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
  left.withUnsafeBytes { first in right.withUnsafeBytes { constantTimeEqual(first, $0) } }
}
