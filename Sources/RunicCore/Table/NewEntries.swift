/// What is to become a run: entries in order, from sources of which the newest stands first.
struct NewEntries {
  let sources: [any EntrySource]
  /// The greatest number of entries that may come.
  let capacity: Int
  let byteCount: Int

  /// Nothing may change in memory before they are written.
  init(_ memtable: borrowing Memtable) {
    sources = [memtable.sorted()]
    capacity = memtable.count
    byteCount = memtable.byteCount
  }

  /// A batch over what is in memory already.
  init(_ batch: borrowing Memtable, over memtable: borrowing Memtable) {
    sources = [batch.sorted()] + (memtable.isEmpty ? [] : [memtable.sorted()])
    capacity = batch.count &+ memtable.count
    byteCount = batch.byteCount &+ memtable.byteCount
  }
}
