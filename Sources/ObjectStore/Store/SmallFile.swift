import CanonicalJSON

extension JSONObject {
  /// What a small file of the tree says: one object, of the format that this program knows (`docs/format.md`).
  ///
  /// - Throws: `FormatError.length`, `.magic` for what is no such object, `.newerFormat`, `.content`.
  init(smallFile bytes: [UInt8]) throws(FormatError) {
    guard bytes.count <= Limits.smallFile else { throw .length }
    guard let object = (try? JSONValue.parse(bytes.withoutLineFeed))?.objectValue,
      let format = object["format"]?.intValue
    else { throw .magic }
    let version = Int64(SealedHeader.formatVersion)
    guard format <= version else { throw .newerFormat(Int(clamping: format)) }
    guard format == version else { throw .content("format") }
    self = object
  }
}
