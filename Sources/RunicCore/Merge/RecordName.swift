/// How a kind merges. The family is part of a record's name: a history `x` and a keyed `x` are two things.
public enum Family: UInt8, Hashable, Comparable, Sendable, CaseIterable {
  case history = 0
  case keys = 1

  public static func < (a: Family, b: Family) -> Bool { a.rawValue < b.rawValue }
}

/// What one record is called.
public struct RecordName: Hashable, Comparable, Sendable {
  public let family: Family
  /// `[a-z][a-z0-9-]{0,63}`, as the commit's reader has checked.
  public let kind: String
  /// 1 to 256 bytes, compared as bytes.
  public let id: [UInt8]

  public init(family: Family, kind: String, id: [UInt8]) {
    self.family = family
    self.kind = kind
    self.id = id
  }

  /// By kind, then family, then the id's bytes.
  public static func < (a: RecordName, b: RecordName) -> Bool {
    if a.kind != b.kind { return a.kind.utf8.lexicographicallyPrecedes(b.kind.utf8) }
    if a.family != b.family { return a.family < b.family }
    return a.id.lexicographicallyPrecedes(b.id)
  }
}

/// A part of a keyed record that is written and merged on its own.
public enum RegisterKey: Hashable, Comparable, Sendable {
  /// The whole payload, of a kind that is declared last-writer-wins.
  case whole
  /// One key of the payload, as the UTF-8 bytes of the key itself (not of its JSON string).
  case key([UInt8])

  /// `whole` first, then as RFC 8785 sorts keys: by UTF-16 code units.
  public static func < (a: RegisterKey, b: RegisterKey) -> Bool {
    switch (a, b) {
    case (.whole, .whole), (.key, .whole): false
    case (.whole, .key): true
    case (.key(let a), .key(let b)):
      a.lazy.map(utf16Weight).lexicographicallyPrecedes(b.lazy.map(utf16Weight))
    }
  }
}

/// UTF-8 sorts by code point. UTF-16 differs in one thing: what needs a surrogate pair (lead bytes F0 to F4)
/// stands before U+E000 to U+FFFF (lead bytes EE and EF; ED only leads what lies below the surrogates).
private func utf16Weight(_ byte: UInt8) -> UInt8 {
  byte == 0xEE || byte == 0xEF ? byte &+ 0x10 : byte
}
