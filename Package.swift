// swift-tools-version: 6.2
import PackageDescription

/// The same for every Swift target: Swift 6 mode comes from the tools version.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "Catalog",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "OpenSwiftData", targets: ["OpenSwiftData"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "DataStoreTesting", targets: ["DataStoreTesting"]),
    .executable(name: "catalog", targets: ["catalog"]),
  ],
  targets: [
    // One target per C library, each with exactly one importer.
    .systemLibrary(name: "CNcurses"),
    .systemLibrary(name: "CXXHash"),
    .systemLibrary(name: "CUTF8Proc"),
    .systemLibrary(name: "CGetopt"),
    .target(name: "CTerminal", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "CSystem", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "CSimdjson", linkerSettings: [.linkedLibrary("simdjson")]),

    // The library. No file, no socket, no terminal.
    .target(name: "OpenSwiftData", swiftSettings: settings),
    .target(name: "SwiftData", dependencies: ["OpenSwiftData"], swiftSettings: settings),
    .target(name: "DataStoreTesting", dependencies: ["OpenSwiftData"], swiftSettings: settings),

    // The stores.
    .target(
      name: "Stores",
      dependencies: ["OpenSwiftData", "CSystem", "CSimdjson", "CXXHash"],
      swiftSettings: settings
    ),

    // The program: without a terminal, the terminal, and the place that sees both.
    .target(
      name: "CatalogApp",
      dependencies: ["OpenSwiftData", "CUTF8Proc"],
      swiftSettings: settings
    ),
    .target(
      name: "Terminal",
      dependencies: ["CatalogApp", "CNcurses", "CTerminal"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "catalog",
      dependencies: ["OpenSwiftData", "Stores", "CatalogApp", "Terminal", "CGetopt"],
      resources: [.embedInCode("../../Resources/films.json")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "catalog-bench",
      dependencies: ["OpenSwiftData", "Stores"],
      swiftSettings: settings
    ),

    .testTarget(
      name: "OpenSwiftDataTests",
      dependencies: ["OpenSwiftData", "SwiftData", "DataStoreTesting"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "StoresTests",
      dependencies: ["Stores", "OpenSwiftData", "DataStoreTesting"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CatalogAppTests",
      dependencies: ["CatalogApp", "OpenSwiftData", "Stores", "DataStoreTesting"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["Terminal", "CatalogApp", "CTerminal"],
      swiftSettings: settings
    ),
    .testTarget(name: "CatalogTests", dependencies: ["catalog"], swiftSettings: settings),
  ],
  cxxLanguageStandard: .cxx17
)
