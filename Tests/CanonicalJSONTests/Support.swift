import CanonicalJSON
// Only `Bundle` and `Data` know where the test data lies.
import Foundation
import Testing

enum Fixture {
  static func bytes(_ path: String) throws -> [UInt8] {
    let url = try #require(Bundle.module.resourceURL).appendingPathComponent("Fixtures/" + path)
    return Array(try Data(contentsOf: url))
  }
}

/// What a text must give: its canonical form or why and where it is refused.
enum Outcome: Equatable, CustomStringConvertible {
  case canonical(String)
  case refused(JSONError.Reason, at: Int)

  var description: String {
    switch self {
    case .canonical(let text): text
    case .refused(let reason, let position): "\(reason) at \(position)"
    }
  }
}

func canonicalized(_ text: [UInt8], maximumNesting: Int = JSONLimits.nesting) -> Result<[UInt8], JSONError> {
  var canonicalizer = Canonicalizer(maximumNesting: maximumNesting)
  // A mark before the output shows that nothing but appending happens.
  var output: [UInt8] = [0xAA]
  do throws(JSONError) {
    try text.withUnsafeBufferPointer { bytes throws(JSONError) in
      try canonicalizer.canonicalize(UnsafeRawBufferPointer(bytes), into: &output)
    }
  } catch {
    #expect(output == [0xAA])
    return .failure(error)
  }
  #expect(output.first == 0xAA)
  return .success(Array(output.dropFirst()))
}

func outcome(_ text: [UInt8], maximumNesting: Int = JSONLimits.nesting) -> Outcome {
  switch canonicalized(text, maximumNesting: maximumNesting) {
  case .success(let bytes): .canonical(String(decoding: bytes, as: UTF8.self))
  case .failure(let error): .refused(error.reason, at: error.position)
  }
}

func outcome(_ text: String) -> Outcome { outcome(Array(text.utf8)) }

func canonicalError(_ text: [UInt8]) -> JSONError? {
  text.withUnsafeBytes { Canonicalizer.isCanonical($0) }
}
