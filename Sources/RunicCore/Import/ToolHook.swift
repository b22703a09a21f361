import CanonicalJSON

/// Why a tool's settings are left as they are.
public enum ToolHookError: Error, Equatable, Sendable {
  /// The file is no JSON.
  case syntax(JSONError)
  /// It is JSON, but what should be an object or a list is something else; the member's name.
  case shape(String)
}

/// A command in the settings of an AI tool that the tool runs by itself: in `hooks`, then the event, a list
/// of groups of commands. Everything else in the file stays byte for byte as it is.
public struct ToolHook: Equatable, Sendable {
  /// When the tool runs it: `SessionEnd`.
  public let event: String
  /// For a shell.
  public let command: String
  /// How long the tool is to let it run, in seconds.
  public let timeLimit: Int

  public init(event: String, command: String, timeLimit: Int) {
    self.event = event
    self.command = command
    self.timeLimit = timeLimit
  }

  /// The settings with this hook, in the place of another one of runic's for the event.
  ///
  /// - Parameter settings: nil where there is no file.
  /// - Returns: the same bytes where the hook is there already.
  public func installed(in settings: [UInt8]?) throws(ToolHookError) -> [UInt8] {
    guard let settings, !settings.allSatisfy({ $0 <= 0x20 }) else { return Array(whole.utf8) }
    let groups = try Self.layout(of: settings, event).groups
    if groups.contains(where: { $0.command == command }) { return settings }
    guard let other = groups.first(where: { $0.isOurs }) else { return try adding(to: settings) }
    var bytes = settings
    bytes.replaceSubrange(other.range, with: group.utf8)
    return bytes
  }

  /// The settings without runic's hook for an event, and without the lists that held nothing else.
  public static func removed(from settings: [UInt8], event: String) throws(ToolHookError) -> [UInt8] {
    var bytes = settings
    while true {
      let layout = try layout(of: bytes, event)
      guard let place = layout.groups.firstIndex(where: { $0.isOurs }) else { return bytes }
      if layout.groups.count > 1 {
        bytes.remove(place, of: layout.groups.map(\.range), opening: layout.list)
      } else if layout.events.count > 1, let event = layout.event {
        bytes.remove(event, of: layout.events, opening: layout.hooks)
      } else if let hooks = layout.hooksMember {
        bytes.remove(hooks, of: layout.members, opening: layout.top)
      } else {
        return bytes
      }
    }
  }

  /// Runic's command for an event; nil where there is none.
  public static func command(in settings: [UInt8], event: String) -> String? {
    (try? layout(of: settings, event))?.groups.first { $0.isOurs }?.command
  }

  private func adding(to settings: [UInt8]) throws(ToolHookError) -> [UInt8] {
    let layout = try Self.layout(of: settings, event)
    var bytes = settings
    if layout.event != nil {
      bytes.insert("\n      \(group)", after: layout.groups.map(\.range), opening: layout.list)
    } else if layout.hooksMember != nil {
      bytes.insert("\n    \(eventMember)", after: layout.events, opening: layout.hooks)
    } else {
      bytes.insert("\n  \(hooksMember)", after: layout.members, opening: layout.top)
    }
    return bytes
  }

  // MARK: - Text

  private var group: String {
    let command = String(decoding: JSONValue.string(JSONString(command)).canonicalBytes, as: UTF8.self)
    return "{ \"hooks\": [{ \"type\": \"command\", \"command\": \(command), \"timeout\": \(timeLimit) }] }"
  }

  private var eventMember: String { "\"\(event)\": [\n      \(group)\n    ]" }
  private var hooksMember: String { "\"hooks\": {\n    \(eventMember)\n  }" }
  private var whole: String { "{\n  \(hooksMember)\n}\n" }
}

// MARK: - Where things lie

extension ToolHook {
  /// Where the members and elements on the way to an event's groups lie; `opening` is behind a bracket.
  fileprivate struct Layout {
    var top = 0
    var members: [Range<Int>] = []
    var hooksMember: Int?
    var hooks = 0
    var events: [Range<Int>] = []
    var event: Int?
    var list = 0
    var groups: [Group] = []
  }

