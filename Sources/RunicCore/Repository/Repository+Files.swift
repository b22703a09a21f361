import ObjectStore

extension Repository {
  /// The heads and objects of the store.
  public func fileNames() throws -> [TreeName] {
    var names = try store.headNames().map(TreeName.head)
    for device in try store.devices() {
      names += try store.objectNames(of: device).map { TreeName.object(device, $0) }
    }
    return names
  }

  /// What a file of the store holds: the commits of an object, one a line; a head's JSON.
  ///
  /// - Parameter prefix: at least four digits of its digest, or of a head's whole name.
  /// - Throws: `RunicError.unknownFile`, `.ambiguous`, `DamagedFile`.
  public func content(ofFile prefix: String) throws -> [UInt8] {
    let names = try fileNames()
    let byDigest = try UniquePrefix.find(prefix, in: names) { $0.digest?.hex ?? "" }
    guard let name = try byDigest ?? UniquePrefix.find(prefix, in: names, name: \.name) else {
      throw RunicError.unknownFile(prefix)
    }
    var file = try store.read(name)
    do throws(FormatError) {
      return try body(of: &file, name)
    } catch {
      throw DamagedFile(name, error)
    }
  }

  private func body(of file: inout [UInt8], _ name: TreeName) throws(FormatError) -> [UInt8] {
    let said = try SealedHeader(decoding: file)
    let (purpose, device, limit): (Purpose, DeviceID?, Int) =
      switch name {
      case .head(let head): (.head, head.device, Limits.headBody)
      case .object(let device, _): (.object, device, Limits.objectBody)
      case .marker, .slot, .keyFile: (said.purpose, nil, Limits.smallFile)
      }
    let header = SealedHeader(
      purpose: purpose, key: keys.newest.id, repository: keys.repository, device: device ?? said.device,
      first: said.first, last: said.last)
    let range = try SealedFile.open(&file, expecting: header, keys: keys)
    let body: [UInt8]
    do { body = try Inflater.inflate(file, range, limit: limit) } catch { throw .compression }
    guard case .head = name else { return body }
    // Behind the head's line stands its signature.
    return Array(body.prefix { $0 != UInt8(ascii: "\n") }) + [UInt8(ascii: "\n")]
  }
}
