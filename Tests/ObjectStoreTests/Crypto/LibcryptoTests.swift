import CCrypto
import Testing

@testable import ObjectStore

/// What a start of libcrypto costs, counted in what it constructs.
@Suite struct LibcryptoTests {
  private typealias Callback = @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void

  private final class Found {
    let name: (OpaquePointer) -> UnsafePointer<CChar>?
    var names: [String] = []

    init(_ name: @escaping (OpaquePointer) -> UnsafePointer<CChar>?) { self.name = name }
  }

  /// The names of the algorithms that a call goes through, in order of the alphabet.
  private func names(
    by name: @escaping (OpaquePointer) -> UnsafePointer<CChar>?,
    of visit: (Callback, UnsafeMutableRawPointer) -> Void
  ) -> [String] {
    let found = Found(name)
    visit(
      { algorithm, context in
        guard let algorithm, let context else { return }
        let found = Unmanaged<Found>.fromOpaque(context).takeUnretainedValue()
        if let name = found.name(algorithm) { found.names.append(String(cString: name)) }
      }, Unmanaged.passUnretained(found).toOpaque())
    return found.names.sorted()
  }

  @Test func aContextConstructsOnlyTheAlgorithmsThatAreUsed() {
    let digests = names(by: { EVP_MD_get0_name($0) }) { EVP_MD_do_all_provided(Libcrypto.context, $0, $1) }
    #expect(digests == ["SHA2-256", "SHA2-512"])
    let ciphers = names(by: { EVP_CIPHER_get0_name($0) }) {
      EVP_CIPHER_do_all_provided(Libcrypto.context, $0, $1)
    }
    #expect(ciphers == ["AES-256-ECB", "AES-256-GCM"])
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
