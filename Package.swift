// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "runic",
  products: [
    .library(name: "ObjectStore", targets: ["ObjectStore"]),
    .library(name: "RunicCore", targets: ["RunicCore"]),
    .library(name: "RunicCoreDates", targets: ["RunicCoreDates"]),
    .executable(name: "runic", targets: ["runic"]),
  ],
  targets: [
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(name: "CanonicalJSON", swiftSettings: strict),
    .target(
      name: "ObjectStore", dependencies: ["CZlib", "CCrypto", "CanonicalJSON"],
      swiftSettings: strict),
    .target(
      name: "RunicCore", dependencies: ["ObjectStore", "CanonicalJSON"], swiftSettings: strict),
    .target(name: "RunicCoreDates", dependencies: ["RunicCore"], swiftSettings: strict),
    .executableTarget(
      name: "runic", dependencies: ["RunicCore", "ObjectStore", "CanonicalJSON"],
      swiftSettings: strict),
    .target(
      name: "TestSupport", dependencies: ["ObjectStore", "RunicCore", "CanonicalJSON"],
      path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
      name: "CanonicalJSONTests", dependencies: ["CanonicalJSON", "TestSupport"],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "ObjectStoreTests",
      dependencies: ["ObjectStore", "CCrypto", "RunicCore", "CanonicalJSON", "TestSupport"],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "RunicCoreTests", dependencies: ["RunicCore", "TestSupport"],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "EngineTests", dependencies: ["RunicCore", "RunicCoreDates", "TestSupport"], swiftSettings: strict
    ),
    .testTarget(
      name: "CommandLineTests", dependencies: ["runic", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "FuzzTests", dependencies: ["runic", "RunicCore", "ObjectStore", "CanonicalJSON", "TestSupport"],
      resources: [.copy("Corpus")], swiftSettings: strict),
    .testTarget(
      name: "ReliabilityTests", dependencies: ["runic", "ObjectStore", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["RunicCore", "TestSupport"], swiftSettings: strict),
  ]
)
