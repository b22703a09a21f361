/// Goes through a range of a table in the order of the keys; removed keys are left out, values are combined.
///
/// It stays at the table as it was when the cursor was made, whatever is committed meanwhile.
package final class TableCursor {
  private let merged: MergeCursor
  private let end: [UInt8]?

  fileprivate init(_ merged: MergeCursor, end: [UInt8]?) {
    self.merged = merged
    self.end = end
  }

  /// The next key and value; the views are good until the next call. Nil at the end.
  ///
  /// - Throws: `TableError.damaged`, a `SystemError`, or what the table's `combine` throws.
  package func next() throws -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    guard let entry = try merged.next() else { return nil }
    if let end, end.withUnsafeBytes({ compareBytes(entry.key, $0) >= 0 }) { return nil }
    return (entry.key, entry.value)
  }
}

extension SortedTable {
  /// Receives a key and a value, good only during the call; false ends the scan.
  package typealias Visitor = (
    _ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer
  ) throws -> Bool

  /// A cursor over the keys from `start`, included, up to `end`, not included (nil: to the last).
  ///
  /// - Complexity: to the first entry, as for `get`; then sequential reads that grow to 256 KiB, the memory for
  ///   one of them in each run, and nothing allocated for an entry unless values are combined.
  package func cursor(from start: [UInt8] = [], to end: [UInt8]? = nil) throws -> TableCursor {
    try cursor(KeyRange(start: start, end: end))
  }

  /// A cursor over the keys that begin with some bytes.
  package func cursor(prefix: [UInt8]) throws -> TableCursor { try cursor(KeyRange(prefix: prefix)) }

  /// Calls for every key from `start`, included, up to `end`, not included (nil: to the last), in order.
  package func scan(from start: [UInt8] = [], to end: [UInt8]? = nil, _ body: Visitor) throws {
    try visit(cursor(from: start, to: end), body)
  }

  /// Calls for every key that begins with some bytes, in order.
  package func scan(prefix: [UInt8], _ body: Visitor) throws {
    try visit(cursor(prefix: prefix), body)
  }

  private func visit(_ cursor: TableCursor, _ body: Visitor) throws {
    while let (key, value) = try cursor.next() {
      if try !body(key, value) { return }
    }
  }

  private func cursor(_ range: KeyRange) throws -> TableCursor {
    var sources: [any EntrySource] = [memtable.image(range)]
    for run in runs {
      let offset = try run.offset(for: range.start, cache: &cache)
      sources.append(try RunCursor(run, from: range.start, blockOffset: offset))
    }
    return TableCursor(MergeCursor(sources, isBottom: true, combine: combine), end: range.end)
  }
}
