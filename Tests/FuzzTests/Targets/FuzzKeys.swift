import TestSupport

@testable import ObjectStore

/// A repository whose keys the fuzzer holds: so it gets below the seal.
struct FuzzKeys: Sendable {
  static let shared = FuzzKeys()

  let repository = RepositoryID(from: .seeded(21))
  let root = RandomSource.seeded(22).secret(32)
  let signing = SigningKey.generate(from: .seeded(23))
  let keys: RepositoryKeys

  var device: DeviceID { signing.publicKey.deviceID }

  private init() {
    do { keys = try RepositoryKeys(root: root, repository: repository) } catch {
      preconditionFailure("32 bytes derive keys: \(error)")
    }
  }

  func header(_ purpose: Purpose, first: Int64 = 1, last: Int64 = 1) -> SealedHeader {
    SealedHeader(
      purpose: purpose, key: keys.newest.id, repository: repository, device: device, first: first, last: last)
  }

  /// A file with that body below the seal, just as it stands: compressed or not.
  func sealed(_ body: [UInt8], _ header: SealedHeader) throws -> [UInt8] {
    try SealedFile.seal(body, header: header, keys: keys, random: .seeded(24))
  }

  /// A head's file with that line in it, rightly signed.
  func head(_ line: [UInt8]) throws -> [UInt8] {
    let signature = signing.sign(Array("runic/1 head\n".utf8) + line)
    let body = line + [10] + Array(Hexadecimal.encode(signature).utf8) + [10]
    return try sealed(Deflater.deflate(body), header(.head))
  }
}
