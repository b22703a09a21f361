/// Finds time zones by name, in the system's zone files.
public struct ZoneFinder {
  /// Where zone files lie: `TZDIR`, else `/usr/share/zoneinfo`.
  public let folder: String
  /// The bytes of a file, links followed; nil where there is none.
  private let read: (String) -> [UInt8]?

  public static let defaultFolder = "/usr/share/zoneinfo"
  public static let localFile = "/etc/localtime"

  public init(folder: String?, read: @escaping (String) -> [UInt8]?) {
    self.folder = folder.flatMap { $0.isEmpty ? nil : $0 } ?? Self.defaultFolder
    self.read = read
  }

  /// The zone of that name; nil where there is none. UTC needs no file.
  ///
  /// - Throws: what is wrong with the file.
  public func zone(named name: String) throws(ZoneFileError) -> ZoneRules? {
    guard Self.isName(name) else { return nil }
    if let bytes = read("\(folder)/\(name)") {
      do throws(ZoneFileError) { return try ZoneRules(name: name, decoding: bytes) } catch {
        // Beside the zones lie lists and a licence.
        if error == .notAZone { return nil }
        throw error
      }
    }
    return Self.isUTC(name) ? .utc.named(name) : nil
  }

  /// The zone of this machine: as `TZ` says where it is set (a name, a file, or a rule), else `/etc/localtime`, else
  /// UTC.
  ///
  /// - Parameter localName: what `/etc/localtime` is a link to.
  /// - Returns: nil where `TZ` says something that is no zone.
  public func local(variable: String?, localName: String?) throws(ZoneFileError) -> ZoneRules? {
    guard let variable else { return try systemZone(localName) }
    let text = variable.first == ":" ? String(variable.dropFirst()) : variable
    if text.isEmpty { return .utc }
    if text.first == "/" {
      guard let bytes = read(text) else { return nil }
      return try ZoneRules(name: name(ofLink: text) ?? text, decoding: bytes)
    }
    return try zone(named: text) ?? ZoneRules(posix: text)
  }

  private func systemZone(_ link: String?) throws(ZoneFileError) -> ZoneRules {
    guard let bytes = read(Self.localFile) else { return .utc }
    return try ZoneRules(name: link.flatMap(name(ofLink:)) ?? "local", decoding: bytes)
  }

  /// `Europe/Berlin` of `/usr/share/zoneinfo/Europe/Berlin` and of `../usr/share/zoneinfo/Europe/Berlin`.
  private func name(ofLink path: String) -> String? {
    let parts = path.split(separator: "/")
    guard let place = parts.lastIndex(of: "zoneinfo"), place + 1 < parts.count else { return nil }
    let name = parts[(place + 1)...].joined(separator: "/")
    return Self.isName(name) ? name : nil
  }

  /// Parts of letters, digits, `_`, `+` and `-`, with slashes between them: nothing that leads out of the folder.
  static func isName(_ name: String) -> Bool {
    guard (1...255).contains(name.utf8.count) else { return false }
    return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { byte in
          (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
        }
    }
  }

  private static func isUTC(_ name: String) -> Bool { name == "UTC" || name == "Etc/UTC" || name == "Z" }
}
