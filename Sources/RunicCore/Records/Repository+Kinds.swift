import CanonicalJSON

extension Repository {
  /// Declares a kind, for all devices.
  ///
  /// - Throws: `badKindName`, or `kindExists` where the name means another kind.
  /// - Returns: whether it was new.
  public func declare(_ kind: Kind) throws -> Bool {
    try write { transaction in
      let kinds = try transaction.current.kinds
      let payload = try kinds.declaration(of: kind)
      let declarations = try kinds.kind(BuiltInName.kind)
      return try transaction.patch(
        kind: declarations, id: Array(kind.name.utf8), Patch(replacingAllBy: payload))
    }
  }
}
