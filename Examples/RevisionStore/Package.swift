// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "RevisionStore",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "catalog", path: "../..")],
  targets: [
    .target(
      name: "RevisionStore",
      dependencies: [
        .product(name: "SwiftData", package: "catalog"),
        .product(name: "OpenSwiftData", package: "catalog"),
        .product(name: "StoreFiles", package: "catalog"),
      ]
    ),
    .testTarget(
      name: "RevisionStoreTests",
      dependencies: ["RevisionStore", .product(name: "DataStoreTesting", package: "catalog")]
    ),
  ]
)
