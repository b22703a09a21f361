import ObjectStore
import TestSupport
import Testing

// FIPS 180-4 examples.
private let examples: [(message: String, digest: String)] = [
  ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
  ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
  (
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
  ),
  (
    String(repeating: "a", count: 1_000_000),
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
  ),
]

@Suite struct SHA256Tests {
  @Test(arguments: examples.indices)
  func matchesThePublishedDigest(row: Int) {
    let message = Array(examples[row].message.utf8)
    #expect(SHA256.hash(message).hex == examples[row].digest)
    #expect(SHA256.hash(message[...]).hex == examples[row].digest)
    var repeated = SHA256.RepeatedHasher()
    for _ in 0..<3 { #expect(repeated.hash(message).hex == examples[row].digest) }
  }

  @Test func partsHashAsTheWhole() {
    var random = SeededRandom(seed: 1)
    let message = random.bytes(300)
    for cut in 0...message.count {
      var hasher = SHA256.Hasher()
      hasher.update(message[..<cut])
      hasher.update(Array(message[cut...]))
      #expect(hasher.finalize() == SHA256.hash(message))
    }
  }

  @Test func repeatedHasherForgetsTheMessageBefore() {
    var repeated = SHA256.RepeatedHasher()
    for row in examples { #expect(repeated.hash(Array(row.message.utf8)).hex == row.digest) }
  }
}
