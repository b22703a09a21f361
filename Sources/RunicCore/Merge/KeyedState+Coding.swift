import ObjectStore

/// The form in the index. A list is its count and its items, sorted, no two alike:
///
///     1 byte  tag: 0x20
///     list    generations: signed number, latest write's stamp
///     list    registers: register, list of heads (at least one)
///     list    deletes: write, signed generation, flags (1 settled, 2 brought in, 4 named)
///     list    awaited commits: hash, flags (1 settled), list of registers that are replaced
///     list    origins: hash
///
/// A register is a signed generation and 0 for the whole or 1 and the counted key. A write is a hash, the
/// committer, a stamp and a signed wall time. A head is a write and flags (1 settled, 2 brought in, 4 named,
/// 8 resolution, 16 has a value), the value counted. Brought in: the writer's device follows the flags where
/// it is not the committer; named: so does its counted name.
extension KeyedState {
  private static let tag: UInt8 = 0x20

  public func encode() -> [UInt8] {
    var writer = StateWriter()
    writer.byte(Self.tag)
    writer.list(latestWrites.sorted { $0.key < $1.key }) { writer, entry in
      writer.signed(entry.key)
      writer.stamp(entry.value)
    }
    writer.list(registers) { writer, entry in
      writer.register(entry.register)
      writer.list(entry.heads) { $0.head($1) }
    }
    writer.list(deletes) { $0.deletion($1) }
    writer.list(awaited.sorted { $0.key < $1.key }) { writer, entry in
      writer.digest(entry.key)
      writer.byte(entry.value.isSettled ? Flags.settled : 0)
      writer.list(entry.value.replacedIn.sorted()) { $0.register($1) }
    }
    writer.list(origins.sorted()) { $0.digest($1) }
    return writer.bytes
  }

  public init(decoding bytes: ArraySlice<UInt8>) throws(StateDecodingError) {
    self = try bytes.reading { reader throws(StateDecodingError) in try KeyedState(&reader) }
  }

  public init(decoding bytes: [UInt8]) throws(StateDecodingError) {
    try self.init(decoding: bytes[...])
  }

  private init(_ reader: inout StateReader) throws(StateDecodingError) {
    guard try reader.byte() == Self.tag else { throw .malformed(at: 0) }
    for (generation, stamp) in try reader.list(
      { reader throws(StateDecodingError) in
        (try reader.signed(), try reader.stamp())
      }, by: { $0.0 < $1.0 })
    {
      latestWrites[generation] = stamp
    }
    registers = try reader.list(
      { reader throws(StateDecodingError) in try reader.registerHeads() },
      by: { $0.register < $1.register })
    deletes = try reader.list(
      { reader throws(StateDecodingError) in try reader.deletion() }, by: { $0.commit < $1.commit })
    for (commit, said) in try reader.list(
      { reader throws(StateDecodingError) in
        (try reader.digest(), try reader.awaited())
      }, by: { $0.0 < $1.0 })
    {
      awaited[commit] = said
    }
    origins = Set(
      try reader.list({ reader throws(StateDecodingError) in try reader.digest() }, by: { $0 < $1 }))
    try reader.finish()
  }
}

private enum Flags {
  static let settled: UInt8 = 1
  static let broughtIn: UInt8 = 2
  static let named: UInt8 = 4
  static let resolution: UInt8 = 8
  static let hasValue: UInt8 = 16
}

extension StateWriter {
  fileprivate mutating func list<Item>(_ items: [Item], _ write: (inout StateWriter, Item) -> Void) {
    count(items.count)
    for item in items { write(&self, item) }
  }

  fileprivate mutating func register(_ register: Register) {
    signed(register.generation)
    switch register.key {
    case .whole: byte(0)
    case .key(let key):
      byte(1)
      counted(key)
    }
  }

  private mutating func write(
    _ commit: Digest, _ committer: DeviceID, _ stamp: Stamp, _ writer: Writer, flags: UInt8
  ) {
    digest(commit)
    device(committer)
    self.stamp(stamp)
    signed(writer.time)
    let isBroughtIn = writer.device != committer
    byte(
      flags | (isBroughtIn ? Flags.broughtIn : 0) | (writer.deviceName != nil ? Flags.named : 0))
    if isBroughtIn { device(writer.device) }
    if let name = writer.deviceName { counted(name) }
  }

