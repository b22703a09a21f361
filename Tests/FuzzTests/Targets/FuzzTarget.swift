/// A parser of foreign bytes, fed with whatever a fuzzer or a test thinks of.
public struct FuzzTarget: Sendable {
  /// As it is typed after `scripts/fuzz`, and the name of its folder of the corpus.
  public let name: String
  /// Takes any bytes. A refusal is as good as an answer; what is taken must keep its laws.
  ///
  /// - Throws: `BrokenLaw`, and nothing else.
  let check: @Sendable ([UInt8]) throws -> Void

  init(_ name: String, _ check: @escaping @Sendable ([UInt8]) throws -> Void) {
    (self.name, self.check) = (name, check)
  }

  public static let all: [FuzzTarget] =
    jsonTargets + sealTargets + treeTargets + changeTargets + importerTargets + privateTargets
    + wordTargets

  public static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

  /// What is wrong with the way these bytes were taken; nil where nothing is.
  public func problem(with bytes: [UInt8]) -> String? {
    do {
      try check(bytes)
      return nil
    } catch { return "\(name): \(error)" }
  }
}

/// Bytes were taken, and then something did not hold that must.
struct BrokenLaw: Error, CustomStringConvertible {
  let description: String
}

func require(_ holds: Bool, _ law: @autoclosure () -> String) throws {
  if !holds { throw BrokenLaw(description: law()) }
}

/// The value of something that must not fail any more, since what it is made of was taken.
func demand<Value>(_ law: String, _ body: () throws -> Value?) throws -> Value {
  do {
    guard let value = try body() else { throw BrokenLaw(description: law) }
    return value
  } catch let error as BrokenLaw { throw error } catch {
    throw BrokenLaw(description: "\(law): \(error)")
  }
}
