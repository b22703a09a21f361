import CanonicalJSON
import ObjectStore

/// Some lines of a history, and what became of them: checked, canonical, with their ids. What of recording needs
/// nothing but the line itself, so another thread can do it ahead.
///
/// Memory: the lines twice.
// One thread at a time touches it: who gathers, who prepares, who records; each hands it on.
final class LineChunk: @unchecked Sendable {
  /// How many bytes are worth handing to another thread at once.
  private static let size = 128 << 10

  /// A line made ready to be recorded.
  struct Add {
    let payload: ArraySlice<UInt8>
    let id: NaturalID
  }

  /// Lines without their line feeds, one behind the other.
  private var gathered: [UInt8] = []
  private var lines: [Line] = []
  private var payloads: [UInt8] = []
  private var prepared: [Prepared] = []

  private struct Line {
    let number: Int
    /// Nil for one that is too long.
    let place: Range<Int>?
  }

  private struct Prepared {
    let number: Int
    let add: Result<(place: Range<Int>, id: NaturalID), RunicError>
  }

  var isEmpty: Bool { lines.isEmpty }
  var isFull: Bool { gathered.count >= Self.size }

  /// - Parameter line: nil for one that is too long.
  func gather(_ line: UnsafeRawBufferPointer?, _ number: Int) {
    guard let line else { return lines.append(Line(number: number, place: nil)) }
    let start = gathered.count
    gathered.append(contentsOf: line)
    lines.append(Line(number: number, place: start..<gathered.count))
  }

  /// Makes every line ready, or finds out what is wrong with it.
  func prepare(_ kind: Kind, _ filling: [FilledField]) {
    var preparing = LinePreparing(kind: kind, filling: filling)
    payloads.reserveCapacity(gathered.count + gathered.count / 8)
    prepared.reserveCapacity(lines.count)
    gathered.withUnsafeBytes { bytes in
      for line in lines {
        let text = line.place.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }
        do throws(RunicError) {
          let made = try preparing.append(text, to: &payloads)
          prepared.append(Prepared(number: line.number, add: .success(made)))
        } catch {
          prepared.append(Prepared(number: line.number, add: .failure(error)))
        }
      }
    }
  }

  /// Hands over the lines in their order.
  func forEachAdd(_ body: (Int, Result<Add, RunicError>) throws -> Void) rethrows {
    for line in prepared {
      try body(line.number, line.add.map { Add(payload: payloads[$0.place], id: $0.id) })
    }
  }
}

/// Makes one line after the other ready, with scratch memory that it keeps.
private struct LinePreparing: ~Copyable {
  let kind: Kind
  private var pass: PayloadPass
  private var canonicalizer = Canonicalizer()
  private var fingerprinter = Fingerprinter()
  private var canonical: [UInt8] = []
  private var places: [JSONFieldPlace] = []

  init(kind: Kind, filling: [FilledField]) {
    self.kind = kind
    pass = PayloadPass(kind: kind, filling: filling)
  }

  mutating func append(
    _ line: UnsafeRawBufferPointer?, to payloads: inout [UInt8]
  ) throws(RunicError) -> (place: Range<Int>, id: NaturalID) {
    guard let line else { throw RunicError.tooLarge(what: "line", limit: Limits.change) }
    canonical.removeAll(keepingCapacity: true)
    do throws(JSONError) {
      try canonicalizer.canonicalize(line, into: &canonical, fields: &places)
    } catch {
      throw RunicError.badPayload(error)
    }
    let start = payloads.count
    try kind.prepare(canonical, places, &pass, into: &payloads)
    return (start..<payloads.count, try kind.naturalID(of: payloads[start...], using: &fingerprinter))
  }
}

extension Kind {
  /// The same for bytes that stand in an array; the error keeps its type.
  fileprivate func prepare(
    _ canonical: [UInt8], _ places: [JSONFieldPlace], _ pass: inout PayloadPass, into output: inout [UInt8]
  ) throws(RunicError) {
    var failure: RunicError?
    canonical.withUnsafeBytes { bytes in
      do throws(RunicError) { try prepare(bytes, places, &pass, into: &output) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
