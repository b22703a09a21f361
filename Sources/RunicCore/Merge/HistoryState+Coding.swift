import ObjectStore

/// The form in the index, one for each state:
///
///     1 byte    tag: 0x10, + 0x08 with a device name, + the number of integers in the rank (0 to 4)
///     signed    each integer of the rank, the last one not 0
///     signed    wall time of the `add` shown
///     16 bytes  its device
///     8 bytes   its stamp
///     counted   the device's name, where the tag says so
///     the rest  payload
extension HistoryState {
  private static let tag: UInt8 = 0x10
  private static let tagMask: UInt8 = 0xF0
  private static let nameFlag: UInt8 = 0x08
  private static let rankMask: UInt8 = 0x07
  /// What stands before a payload without a rank and without a name.
  private static let usualHeader = 40

  public func encode() -> [UInt8] {
    var writer = StateWriter()
    writer.reserve(Self.usualHeader + payload.count)
    encode(to: &writer)
    return writer.bytes
  }

  func encode(to writer: inout StateWriter) {
    let values = rank.values
    let name = added.writer.deviceName
    writer.byte(Self.tag | (name == nil ? 0 : Self.nameFlag) | UInt8(values.count))
    for value in values { writer.signed(value) }
    writer.signed(added.writer.time)
    writer.device(added.writer.device)
    writer.stamp(added.stamp)
    if let name { writer.counted(name) }
    writer.raw(payload)
  }

  /// Reads a state; its payload stays a slice of `bytes`. O(1) but for the name.
  public init(decoding bytes: ArraySlice<UInt8>) throws(StateDecodingError) {
    let header = try bytes.reading { reader throws(StateDecodingError) in try Header(&reader) }
    self.init(
      rank: header.rank, payload: bytes.dropFirst(header.payloadOffset), added: header.added)
  }

  public init(decoding bytes: [UInt8]) throws(StateDecodingError) {
    try self.init(decoding: bytes[...])
  }

  /// All but the payload, for readers that walk over many states in place.
  public struct Header: Hashable, Sendable {
    public let rank: Rank
    public let added: Added
    /// Where the payload begins; it goes to the end of the bytes.
    public let payloadOffset: Int

    public init(decoding bytes: UnsafeRawBufferPointer) throws(StateDecodingError) {
      var reader = StateReader(bytes)
      try self.init(&reader)
    }

    fileprivate init(_ reader: inout StateReader) throws(StateDecodingError) {
      let tag = try reader.byte()
      guard tag & HistoryState.tagMask == HistoryState.tag else { throw .malformed(at: 0) }
      rank = try Self.rank(count: Int(tag & HistoryState.rankMask), &reader)
      let time = try reader.signed()
      let device = try reader.device()
      let stamp = try reader.stamp()
      let name = tag & HistoryState.nameFlag == 0 ? nil : try reader.counted()
      added = Added(writer: Writer(device: device, deviceName: name, time: time), stamp: stamp)
      payloadOffset = reader.offset
    }

    private static func rank(count: Int, _ reader: inout StateReader) throws(StateDecodingError) -> Rank {
      guard count > 0 else { return .zero }
      guard count <= Rank.maximumCount else { throw reader.malformed }
      var values: [Int64] = []
      for _ in 0..<count { values.append(try reader.signed()) }
      guard values.last != 0, let rank = Rank(values) else { throw reader.malformed }
      return rank
    }
  }
}

extension ArraySlice<UInt8> {
  /// Lends the bytes to a reader; the error keeps its type, which `withUnsafeBytes` alone would lose.
  func reading<Value>(
    _ body: (inout StateReader) throws(StateDecodingError) -> Value
  ) throws(StateDecodingError) -> Value {
    let outcome = withUnsafeBytes { buffer -> Result<Value, StateDecodingError> in
      var reader = StateReader(buffer)
      do throws(StateDecodingError) {
        return .success(try body(&reader))
      } catch {
        return .failure(error)
      }
    }
    return try outcome.get()
  }
}
