import CanonicalJSON
import ObjectStore
import RunicCore
import TestSupport

@testable import runic

extension RecordsFixture {
  /// Records requests, a line of JSON each.
  func record(requests: [JSONObject], on device: String = "laptop") {
    let lines = requests.map { String(decoding: $0.canonicalBytes, as: UTF8.self) + "\n" }.joined()
    run("record request -", on: device, input: lines)
  }

  /// Runs a command as on a terminal of so many columns.
  func runOnTerminal(_ arguments: [String], columns: Int) -> CommandRun {
    let (data, messages) = (MemorySink(), MemorySink())
    let time = now
    let context = Context(
      output: Output(data: data, messages: messages), environment: runic.Environment([:]), now: { time },
      input: MemorySource(), table: Commands.table, fileSystem: fileSystem, random: .seeded(7))
    var program = Program(
      context: context, terminal: TerminalFacts(outputIsTerminal: true, columns: columns))
    let status = program.run(["--repo", "/laptop", "--no-color"] + arguments)
    return CommandRun(status: status, out: data.text, err: messages.text)
  }

  /// The text of a file.
  func text(_ path: String) throws -> String {
    String(decoding: try fileSystem.read(path, limit: 1 << 24), as: UTF8.self)
  }
}

enum ReportRequests {
  static func request(
    _ time: String, provider: String = "anthropic", model: String = "claude-opus-4-8", tokens: Int64 = 1000,
    _ more: [JSONString: JSONValue] = [:]
  ) -> JSONObject {
    var object: JSONObject = [
      "inputTokens": .integer(tokens), "model": .text(model), "occurredAt": .text(time),
      "providerID": .text(provider), "requestID": .text("\(time) \(model) \(tokens)"),
    ]
    for (key, value) in more { object[key] = value }
    return object
  }

  /// Two days, three models, one of them unknown.
  static let some = [
    request("2026-09-04T22:30:00Z"), request("2026-09-05T10:00:00Z", tokens: 2000, ["sessionID": "s1"]),
    request("2026-09-05T11:00:00Z", provider: "openai", model: "mystery", tokens: 30),
    request("2026-09-06T01:00:00Z", model: "claude-haiku-5-5", tokens: 4, ["costUSD": 0.5]),
  ]
}
