import CCrypto
import CZlib

/// What this program was built with.
public enum BuildFacts {
  /// libcrypto, as its header names it: `OpenSSL 3.0.19 27 Jan 2026`.
  public static let libcrypto = OPENSSL_VERSION_TEXT

  /// zlib, as its header names it: `1.2.13`.
  public static let zlib = ZLIB_VERSION

  /// The Swift compiler, as far as it can be told apart while compiling.
  public static var swift: String {
    #if compiler(>=6.4)
      "6.4 or later"
    #elseif compiler(>=6.3.1)
      "6.3.1 or later"
    #elseif compiler(>=6.3)
      "6.3"
    #else
      "6.2"
    #endif
  }

  /// Whether the compiler optimised.
  public static var isDebug: Bool {
    #if DEBUG
      true
    #else
      false
    #endif
  }

  /// The system and the processor that it was built for.
  public static var platform: String { "\(system) \(architecture)" }

  private static var system: String {
    #if os(Linux)
      "Linux"
    #elseif os(macOS)
      "macOS"
    #else
      "other"
    #endif
  }

  private static var architecture: String {
    #if arch(x86_64)
      "x86_64"
    #elseif arch(arm64)
      "aarch64"
    #else
      "other"
    #endif
  }
}
