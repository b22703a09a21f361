import CanonicalJSON
import ObjectStore

/// The members that changes of all sorts have.
struct SharedFields {
  private(set) var id: [UInt8]?
  private(set) var origin: Origin?
  private(set) var stamp: Stamp?
  private var kindName: String?

  /// Reads the value of a key that is one of these.
  ///
  /// - Throws: "unknown field" for any other.
  mutating func read(
    _ key: JSONKey, _ cursor: inout ChangeCursor, _ kinds: inout KindNames
  ) throws(FormatError) {
    switch key {
    case "id":
      let text = try cursor.text()
      guard RecordGrammar.idLengths.contains(text.count) else { throw .content("id") }
      id = text
    case "kind": kindName = try kinds.name(try cursor.rawText())
    case "origin": origin = try Origin(&cursor)
    case "stamp": stamp = try cursor.stamp()
    default: throw .content("unknown field")
    }
  }

  /// The stamp of a change that is no delete.
  func writtenStamp() throws(FormatError) -> Stamp? {
    guard stamp != ChangeBounds.forDeletes else { throw .content("stamp") }
    return stamp
  }

  func kind() throws(FormatError) -> String {
    guard let kindName else { throw .content("no kind") }
    return kindName
  }

  func requiredID() throws(FormatError) -> [UInt8] {
    guard let id else { throw .content("no id") }
    return id
  }
}

/// Bounds that leave room for what comes next, whatever a change says (`docs/format.md`, "Changes").
enum ChangeBounds {
  /// Only a delete may be as late: so it can follow any write.
  static let forDeletes = Stamp.greatest
  /// A write can always begin a generation that no delete covers. The last one is not deleted.
  static let deletedGenerations: ClosedRange<Int64> = 1...(.max - 1)
  /// Those of writes that are named; the first is not.
  static let namedGenerations: ClosedRange<Int64> = 2...(.max)
}

/// Checks kind names and remembers the last one: runs of changes mostly have one kind.
struct KindNames {
  private var bytes: [UInt8] = []
  private var last = ""

  mutating func name(_ text: UnsafeRawBufferPointer) throws(FormatError) -> String {
    if !bytes.isEmpty, bytes.elementsEqual(text) { return last }
    guard RecordGrammar.isKindName(text) else { throw .content("kind") }
    bytes = Array(text)
    last = String(decoding: text, as: UTF8.self)
    return last
  }
}

// MARK: - Origin

extension ChangeWriter {
  mutating func origin(_ origin: Origin?) {
    guard let origin else { return }
    member("origin")
    nested { writer in
      if let commit = origin.commit {
        writer.member("commit")
        writer.hex(commit)
      }
      writer.member("device")
      writer.hex(origin.device)
      if let name = origin.deviceName {
        writer.member("name")
        writer.text(name)
      }
      writer.require(Origin.times.contains(origin.time))
      writer.member("time")
      writer.integer(origin.time)
    }
  }

  /// The stamp of a change that is no delete.
  mutating func writtenStamp(_ stamp: Stamp?) {
    require(stamp != ChangeBounds.forDeletes)
    self.stamp(stamp)
  }

  mutating func stamp(_ stamp: Stamp?) {
    guard let stamp else { return }
    member("stamp")
    plain(stamp.hex)
  }
}

extension Origin {
  /// Those that a commit may have.
  fileprivate static let times = 0...Limits.time

  init(_ cursor: inout ChangeCursor) throws(FormatError) {
    var (commit, device, name, time): (Digest?, DeviceID?, [UInt8]?, Int64?)
    var members = try cursor.beginObject()
    while let key = try cursor.nextKey(in: &members) {
      switch key {
      case "commit": commit = try cursor.hex(Digest.self)
      case "device": device = try cursor.hex(DeviceID.self)
      case "name": name = try cursor.text()
      case "time": time = try cursor.integer()
      default: throw .content("unknown field")
      }
    }
    guard let device, let time, Self.times.contains(time) else { throw .content("origin") }
    self.init(device: device, deviceName: name, time: time, commit: commit)
  }
}
