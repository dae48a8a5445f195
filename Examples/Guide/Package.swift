// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "Guide",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "catalog", path: "../..")],
  targets: [
    .testTarget(
      name: "GuideTests",
      dependencies: [
        .product(name: "SwiftData", package: "catalog"),
        .product(name: "OpenSwiftData", package: "catalog"),
        .product(name: "StoreFiles", package: "catalog"),
        .product(name: "DataStoreTesting", package: "catalog"),
      ]
    )
  ]
)
