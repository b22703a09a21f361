import CanonicalJSON

/// What recording fills in where a payload does not say it.
public struct RecordingFacts: Hashable, Sendable {
  public let time: Timestamp
  public let deviceName: String
  public let platform: String

  public init(time: Timestamp, deviceName: String, platform: String) {
    self.time = time
    self.deviceName = deviceName
    self.platform = platform
  }
}

/// A member to add to the payloads that lack it.
public struct FilledField: Hashable, Sendable {
  let name: JSONString
  /// `"name":value`
  let member: [UInt8]

  /// - Parameter name: of ASCII without anything that JSON escapes.
  init(_ name: JSONString, _ value: String) {
    self.name = name
    var member: [UInt8] = []
    name.write(into: &member)
    member.append(UInt8(ascii: ":"))
    JSONString(value).write(into: &member)
    self.member = member
  }
}

extension Kind {
  /// What is filled into every payload of this kind when it is recorded, in canonical order; made once a batch.
  public func filling(_ facts: RecordingFacts) -> [FilledField] {
    guard name == BuiltInName.usage, family == .history else { return [] }
    return [
      FilledField("deviceName", facts.deviceName), FilledField("platform", facts.platform),
      FilledField("updatedAt", facts.time.text),
    ]
  }

  /// Checks a whole payload and appends it as it is to be stored: known times in UTC, missing fields filled.
  ///
  /// - Parameters:
  ///   - canonical: canonical JSON; a payload that needs no change is copied as a whole.
  ///   - filling: from `filling(_:)`.
  ///   - output: as it was before if the payload is refused.
  /// - Throws: `badPayload`, or `badField` with the field and what is wrong with it.
  /// - Complexity: O(length).
  public func prepare(
    _ canonical: UnsafeRawBufferPointer, filling: [FilledField] = [], into output: inout [UInt8]
  ) throws(RunicError) {
    let places: [JSONFieldPlace]
    do throws(JSONError) { places = try JSONFieldPlace.all(in: canonical) } catch { throw .badPayload(error) }
    var pass = PayloadPass(kind: self, filling: filling)
    try prepare(canonical, places, &pass, into: &output)
  }

  /// The same for a payload whose members are known, with a pass that was made for this kind.
  func prepare(
    _ canonical: UnsafeRawBufferPointer, _ places: [JSONFieldPlace], _ pass: inout PayloadPass,
    into output: inout [UInt8]
  ) throws(RunicError) {
    let start = output.count
    do {
      try pass.run(over: canonical, places, into: &output)
      if !orderRules.isEmpty { try requireOrder(output[start...]) }
    } catch {
      output.removeSubrange(start...)
      throw error
    }
  }

  /// Checks a whole payload and answers it as it is to be stored.
  public func checked(
    _ payload: JSONObject, filling: [FilledField] = []
  ) throws(RunicError) -> JSONObject {
    var output: [UInt8] = []
    let outcome = payload.canonicalBytes.withUnsafeBytes { bytes -> Result<Void, RunicError> in
      do throws(RunicError) {
        return .success(try prepare(bytes, filling: filling, into: &output))
      } catch {
        return .failure(error)
      }
    }
    try outcome.get()
    return try Self.object(output[...])
  }

  /// Checks the value of one field of a patch and answers it as it is to be stored. Rules over several fields
  /// are for the whole payload that results.
  public func checked(_ value: JSONValue, for field: JSONString) throws(RunicError) -> JSONValue {
    guard let rule = self.field(field) else { return value }
    do {
      return try rule.checked(value)
    } catch {
      throw .badField(kind: name, field: field.string, problem: error)
    }
  }

  private func requireOrder(_ payload: ArraySlice<UInt8>) throws(RunicError) {
    guard let broken = warnings(in: try Self.object(payload)).first else { return }
    throw .badField(kind: name, field: broken.lower.string, problem: .rule(broken.name))
  }

  private static func object(_ bytes: ArraySlice<UInt8>) throws(RunicError) -> JSONObject {
    do throws(JSONError) {
      guard let object = try JSONValue.parse(bytes).objectValue else {
        throw JSONError(position: 0, reason: .typeMismatch)
      }
      return object
    } catch {
      throw .badPayload(error)
    }
  }
}

extension FieldRule {
  func checked(_ value: JSONValue) throws(FieldProblem) -> JSONValue {
    let bytes = value.canonicalBytes
    let outcome = bytes.withUnsafeBytes { buffer -> Result<[UInt8]?, FieldProblem> in
      var cursor = JSONCursor(buffer)
      guard let slice = try? cursor.nextValue() else { return .failure(.type(expected: type.name)) }
      do throws(FieldProblem) {
        return .success(try replacement(for: slice))
      } catch {
        return .failure(error)
      }
    }
    guard let replacement = try outcome.get(), let changed = try? JSONValue.parse(replacement)
    else { return value }
    return changed
  }
}
