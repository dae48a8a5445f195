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
    // The program catalog with this store.
    .executableTarget(
      name: "catalog-notes",
      dependencies: [
        "MarkdownNotes",
        .product(name: "CatalogProgram", package: "catalog"),
        .product(name: "OpenSwiftData", package: "catalog"),
      ]
    ),
    .testTarget(
      name: "MarkdownNotesTests",
      dependencies: [
        "MarkdownNotes", "catalog-notes",
        .product(name: "DataStoreTesting", package: "catalog"),
      ]
    ),
  ]
)
