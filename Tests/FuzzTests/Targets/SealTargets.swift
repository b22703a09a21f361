import CanonicalJSON
import RunicCore
import TestSupport

@testable import ObjectStore

extension FuzzTarget {
  static let sealTargets = [
    FuzzTarget("sealed-file", checkSealedFile),
    FuzzTarget("compressed-body", checkCompressedBody),
    FuzzTarget("object-lines", checkObjectLines),
    FuzzTarget("head-line", checkHeadLine),
  ]

  private static var keys: FuzzKeys { .shared }

  /// As it comes from a remote: only what was sealed opens.
  private static func checkSealedFile(_ bytes: [UInt8]) throws {
    let name = headName(of: bytes)
    _ = try? Head(decoding: bytes, name: name, keys: keys.keys)
    _ = try? ObjectReader.lastCommit(of: bytes, device: keys.device, keys: keys.keys)
    if let header = try? SealedHeader(decoding: bytes) {
      try require(bytes.starts(with: header.bytes), "a header is written otherwise than it was read")
    }
  }

  /// Below the seal, above the compression: a device that has the key and runs other software.
  private static func checkCompressedBody(_ bytes: [UInt8]) throws {
    let file = try keys.sealed(bytes, keys.header(.object))
    _ = try? ObjectReader.lastCommit(of: file, device: keys.device, keys: keys.keys)
    let head = try keys.sealed(bytes, keys.header(.head))
    _ = try? Head(decoding: head, name: headName(of: head), keys: keys.keys)
    var inflated: [UInt8]?
    do { inflated = try Inflater.inflate(bytes, limit: 4096) } catch {}
    try require((inflated?.count ?? 0) <= 4096, "more came out than the limit allows")
  }

  /// Below the compression: the commits of an object, as an entry in a signed head lists them.
  private static func checkObjectLines(_ bytes: [UInt8]) throws {
    let lines = bytes.split(separator: 10, omittingEmptySubsequences: false).dropLast()
    guard let last = lines.last, bytes.count < 1 << 16 else { return }
    let count = Int64(lines.count)
    let file = try keys.sealed(Deflater.deflate(bytes), keys.header(.object, first: 1, last: count))
    let entry = ObjectEntry(
      first: 1, last: count, hash: SHA256.hash(Array(last)), inflated: Int64(bytes.count),
      length: Int64(file.count), digest: SHA256.hash(file))
    var read: [[UInt8]] = []
    do {
      let reader = try ObjectReader(file: file, entry: entry, device: keys.device, keys: keys.keys)
      try reader.forEachCommit { _, envelope, line in
        read.append(Array(line))
        _ = try? ChangeCodec.decode(Array(line)[envelope.changes])
      }
    } catch { return }
    try require(read == lines.map(Array.init), "other lines were read than were written")
  }

  /// Inside the signature: what a device may claim of itself.
  private static func checkHeadLine(_ bytes: [UInt8]) throws {
    guard !bytes.contains(10) else { return }
    let file = try keys.head(bytes)
    guard let head = try? Head(decoding: file, name: headName(of: file), keys: keys.keys) else { return }
    try require(head.device == keys.device && head.commit.sequence == 1, "a head stands for another place")
    let (name, again) = try head.encode(signedBy: keys.signing, keys: keys.keys, random: .seeded(25))
    let copy = try demand("a head that was taken is not taken again") {
      try Head(decoding: again, name: name, keys: keys.keys)
    }
    try require(copy == head, "a head says something else when it is written again")
  }

  private static func headName(of file: [UInt8]) -> HeadName {
    HeadName(device: keys.device, sequence: 1, digest: SHA256.hash(file))
  }
}
