import CanonicalJSON
import ObjectStore

/// Where bytes go: a descriptor, or an array in a test.
protocol ByteSink: AnyObject {
  /// Writes all the bytes.
  func write(_ bytes: [UInt8]) throws(OutputError)
}

/// The output could not be written: the error number of the system.
struct OutputError: Error, Equatable {
  let code: Int32
}

/// Everything that a command prints: data on standard output, all else on standard error.
///
/// Data is gathered and written in large pieces, the rest at once. An error on standard output is kept and ends
/// the run with a message (see `finish`); one on standard error has nobody left to be told.
final class Output {
  /// What the flags and the environment say of the looks.
  struct Style: Equatable, Sendable {
    var isQuiet = false
    var isVerbose = false
    var wantsJSON = false
    /// Whether standard output is coloured.
    var usesColor = false
    /// Columns of the terminal behind standard output; nil where there is none.
    var width: Int?
    /// Columns of the terminal behind standard error, where progress is shown.
    var progressWidth = 80
    /// Whether progress is shown, on standard error.
    var showsProgress = false
  }

  private static let bufferLimit = 64 * 1024

  var style: Style
  private let data: any ByteSink
  private let messages: any ByteSink
  private var buffer: [UInt8] = []
  private var failure: OutputError?
  private var progressColumns = 0
  private var pace = ProgressPace()
  private let now: @Sendable () -> Int64

  /// - Parameter now: milliseconds since any fixed moment.
  init(
    data: any ByteSink, messages: any ByteSink, style: Style = Style(),
    now: @escaping @Sendable () -> Int64 = Clock.system.now
  ) {
    self.data = data
    self.messages = messages
    self.style = style
    self.now = now
  }

  // MARK: - Data

  /// A line of data. What comes from records or from others goes through `Escaping.oneLine` first.
  func line(_ text: String = "") {
    write(Array(text.utf8))
    write([UInt8(ascii: "\n")])
  }

  /// A line of words, broken where the terminal ends.
  func paragraph(_ text: String) {
    for line in TextWidth.folded(Escaping.oneLine(text), to: style.width) { self.line(line) }
  }

  /// A line of JSON.
  func json(_ value: JSONValue) {
    write(value.canonicalBytes)
    write([UInt8(ascii: "\n")])
  }

  /// A table, as wide as the terminal allows.
  func table(_ table: TextTable) {
    for line in table.lines(width: style.width) { self.line(line) }
  }

  /// Bytes of data, as they are.
  func write(_ bytes: [UInt8]) {
    guard failure == nil else { return }
    buffer += bytes
    if buffer.count >= Self.bufferLimit { flush() }
  }

  /// Writes what was gathered; for commands that go on for long.
  func flush() {
    guard failure == nil, !buffer.isEmpty else { return }
    do throws(OutputError) { try data.write(buffer) } catch { failure = error }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Whether standard output has failed: a command that prints without end stops then.
  var isBroken: Bool { failure != nil }

  /// Writes the rest. Throws where any data could not be written.
  func finish() throws(OutputError) {
    hideProgress()
    flush()
    if let failure { throw failure }
  }

  // MARK: - Messages

  /// Something good to know; not under `--quiet`.
  func note(_ text: String) {
    if !style.isQuiet { message(text) }
  }

  /// Something that only those who asked for more want to know.
  func detail(_ text: String) {
    if style.isVerbose { message(text) }
  }

  func warning(_ text: String) { message("runic: warning: \(text)") }

  /// `runic: error: …` and `runic: hint: …`.
  func report(_ failure: CommandFailure) {
    message("runic: error: \(failure.message)")
    if let hint = failure.hint { message("runic: hint: \(hint)") }
  }

  /// A line on standard error, after the data that was printed before it.
  func message(_ text: String) {
    hideProgress()
    flush()
    send(Escaping.oneLine(text) + "\n")
  }

  // MARK: - Progress

  /// Shows how far a long step is, in place of what was shown before; nothing while the step is still young.
  func progress(_ text: @autoclosure () -> String) {
    guard style.showsProgress, !style.isQuiet, pace.isDue(now: now()) else { return }
    let shown = TextWidth.truncated(Escaping.oneLine(text()), to: style.progressWidth - 1)
    let columns = TextWidth.columns(shown)
    send("\r" + shown + String(repeating: " ", count: max(0, progressColumns - columns)))
    progressColumns = columns
  }

  /// Ends a step, and takes its progress line away.
  func clearProgress() {
    hideProgress()
    pace = ProgressPace()
  }

  private func hideProgress() {
    if progressColumns == 0 { return }
    send("\r" + String(repeating: " ", count: progressColumns) + "\r")
    progressColumns = 0
  }

  private func send(_ text: String) { try? messages.write(Array(text.utf8)) }
}
