import RunicCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time zone that a command counts days in.
enum ZoneChoice {
  /// The zone of `--timezone`, else the machine's own.
  static func zone(_ invocation: Invocation, _ environment: Environment) throws -> ZoneRules {
    let finder = ZoneFinder(folder: environment["TZDIR"], read: System.file)
    if let name = invocation.flag("--timezone") {
      let found = try read(name, hint: "--timezone UTC") { () throws(ZoneFileError) in
        try finder.zone(named: name)
      }
      guard let zone = found else {
        throw CommandFailure.usage(
          "'\(name)' is no time zone that this machine knows",
          hint: "write it like Europe/Berlin, America/New_York or UTC; the zones lie in \(finder.folder)")
      }
      return zone
    }
    return try local(environment)
  }

  /// The zone that the variable TZ names, else the machine's own.
  static func local(_ environment: Environment) throws -> ZoneRules {
    let finder = ZoneFinder(folder: environment["TZDIR"], read: System.file)
    let variable = environment["TZ"]
    let local = try read(variable ?? ZoneFinder.localFile, hint: "TZ=UTC") { () throws(ZoneFileError) in
      try finder.local(variable: variable, localName: System.link(ZoneFinder.localFile))
    }
    guard let local else {
      throw CommandFailure(
        .usage, code: "unknown-timezone", "the variable TZ holds '\(variable ?? "")', which is no time zone",
        hint: "write it like TZ=Europe/Berlin or TZ=UTC")
    }
    return local
  }

  private static func read(
    _ name: String, hint: String, _ body: () throws(ZoneFileError) -> ZoneRules?
  ) throws(CommandFailure) -> ZoneRules? {
    do throws(ZoneFileError) { return try body() } catch {
      let reason =
        error == .countsLeapSeconds ? "counts leap seconds, which runic does not" : "cannot be read"
      throw CommandFailure(.usage, code: "bad-timezone", "the time zone '\(name)' \(reason)", hint: hint)
    }
  }
}

extension Context {
  /// The zone that days are counted in where no flag names one.
  func zone() throws -> ZoneRules { try ZoneChoice.local(environment) }
}

extension System {
  /// A file's bytes, links followed, as far as a zone can be long; nil where it cannot be read.
  static func file(_ path: String) -> [UInt8]? {
    guard let descriptor = try? openFile(path, writable: false) else { return nil }
    defer { closeDescriptor(descriptor) }
    var bytes: [UInt8] = []
    while bytes.count <= ZoneRules.maximumFileLength {
      guard let piece = try? read(descriptor, limit: 64 * 1024) else { return nil }
      if piece.isEmpty { return bytes }
      bytes += piece
    }
    return bytes
  }

  /// readlink(2): what a link names; nil where it is none.
  static func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = readlink(path, &buffer, buffer.count)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
