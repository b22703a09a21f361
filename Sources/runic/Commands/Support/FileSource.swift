import RunicCore

/// A file that the user named, in pieces; `-` is standard input.
final class FileSource: ByteSource {
  private static let pieceSize = 64 * 1024

  private let path: String
  private let descriptor: Int32

  init(_ path: String) throws {
    self.path = path
    do throws(OutputError) { descriptor = try System.openFile(path, writable: false) } catch {
      throw Self.failure(path, error)
    }
  }

  deinit { System.closeDescriptor(descriptor) }

  func next() throws -> [UInt8]? { try read(limit: Self.pieceSize) }

  private func read(limit: Int) throws -> [UInt8]? {
    while true {
      try Interrupt.check()
      do throws(OutputError) {
        let bytes = try System.read(descriptor, limit: limit)
        return bytes.isEmpty ? nil : bytes
      } catch {
        if error.code != System.interruptedCall { throw Self.failure(path, error) }
      }
    }
  }

  var batch: BatchInput { FileInput(descriptor, read).map(BatchInput.file) ?? .stream(next) }

  static func source(_ path: String, _ context: Context) throws -> any ByteSource {
    path == "-" ? context.input : try FileSource(path)
  }

  private static func failure(_ path: String, _ error: OutputError) -> CommandFailure {
    .failed(
      "cannot read '\(path)': \(System.message(error.code))", code: "system",
      hint: "name a file that you may read, or - for standard input")
  }
}
