// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ServiceStore",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "catalog", path: "../..")],
  targets: [
    .target(
      name: "ServiceStore",
      dependencies: [.product(name: "OpenSwiftData", package: "catalog")]
    ),
    .testTarget(
      name: "ServiceStoreTests",
      dependencies: [
        "ServiceStore", .product(name: "SwiftData", package: "catalog"),
        .product(name: "DataStoreTesting", package: "catalog"),
      ]
    ),
  ]
)
