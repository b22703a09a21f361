import ObjectStore

/// Turns whatever was thrown into a status and words: the one switch that knows the errors of all layers.
func commandFailure(for error: any Error) -> CommandFailure {
  switch error {
  case let failure as CommandFailure: failure
  case let error as SystemError: systemFailure(error)
  default: .failed("unexpected error: \(error)", code: "unexpected")
  }
}

/// Words for a system call that failed: what it was about and what the system says.
private func systemFailure(_ error: SystemError) -> CommandFailure {
  let subject = error.path.isEmpty ? error.call : "\(error.call) \(error.path)"
  return .failed("\(subject): \(System.message(error.code))", code: "system")
}
