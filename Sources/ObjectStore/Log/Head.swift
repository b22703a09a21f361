import CanonicalJSON

/// A commit named by its place and its hash.
public struct CommitName: Hashable, Sendable {
  public let sequence: Int64
  public let hash: Digest

  public init(sequence: Int64, hash: Digest) {
    self.sequence = sequence
    self.hash = hash
  }
}

/// A live object as a signed head lists it: nothing else about an object is believed.
public struct ObjectEntry: Hashable, Sendable {
  /// The sequence numbers of the first and the last commit that it holds.
  public let first: Int64
  public let last: Int64
  /// The hash of its last commit.
  public let hash: Digest
  /// Bytes of its body, inflated.
  public let inflated: Int64
  /// Bytes of its file, and their SHA-256, which is its name.
  public let length: Int64
  public let digest: Digest

  public init(first: Int64, last: Int64, hash: Digest, inflated: Int64, length: Int64, digest: Digest) {
    self.first = first
    self.last = last
    self.hash = hash
    self.inflated = inflated
    self.length = length
    self.digest = digest
  }

  public var lastCommit: CommitName { CommitName(sequence: last, hash: hash) }
}

/// A device's latest commit and its live objects, signed by the device (`docs/format.md`, "Heads").
public struct Head: Equatable, Sendable {
  public let repository: RepositoryID
  public let publicKey: PublicKey
  /// What people call the device, and its system and processor.
  public let name: String
  public let platform: String
  public let commit: CommitName
  /// Wall time of the writing, in milliseconds since 1970, UTC.
  public let time: Int64
  /// The live objects, oldest first: together they hold every commit from the first to the latest.
  public let objects: [ObjectEntry]

  public var device: DeviceID { publicKey.deviceID }

  public init(
    repository: RepositoryID, publicKey: PublicKey, name: String, platform: String, commit: CommitName,
    time: Int64, objects: [ObjectEntry]
  ) {
    self.repository = repository
    self.publicKey = publicKey
    self.name = name
    self.platform = platform
    self.commit = commit
    self.time = time
    self.objects = objects
  }
}

// MARK: - Bytes

extension Head {
  private static let signedLabel = Array("runic/1 head\n".utf8)

  /// Signs, compresses and seals: the head's file and its name.
  public func encode(
    signedBy key: SigningKey, keys: RepositoryKeys, random: RandomSource
  ) throws(SealError) -> (name: HeadName, file: [UInt8]) {
    var body = JSONValue.object(json).canonicalBytes
    let signature = key.sign(Self.signedLabel + body)
    body.append(UInt8(ascii: "\n"))
    body += Array(Hexadecimal.encode(signature).utf8)
    body.append(UInt8(ascii: "\n"))
    let file = try SealedFile.seal(
      Deflater.deflate(body), header: header(keys: keys), keys: keys, random: random)
    return (HeadName(device: device, sequence: commit.sequence, digest: SHA256.hash(file)), file)
  }

  /// Reads a head's file; its name, its seal, its signature and its device's id must all agree.
  ///
  /// - Parameter verifying: false for a file whose signature was verified before it was put where it lies.
  public init(
    decoding file: [UInt8], name: HeadName, keys: RepositoryKeys, verifying: Bool = true
  ) throws(FormatError) {
    let expected = SealedHeader(
      purpose: .head, key: keys.newest.id, repository: keys.repository, device: name.device,
      first: name.sequence, last: name.sequence)
    var sealed = file
    let range = try SealedFile.open(&sealed, expecting: expected, keys: keys)
    let body: [UInt8]
    do { body = try Inflater.inflate(sealed, range, limit: Limits.headBody) } catch { throw .compression }
    let signed = try Self.signed(body: body, verifying: verifying)
    try self.init(json: signed.object, publicKey: signed.key)
    guard repository == keys.repository, device == name.device, commit.sequence == name.sequence else {
      throw .foreign
    }
    guard JSONValue.object(json).canonicalBytes.elementsEqual(signed.line) else {
      let isCanonical = JSONValue.object(signed.object).canonicalBytes.elementsEqual(signed.line)
      throw .content(isCanonical ? "unknown field" : "not canonical")
    }
  }

