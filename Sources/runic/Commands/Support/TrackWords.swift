import CanonicalJSON
import ObjectStore
import RunicCore

/// What is said of tracked files.
enum TrackWords {
  static func json(_ report: TrackReport) -> JSONValue {
    var json = json(report.file)
    json["captured"] = .texts(report.captured.map(\.string))
    json["problem"] = .text(report.problem.map(words))
    json["waiting"] = .texts(report.waiting.map(\.string))
    json["written"] = .texts(report.written.map(\.string))
    return .object(json)
  }

  static func json(_ file: TrackedFile) -> JSONObject {
    [
      "id": .text(id(file)), "keys": .texts(file.keys.map(\.string)), "kind": .text(file.record.kind),
      "path": .text(file.path),
    ]
  }

  static func id(_ file: TrackedFile) -> String { String(decoding: file.record.id, as: UTF8.self) }
  static func record(_ file: TrackedFile) -> String { "\(file.record.kind)/\(id(file))" }

  /// What moved, in one line; nil where nothing did.
  static func words(_ report: TrackReport) -> String? {
    var parts: [String] = []
    if !report.captured.isEmpty { parts.append("took \(list(report.captured)) from it") }
    if !report.written.isEmpty { parts.append("wrote \(list(report.written)) to it") }
    return parts.isEmpty ? nil : "'\(report.file.path)': \(parts.joined(separator: ", "))"
  }

  private static let listed = 5

  private static func list(_ keys: [JSONString]) -> String {
    let names = keys.prefix(listed).map(\.string).joined(separator: ", ")
    return keys.count > listed ? "\(names) and \(keys.count - listed) more" : names
  }

  /// Why a file is left alone.
  static func words(_ problem: TrackProblem) -> String {
    switch problem {
    case .absent: "it is not there; it is left alone"
    case .content(.empty): "it is empty; it is left alone"
    case .content(.noObject): "it holds no JSON object; it is left alone"
    case .content(.syntax(let error)):
      "it is no JSON, or is being written (\(error.words)); it is left alone"
    case .field(let field, let problem): "\(problem.words(of: field)); it is left alone"
    case .tooLarge: "it is too large for settings; it is left alone"
    case .odd: "it is no plain file; it is left alone"
    case .readOnly: "its mode lets nobody write it; it is left alone"
    case .system(let error): "\(error.call): \(error.said); it is left alone"
    case .changedMeanwhile:
      "it was written while it was about to be replaced; it is left alone until the next sync"
    case .massRemoval(let lost, let all):
      "\(lost) of its \(counted(all, "key")) \(lost == 1 ? "is" : "are") gone; nothing is removed"
    }
  }

  /// Notes and warnings about a file.
  static func tell(_ report: TrackReport, _ output: Output) {
    if let words = words(report) { output.note("runic: \(words)") }
    if let problem = report.problem {
      output.warning("'\(report.file.path)': \(words(problem))")
      if case .massRemoval = problem {
        output.note("runic: hint: if that is meant, 'runic track FILE --allow-mass-removal' removes them")
      }
    }
    if !report.waiting.isEmpty {
      output.warning(
        "'\(report.file.path)': \(list(report.waiting)) differ from \(record(report.file)), and nothing says "
          + "which side was edited")
      output.note("runic: hint: 'runic track FILE --take-file' or '--take-record' picks a side")
    }
  }
}
