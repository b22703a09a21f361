import CanonicalJSON
import ObjectStore

/// Writes one change; the members are called in canonical order.
struct ChangeWriter {
  private(set) var output: [UInt8]
  /// Whether a reader would refuse some of it; then the output is of no use.
  private(set) var isMalformed = false
  /// What a reader would refuse of a payload or value.
  private(set) var fault: JSONError?
  private var separator = UInt8(ascii: "{")

  init(output: consuming [UInt8]) {
    self.output = output
  }

  mutating func require(_ isGood: Bool) {
    if !isGood { isMalformed = true }
  }

  // MARK: Members

  mutating func member(_ name: StaticString) {
    output.append(separator)
    separator = UInt8(ascii: ",")
    output.append(UInt8(ascii: "\""))
    output.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    output.append(UInt8(ascii: "\""))
    output.append(UInt8(ascii: ":"))
  }

  mutating func end() { output.append(UInt8(ascii: "}")) }

  /// Writes an object inside the one that is being written.
  mutating func nested(_ body: (inout ChangeWriter) -> Void) {
    separator = UInt8(ascii: "{")
    body(&self)
    end()
    separator = UInt8(ascii: ",")
  }

  mutating func key(_ key: [UInt8]) {
    output.append(separator)
    separator = UInt8(ascii: ",")
    text(key)
    output.append(UInt8(ascii: ":"))
  }

  // MARK: Values

  mutating func raw(_ bytes: some Collection<UInt8>) { output.append(contentsOf: bytes) }

  /// Writes a payload or value, which stands in as many arrays and objects of the change.
  mutating func json(_ bytes: UnsafeRawBufferPointer, inside depth: Int) {
    do throws(JSONError) {
      try JSONLimits.requireNesting(of: bytes, atMost: ChangeCodec.nesting - depth)
    } catch { fault = error }
    raw(bytes)
  }

  mutating func integer(_ value: Int64) { output.append(contentsOf: "\(value)".utf8) }

  mutating func text(_ utf8: [UInt8]) {
    let string = JSONString(utf8: utf8)
    require(string != nil)
    string?.write(into: &output)
  }

  /// A text that needs no escapes.
  mutating func plain(_ text: String) {
    output.append(UInt8(ascii: "\""))
    output.append(contentsOf: text.utf8)
    output.append(UInt8(ascii: "\""))
  }

  mutating func hex(_ value: some FixedBytes) {
    output.append(UInt8(ascii: "\""))
    value.appendHex(to: &output)
    output.append(UInt8(ascii: "\""))
  }

  mutating func list<Element>(_ elements: [Element], _ write: (inout ChangeWriter, Element) -> Void) {
    output.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { output.append(UInt8(ascii: ",")) }
      write(&self, element)
    }
    output.append(UInt8(ascii: "]"))
  }

  /// A list of commits under a name, where there are any.
  mutating func commits(_ name: StaticString, _ commits: [Digest]) {
    guard !commits.isEmpty else { return }
    member(name)
    list(Self.ascending(commits)) { $0.hex($1) }
  }

  /// The one order in which a set of commits is written.
  static func ascending(_ commits: [Digest]) -> [Digest] {
    let isAscending = zip(commits, commits.dropFirst()).allSatisfy { $0 < $1 }
    return isAscending ? commits : Set(commits).sorted()
  }
}
