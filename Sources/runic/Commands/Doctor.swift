import CanonicalJSON
import RunicCore

/// `runic doctor`.
let doctorCommand = Command(
  description: CommandDescription(
    "doctor", summary: "look for what is amiss, and say what helps", group: .maintain,
    exitStatus: [.busy, .noRepository],
    details: [
      "Checks every file here, the permissions of the key, the clock, each remote, the age of the last sync, what "
        + "stands open, and the programs that runic runs. A remote that cannot be reached does not end the run.",
      "Ends with 0 where all is well, with 5 where something is damaged, and with 1 where anything else wants a "
        + "look.",
    ],
    examples: [
      Example("runic doctor", "the whole screen"), Example("runic doctor -q", "what is amiss, alone"),
    ])
) { invocation, context in
  let repository = try Session.open(invocation, context)
  let findings = try Examination(repository: repository, context: context).findings()
  if context.output.style.wantsJSON {
    let states = findings.map(\.json)
    context.output.json(["findings": .array(states), "healthy": .bool(isHealthy(findings))])
  } else {
    show(findings, context.output)
  }
  if findings.contains(where: { $0.state == .damaged }) { return .damaged }
  return isHealthy(findings) ? .done : .failed
}

private func isHealthy(_ findings: [Finding]) -> Bool { findings.allSatisfy { $0.state == .fine } }

/// A line for each finding, and under what is amiss its cure.
private func show(_ findings: [Finding], _ output: Output) {
  let width = findings.reduce(0) { max($0, TextWidth.columns($1.subject)) }
  for finding in findings where !(output.style.isQuiet && finding.state == .fine) {
    let gap = String(repeating: " ", count: width - TextWidth.columns(finding.subject))
    let emphasis: Emphasis =
      switch finding.state {
      case .fine: .good
      case .amiss: .warning
      case .damaged: .bad
      }
    let state = output.styled(finding.state == .fine ? "ok  " : "look", emphasis)
    let lines = TextWidth.folded(
      "    \(Escaping.oneLine("  \(finding.subject)\(gap)  \(finding.words)"))", to: output.style.width)
    output.line(state + (lines.first ?? "").dropFirst(4))
    for line in lines.dropFirst() { output.line(line) }
    if let cure = finding.cure { output.paragraph("      cure: \(cure)") }
  }
}
