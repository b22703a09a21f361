// swift-tools-version: 6.2
import PackageDescription

// The same sources as the package above, through symbolic links, with every edge counted: flags that only a root
// package may set. `scripts/fuzz` builds it optimised, since a second is worth more then, and runs it. What a debug
// build checks is still checked: assertions and the bounds of unsafe buffers.

let counted: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .unsafeFlags(["-sanitize=fuzzer", "-enable-testing", "-assert-config", "Debug"]),
]

let package = Package(
  name: "fuzzing",
  targets: [
    .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto"),
    .target(name: "CFuzzer"),
    .target(name: "CanonicalJSON", swiftSettings: counted),
    .target(
      name: "ObjectStore", dependencies: ["CZlib", "CCrypto", "CanonicalJSON"], swiftSettings: counted),
    .target(name: "RunicCore", dependencies: ["ObjectStore", "CanonicalJSON"], swiftSettings: counted),
    .target(
      name: "runic", dependencies: ["RunicCore", "ObjectStore", "CanonicalJSON"], exclude: ["main.swift"],
      swiftSettings: counted),
    .target(
      name: "TestSupport", dependencies: ["ObjectStore", "RunicCore", "CanonicalJSON"],
      swiftSettings: [.swiftLanguageMode(.v6)]),
    .target(
      name: "FuzzTargets",
      dependencies: ["runic", "RunicCore", "ObjectStore", "CanonicalJSON", "TestSupport"],
      swiftSettings: counted),
    .executableTarget(
      name: "Fuzz", dependencies: ["FuzzTargets", "CFuzzer"],
      swiftSettings: [.swiftLanguageMode(.v6)],
      linkerSettings: [.unsafeFlags(["-sanitize=fuzzer", "-use-ld=lld"])]),
  ]
)
