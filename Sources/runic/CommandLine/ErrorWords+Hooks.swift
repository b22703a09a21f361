import RunicCore

/// Words for a hook that did not do its work.
func hookFailure(_ failure: HookFailure) -> CommandFailure {
  let stops = failure.hook == .preSync ? "; nothing was synced" : ""
  let said = failure.message.isEmpty ? "" : " (\(failure.message))"
  return .failed(
    "the hook \(failure.hook.rawValue) \(words(for: failure.reason))\(said)\(stops)", code: "hook-failed",
    hint: "mend '\(failure.path)', or take it away")
}

private func words(for reason: HookFailure.Reason) -> String {
  switch reason {
  case .status(let status): "ended with status \(status)"
  case .timedOut(let seconds): "was ended after \(counted(seconds, "second"))"
  case .notExecutable: "cannot be run: its first line must name a program, as in #!/bin/sh"
  case .program(.interrupted): "was interrupted"
  case .program: "printed too much"
  }
}