  private static func signed(
    body: [UInt8], verifying: Bool
  ) throws(FormatError) -> (object: JSONObject, key: PublicKey, line: ArraySlice<UInt8>) {
    let lines = body.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.count == 3, lines[2].isEmpty,
      let signature = Hexadecimal.decode(String(decoding: lines[1], as: UTF8.self))
    else { throw .content("lines") }
    guard let object = (try? JSONValue.parse(Array(lines[0])))?.objectValue,
      let key = object["publicKey"]?.textValue.flatMap({ PublicKey(hex: $0) })
    else { throw .content("head") }
    guard !verifying || key.isValid(signature: signature, for: signedLabel + lines[0]) else {
      throw .authentication
    }
    return (object, key, lines[0])
  }

  private func header(keys: RepositoryKeys) -> SealedHeader {
    SealedHeader(
      purpose: .head, key: keys.newest.id, repository: repository, device: device, first: commit.sequence,
      last: commit.sequence)
  }

  private var json: JSONObject {
    [
      "commit": .object([
        "hash": .string(JSONString(commit.hash.hex)), "sequence": .integer(commit.sequence),
      ]),
      "format": .integer(Int64(SealedHeader.formatVersion)), "name": .string(JSONString(name)),
      "objects": .array(objects.map(\.json)), "platform": .string(JSONString(platform)),
      "publicKey": .string(JSONString(publicKey.hex)), "purpose": "head",
      "repository": .string(JSONString(repository.hex)), "time": .integer(time),
    ]
  }

  private init(json: JSONObject, publicKey: PublicKey) throws(FormatError) {
    guard json["purpose"]?.textValue == "head",
      json["format"]?.intValue == Int64(SealedHeader.formatVersion),
      let repository = json["repository"]?.textValue.flatMap({ RepositoryID(hex: $0) }),
      let name = json["name"]?.textValue, let platform = json["platform"]?.textValue,
      let time = json["time"]?.intValue, (0...Limits.time).contains(time),
      let commit = json["commit"]?.objectValue.flatMap(CommitName.init(json:)),
      let list = json["objects"]?.arrayValue
    else { throw .content("head") }
    var objects: [ObjectEntry] = []
    for value in list {
      guard let entry = value.objectValue.flatMap(ObjectEntry.init(json:)),
        entry.first == (objects.last?.last ?? 0) + 1
      else { throw .content("objects") }
      objects.append(entry)
    }
    guard objects.last?.lastCommit == commit else { throw .content("latest commit") }
    self.init(
      repository: repository, publicKey: publicKey, name: name, platform: platform, commit: commit,
      time: time, objects: objects)
  }
}

extension CommitName {
  fileprivate init?(json: JSONObject) {
    guard let hash = json["hash"]?.textValue.flatMap({ Digest(hex: $0) }),
      let sequence = json["sequence"]?.intValue, (1...Limits.sequence).contains(sequence)
    else { return nil }
    self.init(sequence: sequence, hash: hash)
  }
}

extension ObjectEntry {
  fileprivate var json: JSONValue {
    .object([
      "first": .integer(first), "hash": .string(JSONString(hash.hex)), "inflated": .integer(inflated),
      "last": .integer(last), "length": .integer(length), "sha256": .string(JSONString(digest.hex)),
    ])
  }

  fileprivate init?(json: JSONObject) {
    guard let first = json["first"]?.intValue, first >= 1, let last = json["last"]?.intValue,
      last >= first, last <= Limits.sequence, let inflated = json["inflated"]?.intValue,
      (1...Int64(Limits.objectBody)).contains(inflated), let length = json["length"]?.intValue,
      (1...Int64(Limits.objectFile)).contains(length),
      let hash = json["hash"]?.textValue.flatMap({ Digest(hex: $0) }),
      let digest = json["sha256"]?.textValue.flatMap({ Digest(hex: $0) })
    else { return nil }
    self.init(first: first, last: last, hash: hash, inflated: inflated, length: length, digest: digest)
  }
}
