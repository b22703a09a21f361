import CanonicalJSON

extension FuzzTarget {
  static let jsonTargets = [
    FuzzTarget("json", checkJSON)
  ]

  /// What is taken has one canonical form, which is taken as it is and says the same.
  private static func checkJSON(_ bytes: [UInt8]) throws {
    var canonicalizer = Canonicalizer()
    var canonical: [UInt8] = []
    do { try bytes.withUnsafeBytes { try canonicalizer.canonicalize($0, into: &canonical) } } catch {
      try require(canonical.isEmpty, "a refused text left something behind")
      try require((try? JSONValue.parse(bytes)) == nil, "one parser takes what the other refuses")
      return
    }
    try require(isCanonical(canonical), "the canonical form is not canonical")
    let value = try demand("a taken text is not parsed") { try JSONValue.parse(bytes) }
    try require(value.canonicalBytes == canonical, "the value is written otherwise")
    let again = try demand("the canonical form is not parsed") {
      try canonical.withUnsafeBytes { try JSONValue(canonical: $0) }
    }
    try require(again == value, "the canonical form says something else")
  }

  static func isCanonical(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBytes { Canonicalizer.isCanonical($0) } == nil
  }
}
