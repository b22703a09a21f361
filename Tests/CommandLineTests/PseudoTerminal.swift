import Foundation
import ObjectStore
import TestSupport

/// A real terminal that somebody types at: python3 holds its other end.
struct PseudoTerminal {
  static let isPossible = BackgroundProgram.isInstalled("python3")

  /// What was seen.
  struct Session {
    let status: Int32?
    /// What the terminal showed, and after it the facts: `silent` or `echoing` at each prompt, `restored` or
    /// `changed` at the end.
    let shown: String
    let facts: [String]
  }

  /// - Parameters:
  ///   - script: a line of the shell.
  ///   - answers: what is waited for, and what is typed then.
  static func run(
    _ script: String, in folder: String, environment: [String: String], columns: Int = 80,
    answers: [(prompt: String, keys: String)] = []
  ) throws -> Session {
    let words = answers.flatMap { [$0.prompt, $0.keys] }
    let result = try SystemProgramRunner().run(
      ProgramCall(
        "python3", ["-c", typist, "\(columns)", "cd '\(folder)' && \(script)"] + words,
        environment: environment, timeLimit: 60_000))
    let facts = String(decoding: result.errors, as: UTF8.self).split(separator: "\n").map(String.init)
    return Session(
      status: facts.last.flatMap { Int32($0) },
      shown: String(decoding: result.output, as: UTF8.self).replacing("\r\n", with: "\n"),
      facts: facts.dropLast())
  }

  private static let typist = """
    import fcntl, os, select, struct, sys, termios
    columns, script, answers = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    before = termios.tcgetattr(slave)
    child = os.fork()
    if child == 0:
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for number in range(3):
            os.dup2(slave, number)
        os.close(master)
        os.close(slave)
        os.execvp("sh", ["sh", "-c", script])
    seen, at, ended = b"", 0, None
    while True:
        ready = select.select([master], [], [], 0.02)[0]
        if ready:
            seen += os.read(master, 65536)
        if answers and answers[0].encode() in seen[at:]:
            at = len(seen)
            echo = termios.tcgetattr(slave)[3] & termios.ECHO
            print("echoing" if echo else "silent", file=sys.stderr)
            os.write(master, answers[1].encode())
            answers = answers[2:]
        if ended is None:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                ended = os.waitstatus_to_exitcode(status)
        elif not ready:
            break
    print("restored" if termios.tcgetattr(slave) == before else "changed", file=sys.stderr)
    print(ended, file=sys.stderr)
    sys.stdout.buffer.write(seen)
    """
}
