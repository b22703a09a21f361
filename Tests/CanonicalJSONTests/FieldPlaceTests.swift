import CanonicalJSON
import Testing

/// Where the members of what was canonicalized lie.
@Suite struct FieldPlaceTests {
  private func places(_ text: String) throws -> (output: [UInt8], places: [JSONFieldPlace]) {
    var canonicalizer = Canonicalizer()
    var output = Array("kept".utf8)
    // What was there before counts for nothing.
    var places: [JSONFieldPlace] = try Array(#"{"old":1}"#.utf8).withUnsafeBytes {
      try JSONFieldPlace.all(in: $0)
    }
    try Array(text.utf8).withUnsafeBytes {
      try canonicalizer.canonicalize($0, into: &output, fields: &places)
    }
    #expect(output.starts(with: "kept".utf8))
    return (Array(output.dropFirst(4)), places)
  }

  @Test(arguments: [
    "{}", #"{"a":1}"#, #" { "b" : 2 , "a" : [ {"z":1,"y":{}} , 3 ] } "#,
    #"{"c":{"b":1,"a":2},"a":"x","b":1.50}"#,
    #"{"\u0062":1,"a":"\u0041"}"#, #"{"é":1,"z":2,"":3}"#, #"{"z":null,"y":true,"x":false,"w":-0.5e3}"#,
    #"{"a":{"d":1,"c":{"b":1,"a":{}}}}"#,
  ])
  func theyAreThoseThatAWalkFinds(text: String) throws {
    let (output, found) = try places(text)
    let walked = try output.withUnsafeBytes { try JSONFieldPlace.all(in: $0) }
    #expect(found == walked)
    try output.withUnsafeBytes { bytes in
      var cursor = JSONCursor(bytes)
      var members = try cursor.beginObject()
      for place in found {
        let (field, wanted) = (JSONField(place, in: bytes), try #require(try cursor.nextField(in: &members)))
        #expect(field.key.range == wanted.key.range && field.value.range == wanted.value.range)
        #expect(field.value.type == wanted.value.type)
      }
      #expect(try cursor.nextField(in: &members) == nil)
    }
  }

  @Test(arguments: ["[]", "1", #""a""#, "null", " [ {\"b\":1,\"a\":2} ] ", "true "])
  func whatIsNoObjectIsRefused(text: String) throws {
    #expect(throws: JSONError(position: 0, reason: .typeMismatch)) { try places(text) }
  }

  @Test(arguments: [
    #"{"b":1,"a":2,"b":3}"#, #"{"a":1,"a":2}"#, #"{"b":1,"a":{"d":1,"c":1,"d":1}}"#, "{", #"{"a":01}"#,
  ])
  func whatIsNoJSONIsRefusedAsWithoutPlaces(text: String) throws {
    var canonicalizer = Canonicalizer()
    var output: [UInt8] = []
    let wanted = #expect(throws: JSONError.self) {
      try Array(text.utf8).withUnsafeBytes { try canonicalizer.canonicalize($0, into: &output) }
    }
    let found = #expect(throws: JSONError.self) { try places(text) }
    #expect(found == wanted)
  }
}
