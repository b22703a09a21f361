import CanonicalJSON

extension JSONValue {
  /// A list of strings; nil where it is anything else.
  var textsValue: [String]? {
    guard let list = arrayValue else { return nil }
    let texts = list.compactMap(\.textValue)
    return texts.count == list.count ? texts : nil
  }

  var timeValue: Timestamp? { textValue.flatMap { Timestamp($0) } }
}
