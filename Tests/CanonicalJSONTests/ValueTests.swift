import CanonicalJSON
import Testing

@Suite struct ValueTests {
  @Test func literalsAndAccessorsAgree() {
    let value: JSONValue = ["list": [1, 2.5, "x", .null, true], "map": ["b": 1, "a": 2], "one": 1.0]
    #expect(
      String(decoding: value.canonicalBytes, as: UTF8.self)
        == #"{"list":[1,2.5,"x",null,true],"map":{"a":2,"b":1},"one":1}"#)
    #expect(value["list"]?.arrayValue?.count == 5)
    #expect(value["list"]?.arrayValue?[1].doubleValue == 2.5)
    #expect(value["list"]?.arrayValue?[2].stringValue == "x")
    #expect(value["list"]?.arrayValue?[3].isNull == true)
    #expect(value["list"]?.arrayValue?[4].boolValue == true)
    #expect(value["map"]?["a"]?.intValue == 2)
    #expect(value["one"] == 1)
    #expect(value["none"] == nil)
    #expect(value["map"]?.stringValue == nil)
  }

  @Test func objectsKeepOrderAndOneValueAKey() {
    var object = JSONObject()
    for key in ["m", "z", "a", "m", "\u{E000}", "😂"] as [JSONString] { object[key] = .string(key) }
    object["m"] = 1
    #expect(object.map(\.key) == ["a", "m", "z", "😂", "\u{E000}"])
    #expect(object["m"] == 1)
    object["a"] = nil
    object["absent"] = nil
    #expect(object.count == 4)
    #expect(object.first?.key == "m")
    #expect(object == JSONObject(object.reversed().map { (key: $0.key, value: $0.value) }))
  }

  @Test func stringsTakeOnlyUTF8() {
    #expect(JSONString(utf8: Array("aé€😂".utf8)) == "aé€😂")
    #expect(JSONString(utf8: [0x61, 0xC3]) == nil)
    #expect(JSONString(utf8: [0xED, 0xA0, 0x80]) == nil)
    #expect(JSONString(utf8: [])?.string == "")
  }

  @Test func positionsOfASliceCountFromItsStart() {
    let bytes = Array("xx[1,]".utf8)
    #expect(throws: JSONError(position: 3, reason: .unexpectedByte)) { try JSONValue.parse(bytes[2...]) }
  }
}
