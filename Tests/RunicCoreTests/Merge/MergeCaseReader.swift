import ObjectStore
import Testing

@testable import RunicCore

/// What the model's program prints: JSON without escapes, of strings, integers, null, arrays and objects.
indirect enum CaseValue: Equatable {
  case null
  case integer(Int64)
  case string(String)
  case array([CaseValue])
  case object([(String, CaseValue)])

  static func == (a: CaseValue, b: CaseValue) -> Bool {
    switch (a, b) {
    case (.null, .null): true
    case (.integer(let a), .integer(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)): a.map(\.0) == b.map(\.0) && a.map(\.1) == b.map(\.1)
    default: false
    }
  }

  var members: [(String, CaseValue)] { if case .object(let members) = self { members } else { [] } }
  var items: [CaseValue] { if case .array(let items) = self { items } else { [] } }
  var text: String? { if case .string(let text) = self { text } else { nil } }
  var number: Int64 { if case .integer(let number) = self { number } else { 0 } }
  subscript(name: String) -> CaseValue { members.first { $0.0 == name }?.1 ?? .null }
}

struct CaseReader {
  struct Unexpected: Error { let offset: Int }

  private let bytes: ArraySlice<UInt8>
  private var offset: Int

  static func read(_ line: ArraySlice<UInt8>) throws -> CaseValue {
    var reader = CaseReader(bytes: line, offset: line.startIndex)
    let value = try reader.value()
    guard reader.offset == line.endIndex else { throw Unexpected(offset: reader.offset) }
    return value
  }

  private mutating func next() throws -> UInt8 {
    while offset < bytes.endIndex, bytes[offset] == UInt8(ascii: " ") { offset += 1 }
    guard offset < bytes.endIndex else { throw Unexpected(offset: offset) }
    defer { offset += 1 }
    return bytes[offset]
  }

  private mutating func value() throws -> CaseValue {
    switch try next() {
    case UInt8(ascii: "n"):
      offset += "ull".utf8.count
      return .null
    case UInt8(ascii: "\""): return .string(try stringRest())
    case UInt8(ascii: "["):
      return .array(try list(until: UInt8(ascii: "]")) { try $0.value() })
    case UInt8(ascii: "{"):
      let members = try list(until: UInt8(ascii: "}")) { reader in
        guard let name = try reader.value().text, try reader.next() == UInt8(ascii: ":") else {
          throw Unexpected(offset: reader.offset)
        }
        return (name, try reader.value())
      }
      return .object(members)
    case let first:
      let rest = bytes[offset...].prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
      offset += rest.count
      guard let number = Int64(String(decoding: [first] + rest, as: UTF8.self)) else {
        throw Unexpected(offset: offset)
      }
      return .integer(number)
    }
  }

  private mutating func stringRest() throws -> String {
    let text = bytes[offset...].prefix { $0 != UInt8(ascii: "\"") }
    offset += text.count + 1
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func list<Item>(
    until end: UInt8, _ item: (inout CaseReader) throws -> Item
  ) throws -> [Item] {
    var items: [Item] = []
    if try next() == end { return [] }
    offset -= 1
    while true {
      items.append(try item(&self))
      switch try next() {
      case UInt8(ascii: ","): continue
      case end: return items
      default: throw Unexpected(offset: offset)
      }
    }
  }
}

/// The lines of a file in the tests' folder of fixtures.
func fixtureLines(_ name: String, from file: StaticString = #filePath) throws -> [ArraySlice<UInt8>] {
  let folder = "\(file)".split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
  let path = folder.joined(separator: "/") + "/Fixtures/" + name
  let opened = try OpenFile(path, .read, in: PosixFileSystem())
  let content = try opened.read(Int(try opened.length()), at: 0)
  return content.split(separator: UInt8(ascii: "\n"))
}
