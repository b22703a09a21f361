import Foundation
import ObjectStore
import Testing

/// The app of `docs/library.md`, compiled from outside against the modules that were built, and run.
@Suite struct LibraryTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("../..").standardizedFileURL.path

  /// Where the build puts modules and objects.
  private static let products: String? = {
    let folder = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
      .deletingLastPathComponent()
    for candidate in [folder.path, Bundle.main.bundleURL.path, folder.deletingLastPathComponent().path] {
      if FileManager.default.fileExists(atPath: "\(candidate)/Modules/RunicCore.swiftmodule") {
        return candidate
      }
    }
    return nil
  }()

  private static func text(_ path: String) throws -> String {
    try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8)
  }

  private static func sources() throws -> [String] {
    let folder = "Examples/FollowMe/Sources/FollowMe"
    return try FileManager.default.contentsOfDirectory(atPath: "\(root)/\(folder)").sorted().map {
      "\(folder)/\($0)"
    }
  }

  /// The fenced blocks of a language.
  private static func blocks(_ language: String, in text: String) -> [String] {
    text.components(separatedBy: "\n```\(language)\n").dropFirst().map {
      $0.components(separatedBy: "\n```")[0]
    }
  }

  @Test func whatThePageShowsIsInTheApp() throws {
    let page = try Self.text("docs/library.md")
    let shown = Self.blocks("swift", in: page)
    #expect(shown.count >= 5)
    let app = try (Self.sources() + ["Examples/FollowMe/Package.swift"]).map(Self.text).joined(
      separator: "\n")
    for block in shown { #expect(app.contains(block), "\(block)") }
  }

  @Test func theAppCompilesFromOutsideAndPrintsWhatThePageSays() throws {
    let products = try #require(Self.products, "the modules that the tests were built with were not found")
    let folder = NSTemporaryDirectory() + "runic-library-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let compiled = try SystemProgramRunner().run(
      ProgramCall("swiftc", try arguments(products, output: "\(folder)/FollowMe"), timeLimit: 300_000))
    try #require(compiled.status == 0, "\(String(decoding: compiled.output, as: UTF8.self)) \(compiled)")
    let ran = try SystemProgramRunner().run(ProgramCall("\(folder)/FollowMe", [folder], timeLimit: 60_000))
    #expect(ran.status == 0)
    let said = String(decoding: ran.output, as: UTF8.self)
    let expected = try Self.blocks("console", in: Self.text("docs/library.md")).first
    // The observer is told on a thread of its own.
    func split(_ text: String) -> [[Substring]] {
      let lines = text.split(separator: "\n")
      return [
        lines.filter { !$0.hasPrefix("observer:") }, lines.filter { $0.hasPrefix("observer:") },
      ]
    }
    #expect(split(said) == split(expected ?? ""))
  }

  private func arguments(_ products: String, output: String) throws -> [String] {
    let list = try FileManager.default.contentsOfDirectory(atPath: products)
      .first { $0.hasSuffix("Tests.product") }
    let linked = try String(
      contentsOfFile: "\(products)/\(list ?? "")/Objects.LinkFileList", encoding: .utf8)
    let modules = ["CanonicalJSON", "ObjectStore", "RunicCore", "RunicCoreDates"]
    let objects = linked.split(separator: "\n").map { $0.trimmingCharacters(in: ["'", "\""]) }
      .filter { path in modules.contains { path.contains("/\($0).build/") } }
    let maps = ["CZlib", "CCrypto"].flatMap {
      ["-Xcc", "-fmodule-map-file=\(Self.root)/Sources/\($0)/module.modulemap"]
    }
    return ["-swift-version", "6", "-parse-as-library", "-warnings-as-errors", "-module-name", "FollowMe"]
      + ["-I", "\(products)/Modules"] + maps + (try Self.sources().map { "\(Self.root)/\($0)" }) + objects
      + ["-lz", "-lcrypto", "-o", output]
  }
}
