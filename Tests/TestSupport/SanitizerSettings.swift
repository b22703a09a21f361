import Foundation

/// What a sanitizer was told to do, for a program that gets an environment of its own.
public let sanitizerSettings = ProcessInfo.processInfo.environment.filter { $0.key.hasSuffix("SAN_OPTIONS") }

extension [String: String] {
  /// These variables and what a sanitizer was told.
  public var withSanitizerSettings: [String: String] { merging(sanitizerSettings) { own, _ in own } }
}
