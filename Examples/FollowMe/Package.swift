// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "FollowMe",
  dependencies: [.package(name: "runic", path: "../..")],
  targets: [
    .executableTarget(
      name: "FollowMe",
      dependencies: [
        .product(name: "RunicCore", package: "runic"), .product(name: "RunicCoreDates", package: "runic"),
      ])
  ]
)
