import ObjectStore

/// What a tracked file holds now.
struct TrackedText {
  let text: SettingsText
  private let status: FileStatus

  /// Longer files are no settings.
  static let limit = Limits.change

  /// - Throws: `TrackProblem`.
  init(of file: TrackedFile, in fileSystem: any FileSystem) throws {
    let (bytes, status) = try Self.read(file.path, in: fileSystem)
    self.status = status
    do throws(SettingsError) { text = try SettingsText(bytes) } catch { throw TrackProblem.content(error) }
  }

  private static func read(
    _ path: String, in fileSystem: any FileSystem
  ) throws -> (bytes: [UInt8], status: FileStatus) {
    do {
      guard let status = try fileSystem.status(path) else { throw TrackProblem.absent }
      guard status.type == .file else { throw TrackProblem.odd }
      guard status.length <= Int64(limit) else { throw TrackProblem.tooLarge }
      return (try fileSystem.read(path, limit: limit), status)
    } catch let error as ReadError {
      if error.isMissing { throw TrackProblem.absent }
      if case .system(let cause) = error { throw TrackProblem.system(cause) }
      throw TrackProblem.odd
    } catch let error as SystemError {
      throw TrackProblem.system(error)
    }
  }

  var isReadOnly: Bool { status.permissions & 0o222 == 0 }

  /// Beside the file, hidden, and always the same: what a crash leaves is found again. Whoever writes it holds the
  /// ledger's lock.
  private static func temporary(_ file: TrackedFile, _ device: DeviceID) -> String {
    let name = SHA256.hash(Array("\(device.hex) \(file.path)".utf8)).hex.prefix(16)
    return "\(parent(of: file.path))/.runic-\(name)"
  }

  /// Takes away what a crash has left beside a file.
  static func removeLeftover(of file: TrackedFile, by device: DeviceID, in fileSystem: any FileSystem) {
    fileSystem.removeLeftover(temporary(file, device))
  }

  /// Puts new bytes in a file's place, as a whole, with the permissions that it had, unless it has been written
  /// since it was read. Between the last look and the rename lie a few microseconds.
  ///
  /// - Parameters:
  ///   - there: nil where the file is to be made.
  ///   - device: whose temporary file lies beside it.
  /// - Throws: `TrackProblem`.
  static func replace(
    _ there: TrackedText?, of file: TrackedFile, with bytes: [UInt8], by device: DeviceID,
    in fileSystem: any FileSystem
  ) throws {
    let temporary = temporary(file, device)
    let permissions = there?.status.permissions ?? 0o600
    do {
      try fileSystem.writeSynced(bytes, to: temporary, permissions: permissions)
      // The user's mask may have taken some away.
      try fileSystem.setPermissions(temporary, permissions)
      guard try isUnchanged(there, file.path, in: fileSystem) else {
        fileSystem.removeLeftover(temporary)
        throw TrackProblem.changedMeanwhile
      }
      try fileSystem.rename(temporary, to: file.path)
      try fileSystem.syncDirectory(parent(of: file.path))
    } catch let error as SystemError {
      fileSystem.removeLeftover(temporary)
      throw TrackProblem.system(error)
    }
  }

  private static func isUnchanged(
    _ there: TrackedText?, _ path: String, in fileSystem: any FileSystem
  ) throws -> Bool {
    guard let there else { return try fileSystem.status(path) == nil }
    guard let (bytes, status) = try? read(path, in: fileSystem) else { return false }
    return bytes == there.text.bytes && status.permissions == there.status.permissions
  }
}
