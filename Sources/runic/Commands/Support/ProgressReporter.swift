import RunicCore

/// Shows how far the core is.
// A command runs on one thread, and this is called from within its calls.
final class ProgressReporter: @unchecked Sendable {
  private let output: Output

  init(_ output: Output) { self.output = output }

  func show(_ progress: Progress) { output.progress(ProgressWords.words(progress)) }
}

/// What the progress line says.
enum ProgressWords {
  static func words(_ progress: Progress) -> String {
    switch progress.step {
    case .gathering: "reading, \(readableSize(progress.bytes))"
    case .recording: "recording, \(counted(progress.done, "line"))"
    case .checking: "checking, \(part(progress, "file")), \(readableSize(progress.bytes))"
    case .applying: "bringing in, \(part(progress, "object"))"
    case .takingAlong: "taking along, \(counted(progress.done, "record"))"
    case .rollingUp: "rolling up, \(part(progress, "object"))"
    }
  }

  private static func part(_ progress: Progress, _ noun: String) -> String {
    guard let all = progress.all else { return counted(progress.done, noun) }
    return "\(progress.done) of \(counted(all, noun))"
  }
}
