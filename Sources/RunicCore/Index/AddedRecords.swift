/// The records of histories that a merge brought. There may be millions: the first are named, all are counted.
struct AddedRecords {
  /// How many are named.
  static let limit = 1000

  private(set) var names: Set<RecordName> = []
  private var others = 0

  /// Those beyond the limit count as often as they came.
  var count: Int { names.count + others }

  mutating func note(_ name: RecordName) {
    if names.count < Self.limit {
      names.insert(name)
    } else {
      others &+= 1
    }
  }
}
