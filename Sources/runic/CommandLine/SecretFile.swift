/// A small file that holds a secret, or standard input for `-`.
enum SecretFile {
  /// Its bytes, the caller's to wipe.
  ///
  /// - Parameters:
  ///   - secret: what it should hold, as messages say it.
  ///   - hint: what helps where it does not.
  static func read(_ path: String, of secret: String, hint: String) throws(CommandFailure) -> [UInt8] {
    do throws(OutputError) {
      let descriptor = path == "-" ? 0 : try System.openFile(path, writable: false)
      defer { if path != "-" { System.closeDescriptor(descriptor) } }
      var all: [UInt8] = []
      while all.count <= Passphrase.limit {
        let bytes = try System.read(descriptor, limit: 4096)
        if bytes.isEmpty { return all }
        all += bytes
      }
    } catch {
      throw .failed("cannot read the \(secret) file '\(path)': \(System.message(error.code))", hint: hint)
    }
    throw .failed("'\(path)' is too long for a \(secret)", hint: hint)
  }
}
