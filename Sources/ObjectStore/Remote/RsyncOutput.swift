/// A thing that rsync was about, as its `--out-format` says it: eleven characters, the length, the path.
struct RsyncItem: Equatable {
  enum Step: Equatable {
    /// It was there already.
    case kept
    /// It was sent, fetched or made.
    case moved
    case deleted
  }

  let step: Step
  let type: FileType
  /// Length in bytes.
  let length: Int64
  /// Below the root, without a slash at the end. Foreign text.
  let path: String

  /// `%i`: what is done, the type, what changed; `%l`: the length; `%n`: the path.
  static let format = "%i %l %n"

  /// Reads a line; nil for one of rsync's other lines.
  init?(line: ArraySlice<UInt8>) {
    guard line.count > 13, let first = line.first else { return nil }
    let rest = line.dropFirst(11).drop { $0 == 0x20 }
    let digits = rest.prefix { (0x30...0x39).contains($0) }
    guard let length = Int64(String(decoding: digits, as: UTF8.self)),
      rest.dropFirst(digits.count).first == 0x20
    else { return nil }
    var name = RsyncItem.unescape(rest.dropFirst(digits.count + 1))
    while name.count > 1, name.last == UInt8(ascii: "/") { name.removeLast() }
    guard !name.isEmpty else { return nil }
    switch first {
    case UInt8(ascii: "."): step = .kept
    case UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "c"), UInt8(ascii: "h"): step = .moved
    case UInt8(ascii: "*"): step = .deleted
    default: return nil
    }
    switch line.dropFirst().first {
    case UInt8(ascii: "f"): type = .file
    case UInt8(ascii: "d"): type = step == .deleted ? .other : .directory
    case UInt8(ascii: "L"): type = .symbolicLink
    default: type = .other
    }
    self.length = length
    path = String(decoding: name, as: UTF8.self)
  }

  /// rsync writes what cannot be printed as `\#` and three octal digits.
  private static func unescape(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      let digits = rest.dropFirst().prefix(3)
      if byte == UInt8(ascii: "\\"), rest.first == UInt8(ascii: "#"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        result.append(value)
        rest = rest.dropFirst(4)
      } else {
        result.append(byte)
      }
    }
    return result
  }
}

/// The items among rsync's lines, as they come.
struct RsyncOutput {
  /// Options with which rsync says about once a second how far the whole run is: rsync(1), `--info=progress2`.
  static let progress = ["--info=progress2", "--no-h"]

  private var partial: [UInt8] = []
  /// The bytes that are over, as far as rsync was asked to say so.
  private(set) var transferred: Int64 = 0

  /// Takes a piece of output and hands on the items whose lines it completes.
  mutating func take(_ piece: ArraySlice<UInt8>, _ body: (RsyncItem) -> Void) {
    var rest = piece
    while let end = rest.firstIndex(of: 0x0a) {
      partial += rest[..<end]
      takeProgress()
      if let item = RsyncItem(line: partial[...]) { body(item) }
      partial.removeAll(keepingCapacity: true)
      rest = rest[(end + 1)...]
    }
    partial += rest
    takeProgress()
  }

  /// Reads "\r   1641732  36%  39.14MB/s …", which replaces the one before it on a terminal, and ends with no newline.
  private mutating func takeProgress() {
    guard let start = partial.lastIndex(of: 0x0d) else { return }
    let line = partial[(start + 1)...].drop { $0 == 0x20 }
    let digits = line.prefix { (0x30...0x39).contains($0) }
    guard line.contains(UInt8(ascii: "%")), let bytes = Int64(String(decoding: digits, as: UTF8.self)) else {
      return
    }
    transferred = bytes
    partial.removeSubrange(..<start)
  }

  static func items(_ output: [UInt8]) -> [RsyncItem] {
    output.split(separator: 0x0a).compactMap(RsyncItem.init(line:))
  }
}