  fileprivate struct Group {
    var range: Range<Int>
    /// The command, where it is the group's only one.
    var command: String?

    /// A command as runic makes them, and nothing that somebody made of one.
    var isOurs: Bool {
      guard let command, command.hasPrefix("runic ") else { return false }
      return command.hasSuffix(" record usage --quiet")
        || (command.hasSuffix(" push --quiet") && command.contains(" record usage --quiet; runic "))
    }
  }

  fileprivate static func layout(of settings: [UInt8], _ event: String) throws(ToolHookError) -> Layout {
    do throws(JSONError) { _ = try JSONValue.parse(settings) } catch { throw .syntax(error) }
    let result = settings.withUnsafeBytes { bytes -> Result<Layout, ToolHookError> in
      var reader = Reader(cursor: LogCursor(bytes), event: event)
      do throws(ToolHookError) { return .success(try reader.read()) } catch { return .failure(error) }
    }
    return try result.get()
  }

  /// Walks over settings that were checked before.
  private struct Reader {
    var cursor: LogCursor
    let event: String
    private var layout = Layout()

    init(cursor: LogCursor, event: String) {
      self.cursor = cursor
      self.event = event
    }

    mutating func read() throws(ToolHookError) -> Layout {
      do {
        guard try cursor.beginObject() else { throw ToolHookError.shape("") }
        layout.top = cursor.position
        while let member = try member() {
          if member.name == "hooks" {
            layout.hooksMember = layout.members.count
            try readHooks()
          } else {
            try cursor.skip()
          }
          layout.members.append(member.start..<cursor.position)
        }
        return layout
      } catch let error as ToolHookError {
        throw error
      } catch {
        throw .shape("")
      }
    }

    /// The next key, with the cursor at its value, and where it begins.
    private mutating func member() throws -> (name: String, start: Int)? {
      guard let key = try cursor.nextKey() else { return nil }
      guard let base = cursor.bytes.baseAddress, let place = key.bytes.baseAddress else { return ("", 0) }
      return (key.string, place - base - 1)
    }

    private mutating func readHooks() throws {
      guard try cursor.beginObject() else { throw ToolHookError.shape("hooks") }
      layout.hooks = cursor.position
      while let member = try member() {
        if member.name == event {
          layout.event = layout.events.count
          try readGroups()
        } else {
          try cursor.skip()
        }
        layout.events.append(member.start..<cursor.position)
      }
    }

    private mutating func readGroups() throws {
      guard try cursor.beginArray() else { throw ToolHookError.shape(event) }
      layout.list = cursor.position
      while try cursor.nextElement() {
        _ = try cursor.isAtObject()
        let start = cursor.position
        let commands = try readCommands()
        layout.groups.append(
          Group(range: start..<cursor.position, command: commands.count == 1 ? commands[0] : nil))
      }
    }

    private mutating func readCommands() throws -> [String] {
      var commands: [String] = []
      guard try cursor.beginObject() else { return [] }
      while let key = try cursor.nextKey() {
        guard key == "hooks", try cursor.beginArray() else {
          if !(key == "hooks") { try cursor.skip() }
          continue
        }
        while try cursor.nextElement() { commands.append(try readCommand()) }
      }
      return commands
    }

    private mutating func readCommand() throws -> String {
      var command = ""
      guard try cursor.beginObject() else { return command }
      while let key = try cursor.nextKey() {
        if key == "command" { command = try cursor.text()?.string ?? "" } else { try cursor.skip() }
      }
      return command
    }
  }
}

extension [UInt8] {
  /// Adds an item to a list of items that lie at the ranges, in brackets whose inside begins at `opening`.
  fileprivate mutating func insert(_ text: String, after items: [Range<Int>], opening: Int) {
    guard let last = items.last else { return insert(contentsOf: text.utf8, at: opening) }
    insert(contentsOf: ",\(text)".utf8, at: last.upperBound)
  }

  /// Takes an item away, with the comma and the space that came with it.
  fileprivate mutating func remove(_ place: Int, of items: [Range<Int>], opening: Int) {
    if place > 0 {
      removeSubrange(items[place - 1].upperBound..<items[place].upperBound)
    } else if items.count > 1 {
      removeSubrange(items[0].lowerBound..<items[1].lowerBound)
    } else {
      removeSubrange(opening..<items[0].upperBound)
    }
  }
}
