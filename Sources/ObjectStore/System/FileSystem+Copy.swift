/// Which side of a copy failed.
public enum CopyError: Error, Equatable, Sendable {
  case source(SystemError)
  case target(SystemError)
  /// The source is no plain file, or longer than the limit.
  case refused
}

/// How many bytes of a copy are in memory at once.
private let pieceLength = 256 << 10

extension FileSystem {
  /// Copies a plain file of at most `limit` bytes to a new one, a piece at a time, flushes it, and answers its
  /// length. What was written is removed where it fails.
  public func copy(
    _ source: String, to target: String, limit: Int, permissions: UInt32
  ) throws(CopyError) -> Int64 {
    let input: OpenFile
    do { input = try OpenFile(source, .read, in: self) } catch {
      throw isOdd(source) ? .refused : .source(error)
    }
    let status: FileStatus
    do { status = try self.status(input.descriptor) } catch { throw .source(error) }
    guard status.type == .file, status.length <= Int64(limit) else { throw .refused }
    let output: OpenFile
    do { output = try OpenFile(target, .create(permissions: permissions), in: self) } catch {
      throw .target(error)
    }
    do throws(CopyError) {
      let copied = try transfer(input, to: output, count: status.length)
      do { try output.sync() } catch { throw CopyError.target(error) }
      return copied
    } catch {
      removeLeftover(target)
      throw error
    }
  }

  private func transfer(
    _ input: borrowing OpenFile, to output: borrowing OpenFile, count: Int64
  ) throws(CopyError) -> Int64 {
    var done: Int64 = 0
    while done < count {
      let piece: [UInt8]
      do { piece = try input.read(Int(min(count - done, Int64(pieceLength))), at: done) } catch {
        throw .source(error)
      }
      if piece.isEmpty { break }
      do { try output.write(piece, at: done) } catch { throw .target(error) }
      done += Int64(piece.count)
    }
    return done
  }
}
