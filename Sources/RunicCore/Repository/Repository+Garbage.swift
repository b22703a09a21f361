import ObjectStore

extension Repository {
  /// Does all of the roll-up that is due and removes what nobody needs: replaced objects and old heads beyond
  /// the newest that stay, replaced ones that are damaged, leftovers.
  /// Nothing that is shown changes.
  ///
  /// - Returns: the bytes freed.
  public func collectGarbage() throws -> Int64 {
    let before = try sizeOfStore()
    try write { transaction in
      guard let head = transaction.head, RollUp.isDue(sizes: head.objects.map(\.inflated)) else { return }
      transaction.rollsUpEverything = true
      try transaction.appendEmptyCommit()
    }
    try write { transaction in
      guard let head = transaction.head else { return }
      let removed = try LocalCleaner(repository: self).removeReplaced(by: head, exact: true)
      transaction.index.note(heads: removed)
    }
    try dropReplacedDamage()
    try dropWithdrawnSlots()
    return max(0, before - (try sizeOfStore()))
  }

  /// Bytes of the files in the store and among the temporary ones.
  private func sizeOfStore() throws -> Int64 {
    var total: Int64 = 0
    var folders = [layout.store, layout.temporary]
    while let folder = folders.popLast() {
      for entry in try environment.fileSystem.listIfPresent(folder) {
        let path = "\(folder)/\(entry.name)"
        if entry.type == .directory {
          folders.append(path)
        } else if let status = try environment.fileSystem.status(path) {
          total = total.addingReportingOverflow(status.length).partialValue
        }
      }
    }
    return total
  }
}