  fileprivate mutating func head(_ head: RegisterHead) {
    let flags =
      (head.isSettled ? Flags.settled : 0) | (head.isResolution ? Flags.resolution : 0)
      | (head.value != nil ? Flags.hasValue : 0)
    write(head.commit, head.committer, head.stamp, head.writer, flags: flags)
    if let value = head.value { counted(value) }
  }

  fileprivate mutating func deletion(_ deletion: Deletion) {
    let flags = deletion.isSettled ? Flags.settled : 0
    write(deletion.commit, deletion.committer, deletion.stamp, deletion.writer, flags: flags)
    signed(deletion.generation)
  }
}

extension StateReader {
  /// Reads a list whose items must rise strictly, as the encoder sorts them.
  fileprivate mutating func list<Item>(
    _ read: (inout StateReader) throws(StateDecodingError) -> Item, by rises: (Item, Item) -> Bool
  ) throws(StateDecodingError) -> [Item] {
    var items: [Item] = []
    for _ in 0..<(try count()) {
      let item = try read(&self)
      if let last = items.last, !rises(last, item) { throw malformed }
      items.append(item)
    }
    return items
  }

  fileprivate mutating func register() throws(StateDecodingError) -> Register {
    let generation = try signed()
    switch try byte() {
    case 0: return Register(generation: generation, key: .whole)
    case 1: return Register(generation: generation, key: .key(try counted()))
    default: throw malformed
    }
  }

  fileprivate mutating func registerHeads() throws(StateDecodingError) -> RegisterHeads {
    let register = try register()
    let heads = try list(
      { reader throws(StateDecodingError) in try reader.head() }, by: { $0.commit < $1.commit })
    guard !heads.isEmpty else { throw malformed }
    return RegisterHeads(register: register, heads: heads)
  }

  fileprivate mutating func awaited() throws(StateDecodingError) -> KeyedState.Awaited {
    let flags = try byte()
    guard flags & ~Flags.settled == 0 else { throw malformed }
    let registers = try list(
      { reader throws(StateDecodingError) in try reader.register() }, by: { $0 < $1 })
    guard flags != 0 || !registers.isEmpty else { throw malformed }
    return KeyedState.Awaited(replacedIn: Set(registers), isSettled: flags != 0)
  }

  private typealias Write = (
    commit: Digest, committer: DeviceID, stamp: Stamp, writer: Writer, flags: UInt8
  )

  private mutating func write(allowing allowed: UInt8) throws(StateDecodingError) -> Write {
    let commit = try digest()
    let committer = try device()
    let stamp = try stamp()
    let time = try signed()
    let flags = try byte()
    guard flags & ~(allowed | Flags.broughtIn | Flags.named) == 0 else { throw malformed }
    let isBroughtIn = flags & Flags.broughtIn != 0
    let device = isBroughtIn ? try device() : committer
    if isBroughtIn, device == committer { throw malformed }
    let name = flags & Flags.named != 0 ? try counted() : nil
    return (commit, committer, stamp, Writer(device: device, deviceName: name, time: time), flags)
  }

  fileprivate mutating func head() throws(StateDecodingError) -> RegisterHead {
    let write = try write(allowing: Flags.settled | Flags.resolution | Flags.hasValue)
    let value = write.flags & Flags.hasValue != 0 ? try counted() : nil
    return RegisterHead(
      commit: write.commit, committer: write.committer, writer: write.writer, stamp: write.stamp,
      value: value, isResolution: write.flags & Flags.resolution != 0,
      isSettled: write.flags & Flags.settled != 0)
  }

  fileprivate mutating func deletion() throws(StateDecodingError) -> Deletion {
    let write = try write(allowing: Flags.settled)
    return Deletion(
      commit: write.commit, committer: write.committer, writer: write.writer, generation: try signed(),
      stamp: write.stamp, isSettled: write.flags & Flags.settled != 0)
  }
}
