import CFuzzer
import FuzzTargets
import Glibc

// Feeds one parser with what the engine thinks of. The target's name stands in `RUNIC_FUZZ`, since every argument is
// the engine's.

private let name = getenv("RUNIC_FUZZ").map { String(cString: $0) } ?? ""
private let names = FuzzTarget.all.map(\.name).joined(separator: " ")

private func fail(_ message: String) {
  let line = Array("\(message)\n".utf8)
  _ = write(2, line, line.count)
}

guard let target = FuzzTarget.named(name) else {
  fail("fuzz: RUNIC_FUZZ is one of: \(names)")
  exit(2)
}

/// What the engine calls; a C function captures nothing.
nonisolated(unsafe) private var chosen: FuzzTarget = target

/// The engine's own `main`, which is linked in and not run, wants it under this name.
@_cdecl("LLVMFuzzerTestOneInput")
func takeInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  guard let problem = chosen.problem(with: bytes) else { return 0 }
  fail("broken law: \(problem)")
  abort()
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
exit(LLVMFuzzerRunDriver(&count, &arguments, { takeInput($0, $1) }))
