import CCrypto
import Testing

@testable import ObjectStore

/// What a start of libcrypto costs, counted in what it constructs.
@Suite struct LibcryptoTests {
  private final class Counter {
    var names: [String] = []
  }

  @Test func aContextConstructsOnlyTheAlgorithmsThatAreUsed() {
    _ = SHA256.hash([])
    let counter = Counter()
    EVP_MD_do_all_provided(
      Libcrypto.context,
      { digest, counter in
        guard let counter, let name = EVP_MD_get0_name(digest) else { return }
        Unmanaged<Counter>.fromOpaque(counter).takeUnretainedValue().names.append(String(cString: name))
      }, Unmanaged.passUnretained(counter).toOpaque())
    #expect(counter.names.sorted() == ["SHA2-256", "SHA2-512"])

    let ciphers = Counter()
    EVP_CIPHER_do_all_provided(
      Libcrypto.context,
      { cipher, counter in
        guard let counter, let name = EVP_CIPHER_get0_name(cipher) else { return }
        Unmanaged<Counter>.fromOpaque(counter).takeUnretainedValue().names.append(String(cString: name))
      }, Unmanaged.passUnretained(ciphers).toOpaque())
    #expect(ciphers.names.sorted() == ["AES-256-ECB", "AES-256-GCM"])
  }

  @Test(arguments: [0, 1, 7, 8, 9, 24, 33])
  func theSystemFillsEveryByteAndNeverTheSame(count: Int) {
    var seen = [UInt8](repeating: 0, count: count)
    for _ in 0..<64 {
      let bytes = RandomSource.system.bytes(count)
      #expect(bytes.count == count)
      for index in 0..<count { seen[index] |= bytes[index] }
    }
    // That a byte is zero 64 times happens once in 2^512.
    #expect(!seen.contains(0))
    if count >= 8 { #expect(RandomSource.system.bytes(count) != RandomSource.system.bytes(count)) }
  }
}
