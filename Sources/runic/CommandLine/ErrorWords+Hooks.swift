import RunicCore

/// Words for a hook that did not do its work.
func hookFailure(_ failure: HookFailure) -> CommandFailure {
  let stops = failure.hook == .preSync ? "; nothing was synced" : ""
  let said = failure.message.isEmpty ? "" : " (\(failure.message))"
  return .failed(
    "\(failure.words)\(said)\(stops)", code: "hook-failed", hint: "mend '\(failure.path)', or take it away")
}
