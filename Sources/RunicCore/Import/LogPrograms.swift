/// Runs the programs that read what runic does not read itself: the seam for tests, and for apps that may
/// start none.
public protocol LogPrograms: Sendable {
  /// Runs a program to its end, without a shell and with nothing on its standard input, and keeps nothing of
  /// what it prints, which may be gigabytes.
  ///
  /// - Parameters:
  ///   - program: a name that is looked up in `PATH`.
  ///   - output: is handed what it prints, piece by piece; if it throws, the program is ended.
  /// - Returns: the exit status; 128 and the number of the signal where one ended it.
  /// - Throws: `ProgramMissing`, or what `output` throws.
  func run(
    _ program: String, _ arguments: [String], output: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> Int32
}

/// The program is not installed.
public struct ProgramMissing: Error, Equatable, Sendable {
  public let program: String

  public init(program: String) { self.program = program }
}
