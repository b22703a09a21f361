import CanonicalJSON
import ObjectStore

extension ChangeWriter {
  mutating func delete(_ delete: RecordDelete) {
    require(ChangeBounds.deletedGenerations.contains(delete.generation))
    member("delete")
    integer(delete.generation)
    member("id")
    text(delete.id)
    member("kind")
    plain(delete.kind)
    origin(delete.origin)
    commits("settles", delete.settles)
    stamp(delete.stamp)
    end()
  }
}

/// The members of a `delete`.
struct DeleteFields {
  private let generation: Int64
  private var shared = SharedFields()
  private var settles: [Digest] = []

  /// - Parameter cursor: at the value of the first key, `delete`.
  init(
    _ cursor: inout ChangeCursor, _ members: inout JSONCursor.Members, _ kinds: inout KindNames
  ) throws(FormatError) {
    generation = try cursor.generation(in: ChangeBounds.deletedGenerations)
    while let key = try cursor.nextKey(in: &members) {
      switch key {
      case "settles": settles = try cursor.commits()
      default: try shared.read(key, &cursor, &kinds)
      }
    }
  }

  func change() throws(FormatError) -> RecordDelete {
    RecordDelete(
      kind: try shared.kind(), id: try shared.requiredID(), generation: generation, settles: settles,
      stamp: shared.stamp, origin: shared.origin)
  }
}
