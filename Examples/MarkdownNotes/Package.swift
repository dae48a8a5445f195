// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "MarkdownNotes",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "catalog", path: "../..")],
  targets: [
    .target(
      name: "MarkdownNotes",
      dependencies: [
        .product(name: "SwiftData", package: "catalog"),
        .product(name: "OpenSwiftData", package: "catalog"),
        .product(name: "StoreFiles", package: "catalog"),
      ]
    ),
    .testTarget(
      name: "MarkdownNotesTests",
      dependencies: ["MarkdownNotes", .product(name: "DataStoreTesting", package: "catalog")]
    ),
  ]
)
