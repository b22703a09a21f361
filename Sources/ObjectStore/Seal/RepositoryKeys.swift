/// The keys of a repository that a device holds: the first one, and those that rotations added.
///
/// Files are read with the key that their header names and written with the newest.
public struct RepositoryKeys: Sendable {
  public let repository: RepositoryID
  /// By number, then by id: two rotations at once make two keys of one number.
  public private(set) var all: [RepositoryKey]
  /// What new files are sealed with.
  public private(set) var newest: RepositoryKey

  /// The keys of a repository that has one.
  public init(root: SecretBytes, repository: RepositoryID) throws {
    self.init(try RepositoryKey(root: root, number: 1, repository: repository))
  }

  public init(_ key: RepositoryKey) {
    repository = key.repository
    all = [key]
    newest = key
  }

  /// - Parameter more: keys of the same repository; those of another are left out.
  public func adding(_ more: some Sequence<RepositoryKey>) -> RepositoryKeys {
    var result = self
    for key in more where key.repository == repository && result[key.id] == nil { result.all.append(key) }
    result.all.sort { ($0.number, $0.id) < ($1.number, $1.id) }
    result.newest = result.all.last ?? newest
    return result
  }

  /// The key of an id, if it is held.
  public subscript(id: KeyID) -> RepositoryKey? {
    newest.id == id ? newest : all.first { $0.id == id }
  }
}
