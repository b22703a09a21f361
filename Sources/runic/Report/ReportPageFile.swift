import CanonicalJSON
import ObjectStore

/// The file that a page goes to.
struct ReportPageFile {
  let path: String

  /// Writes the page whole or not at all; `-` is standard output.
  func write(_ view: ReportView, _ context: Context) throws {
    let bytes = Array(ReportPage(view: view).html.utf8)
    guard path != "-" else {
      context.output.write(bytes)
      return
    }
    let target = Session.absolute(path)
    let mark = context.random.bytes(6).map { String($0, radix: 16) }.joined()
    do throws(SystemError) {
      try context.fileSystem.writeDurably(
        bytes, to: target, by: "\(target).\(mark).part", permissions: 0o600)
    } catch {
      // The temporary file's name would tell nobody anything.
      throw SystemError(call: error.call, path: path, code: error.code)
    }
    context.output.result("wrote \(path)", ["html": .text(path)])
  }
}
