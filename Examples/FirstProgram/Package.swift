// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "FirstProgram",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "catalog", path: "../..")],
  targets: [
    .executableTarget(
      name: "books",
      dependencies: [.product(name: "SwiftData", package: "catalog")]
    ),
    .testTarget(name: "BooksTests", dependencies: ["books"]),
  ]
)
