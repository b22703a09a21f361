import ObjectStore

/// Lines from outside, gathered to the end before anybody takes the repository's lock for them: a slow writer at
/// the other end of a pipe keeps no one waiting. What does not fit in memory goes to a private file that is gone
/// afterwards.
///
/// A file is not gathered but read as the lines are asked for.
struct InputLines: ~Copyable {
  /// How much is kept in memory.
  private static let memoryLimit = 4 << 20
  private static let pieceSize = 256 << 10

  /// How long a line may be, in bytes.
  let lineLimit: Int
  private var memory: [UInt8] = []
  private var overflow: Overflow?
  private var length: Int64 = 0
  private var source: FileInput?
  private let progress: (@Sendable (Progress) -> Void)?

  /// How many lines pass between two reports.
  private static let reportInterval = 1000

  private struct Overflow: ~Copyable {
    let file: OpenFile
    let folder: TransferFolder

    init(in repository: Repository) throws {
      let folder = try TransferFolder(in: repository)
      let file = try OpenFile(
        "\(folder.path)/input", .create(permissions: 0o600), in: repository.environment.fileSystem)
      self.folder = folder
      self.file = file
    }
  }

  init(_ input: BatchInput, repository: Repository, lineLimit: Int = Limits.change) throws {
    self.lineLimit = lineLimit
    progress = repository.environment.progress
    switch input {
    case .file(let file): (source, length) = (file, file.length)
    case .stream(let next): try gather(next, repository)
    }
  }

  private mutating func gather(_ next: () throws -> [UInt8]?, _ repository: Repository) throws {
    while let piece = try next() {
      memory += piece
      progress?(Progress(.gathering, bytes: length + Int64(memory.count)))
      if memory.count >= Self.memoryLimit { try spill(repository) }
    }
    if overflow != nil { try spill(repository) }
  }

  private mutating func spill(_ repository: Repository) throws {
    if overflow == nil { overflow = try Overflow(in: repository) }
    try overflow?.file.write(memory, at: length)
    length += Int64(memory.count)
    memory.removeAll(keepingCapacity: true)
  }

  /// Whether there is so much that it pays to make ready for many look-ups.
  var isBulk: Bool { max(length, Int64(memory.count)) >= 256 << 10 }

  private borrowing func piece(at offset: Int64) throws -> [UInt8] {
    if let source { return try source.read(Self.pieceSize, offset) }
    switch overflow {
    case .some(let overflow):
      return try overflow.file.read(Int(min(Int64(Self.pieceSize), length - offset)), at: offset)
    case .none: return offset == 0 ? memory : []
    }
  }

  /// Hands over every line without its line feed, with its number from 1; nil stands for one that is too long.
  borrowing func forEachLine(_ body: (Int, UnsafeRawBufferPointer?) throws -> Void) throws {
    var buffer: [UInt8] = []
    var (begin, offset, number) = (0, Int64(0), 0)
    var isSkipping = false
    while true {
      while let end = Self.lineEnd(buffer, from: begin) {
        number += 1
        if number % Self.reportInterval == 0 {
          progress?(Progress(.recording, done: Int64(number), bytes: offset))
        }
        try hand(buffer, begin..<end, number, isSkipping, body)
        (begin, isSkipping) = (end + 1, false)
      }
      if buffer.count - begin > lineLimit { (begin, isSkipping) = (buffer.count, true) }
      let next = try piece(at: offset)
      if next.isEmpty { break }
      buffer.removeSubrange(..<begin)
      begin = 0
      buffer += next
      offset += Int64(next.count)
    }
    if begin < buffer.count || isSkipping {
      try hand(buffer, begin..<buffer.count, number + 1, isSkipping, body)
    }
  }

  private static func lineEnd(_ buffer: [UInt8], from begin: Int) -> Int? {
    buffer.withUnsafeBytes { $0.firstOffset(of: UInt8(ascii: "\n"), from: begin) }
  }

  private func hand(
    _ buffer: [UInt8], _ line: Range<Int>, _ number: Int, _ isCut: Bool,
    _ body: (Int, UnsafeRawBufferPointer?) throws -> Void
  ) throws {
    try buffer.withUnsafeBytes { bytes in
      let isTooLong = isCut || line.count > lineLimit
      try body(number, isTooLong ? nil : UnsafeRawBufferPointer(rebasing: bytes[line]))
    }
  }
}

extension Repository {
  /// A step of writing that looks up and adds as many records as the lines say; what a long one leaves
  /// unsorted in the index is put in order after it.
  func write<Result>(
    _ lines: borrowing InputLines, _ body: (Transaction, borrowing InputLines) throws -> Result
  ) throws -> Result {
    let isBulk = lines.isBulk
    return try write { transaction in
      if isBulk {
        try transaction.index.table.prepareForBulk()
        transaction.maintainsIndex = true
      }
      return try body(transaction, lines)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a line holds nothing but white space.
  var isBlankLine: Bool { allSatisfy { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D } }
}
