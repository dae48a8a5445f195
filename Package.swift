// swift-tools-version: 6.2
import CompilerPluginSupport
import Foundation
import PackageDescription

/// The folder of the toolchain with the SwiftSyntax modules, which the macros need; nil if it is not
/// found.
///
/// The manifest runs with a library of the toolchain, whose path /proc/self/maps contains. If that does not
/// work, set `SWIFT_HOST_MODULES` to the folder.
let hostModules: String? = {
  let named = ProcessInfo.processInfo.environment["SWIFT_HOST_MODULES"]
  // Foundation's other functions stop after the first 4096 bytes of a file in /proc.
  let maps = try? FileHandle(forReadingFrom: URL(filePath: "/proc/self/maps")).readToEnd()
  let library = String(decoding: maps ?? Data(), as: UTF8.self).split(separator: "\n")
    .first { $0.hasSuffix("/libPackageDescription.so") }
  let found = library?.firstIndex(of: "/").flatMap { start -> String? in
    guard let path = library?[start...], let end = path.range(of: "/pm/ManifestAPI/") else {
      return nil
    }
    return path[..<end.lowerBound] + "/host"
  }
  return [named, found].compactMap { $0 }.first {
    FileManager.default.fileExists(atPath: $0 + "/SwiftSyntaxMacros.swiftmodule")
  }
}()

/// The settings of every Swift target; Swift 6 mode follows from the tools version.
let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

/// The libraries of the toolchain that the macros or their tests are linked with.
func hostLibraries(_ names: [String], in folder: String) -> LinkerSetting {
  .unsafeFlags(
    ["-L", folder] + names.map { "-l\($0)" } + ["-Xlinker", "-rpath", "-Xlinker", folder]
  )
}

/// The macros, the target that declares them, and their tests; empty if the toolchain has no SwiftSyntax.
///
/// Models are then written by hand.
let macroTargets: [Target] =
  hostModules.map { folder in
    [
      // Separate from the plugin: tests that depend on the plugin, and everything they need, would be built
      // twice, once for the compiler and once for the target machine.
      .target(
        name: "ModelExpansion",
        swiftSettings: settings + [.unsafeFlags(["-I", folder])],
        linkerSettings: [
          hostLibraries(
            [
              "SwiftSyntax", "SwiftSyntaxMacros", "SwiftSyntaxBuilder", "SwiftDiagnostics",
              "SwiftParser", "SwiftCompilerPluginMessageHandling",
            ],
            in: folder
          )
        ]
      ),
      .macro(
        name: "SwiftDataMacros",
        dependencies: ["ModelExpansion"],
        swiftSettings: settings + [.unsafeFlags(["-I", folder])]
      ),
      .target(
        name: "ModelMacros",
        dependencies: ["OpenSwiftData", "SwiftDataMacros"],
        swiftSettings: settings
      ),
      .executableTarget(
        name: "model-bench",
        dependencies: ["SwiftData", "OpenSwiftData", "ModelMacros", "Stores", "SQLiteStores"],
        swiftSettings: settings
      ),
      // Models as in other packages: in Swift 5 mode, and with the main actor as default isolation.
      .target(
        name: "SwiftFiveModels",
        dependencies: ["SwiftData"],
        path: "Tests/SwiftFiveModels",
        swiftSettings: [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
      ),
      .target(
        name: "MainActorModels",
        dependencies: ["SwiftData"],
        path: "Tests/MainActorModels",
        swiftSettings: settings + [.defaultIsolation(MainActor.self)]
      ),
      // Long predicates: type checking may take at most 1.5 times the steps that Foundation alone needs.
      .target(
        name: "LongPredicates",
        dependencies: ["SwiftData"],
        path: "Tests/LongPredicates",
        swiftSettings: settings + [
          .unsafeFlags(["-Xfrontend", "-solver-scope-threshold=300000"])
        ]
      ),
      // Models for which the macros print warnings; the tests of the macros check the warnings.
      .target(
        name: "PublicModels",
        dependencies: ["SwiftData"],
        path: "Tests/PublicModels",
        swiftSettings: [.unsafeFlags(["-suppress-warnings"])]
      ),
      // Constants in models, which are errors in Swift 6 mode.
      .target(
        name: "ConstantModels",
        dependencies: ["SwiftData"],
        path: "Tests/ConstantModels",
        swiftSettings: [.swiftLanguageMode(.v5), .unsafeFlags(["-suppress-warnings"])]
      ),
      // Declares common names of other modules, which must not become ambiguous.
      .target(name: "OtherNames", path: "Tests/OtherNames", swiftSettings: settings),
      .testTarget(
        name: "ModelMacrosTests",
        dependencies: [
          "SwiftData", "OpenSwiftData", "ModelExpansion", "DataStoreTesting", "SwiftFiveModels",
          "MainActorModels", "OtherNames", "LongPredicates", "PublicModels", "ConstantModels",
        ],
        swiftSettings: settings + [.unsafeFlags(["-I", folder])],
        linkerSettings: [hostLibraries(["SwiftSyntaxMacroExpansion"], in: folder)]
      ),
    ]
  } ?? []

/// Additional dependencies of `SwiftData`: the macros, or a warning that they are missing.
let macroDependencies: [Target.Dependency] = hostModules == nil ? [] : ["ModelMacros"]
let macroSettings: [SwiftSetting] = hostModules == nil ? [] : settings + [.define("MODEL_MACROS")]

/// The fuzzer, whose `main` comes from libFuzzer.
///
/// Only `make fuzz` builds it, with the flags it needs.
let fuzzTargets: [Target] =
  ProcessInfo.processInfo.environment["CATALOG_FUZZ"] == nil
  ? []
  : [
    .executableTarget(
      name: "catalog-fuzz",
      dependencies: ["FuzzTargets"],
      swiftSettings: settings
    )
  ]

let package = Package(
  name: "Catalog",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "OpenSwiftData", targets: ["OpenSwiftData"]),
    .library(name: "SwiftData", targets: ["SwiftData"]),
    .library(name: "StoreFiles", targets: ["StoreFiles"]),
    // A configuration for models in SQLite; programs that do not use it link nothing new.
    .library(name: "SQLiteStores", targets: ["SQLiteStores"]),
    // The same for PostgreSQL, whose library is loaded when a store is opened.
    .library(name: "PostgresStores", targets: ["PostgresStores"]),
    .library(name: "DataStoreTesting", targets: ["DataStoreTesting"]),
    .executable(name: "catalog", targets: ["catalog"]),
    // For programs that add kinds of stores.
    .library(name: "CatalogProgram", targets: ["CatalogProgram"]),
  ],
  targets: [
    // One target per C library, each with exactly one importer.
    .systemLibrary(name: "CNcurses"),
    .systemLibrary(name: "CXXHash"),
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CZstd"),
    .systemLibrary(name: "CUTF8Proc"),
    .systemLibrary(name: "CGetopt"),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    // It loads libpq when a database is opened; only the headers are needed here.
    .target(
      name: "CPostgreSQL",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
    ),
    .target(name: "CTerminal", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "CSystem", cSettings: [.define("_GNU_SOURCE")]),
    .target(name: "CRuntime"),
    .target(name: "CDelimited"),
    .target(name: "CEmptyICU"),
    .target(name: "CRE2", linkerSettings: [.linkedLibrary("re2")]),
    .target(
      name: "CSimdjson",
      dependencies: ["CDelimited"],
      linkerSettings: [.linkedLibrary("simdjson")]
    ),

    // The library. It accesses no files, sockets or terminals.
    .target(
      name: "OpenSwiftData",
      dependencies: ["CRuntime", "CDelimited", "CRE2"],
      swiftSettings: settings
    ),
    .target(
      name: "SwiftData",
      dependencies: ["OpenSwiftData", "DefaultStorage"] + macroDependencies,
      swiftSettings: macroSettings
    ),
    .target(name: "DataStoreTesting", dependencies: ["OpenSwiftData"], swiftSettings: settings),

    // The stores.
    .target(
      name: "Stores",
      dependencies: ["OpenSwiftData", "CSystem", "CSimdjson", "CXXHash", "CZlib", "CZstd"],
      swiftSettings: settings
    ),

    // What stores in databases share: filters, tables and saves as SQL. It opens no database.
    // Values computed from records: `price * 1.1`.
    .target(name: "Expressions", dependencies: ["OpenSwiftData"], swiftSettings: settings),
    .target(name: "SQL", dependencies: ["OpenSwiftData"], swiftSettings: settings),
    .target(
      name: "SQLiteStores",
      dependencies: ["OpenSwiftData", "Stores", "SQL", "CSQLite"],
      swiftSettings: settings
    ),

    .target(
      name: "PostgresStores",
      dependencies: ["OpenSwiftData", "SQL", "Stores", "CPostgreSQL"],
      swiftSettings: settings
    ),

    // Files and folders for stores of other packages.
    .target(
      name: "StoreFiles",
      dependencies: ["OpenSwiftData", "Stores"],
      swiftSettings: settings
    ),

    // The store of programs that name none: `ModelConfiguration`, `DefaultStore`.
    .target(
      name: "DefaultStorage",
      dependencies: ["OpenSwiftData", "Stores"],
      swiftSettings: settings
    ),

    // The program: its logic without a terminal, the terminal, and the executable that combines them.
    .target(
      name: "CatalogApp",
      dependencies: ["OpenSwiftData", "Expressions", "CUTF8Proc"],
      swiftSettings: settings
    ),
    .target(
      name: "Terminal",
      dependencies: ["CatalogApp", "CNcurses", "CTerminal"],
      swiftSettings: settings
    ),
    .target(
      name: "CatalogProgram",
      dependencies: [
        "OpenSwiftData", "Stores", "SQLiteStores", "PostgresStores", "CatalogApp", "Terminal",
        "CGetopt",
      ],
      resources: [.embedInCode("../../Resources/films.json")],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "catalog",
      dependencies: ["CatalogProgram", "CEmptyICU"],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "catalog-bench",
      dependencies: ["OpenSwiftData", "Stores", "SQLiteStores"],
      swiftSettings: settings
    ),

    // Instruments that test the stores: a file system in memory, crash states, failing calls, damaged bytes.
    .target(name: "CFaultySQLite", linkerSettings: [.linkedLibrary("sqlite3")]),
    .target(
      name: "StoreTorture",
      dependencies: [
        "Stores", "SQLiteStores", "CFaultySQLite", "OpenSwiftData", "DataStoreTesting",
      ],
      swiftSettings: settings
    ),
    // Checks of every parser of external bytes, for the fuzzers and the tests.
    .target(
      name: "FuzzTargets",
      dependencies: [
        "StoreTorture", "Stores", "OpenSwiftData", "CatalogApp", "Terminal", "DataStoreTesting",
      ],
      swiftSettings: settings
    ),
    .executableTarget(
      name: "store-torture",
      dependencies: [
        "StoreTorture", "FuzzTargets", "Stores", "OpenSwiftData", "CatalogApp", "Terminal",
        "DataStoreTesting",
      ],
      swiftSettings: settings
    ),

    .testTarget(
      name: "OpenSwiftDataTests",
      dependencies: ["OpenSwiftData", "SwiftData", "StoreFiles", "DataStoreTesting"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "StoresTests",
      dependencies: ["Stores", "SQLiteStores", "OpenSwiftData", "DataStoreTesting"],
      // Files of earlier versions; the tests read them from the source folder.
      exclude: ["Fixtures"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "ExpressionsTests",
      dependencies: ["Expressions", "OpenSwiftData", "DataStoreTesting"],
      // The tests read it from the source folder.
      exclude: ["Fixtures"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SQLTests",
      dependencies: ["SQL", "OpenSwiftData", "DataStoreTesting"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "SQLiteStoresTests",
      dependencies: [
        "SQLiteStores", "SQL", "Stores", "OpenSwiftData", "SwiftData", "DataStoreTesting",
      ],
      // Schemas of other programs; the tests read them from the source folder.
      exclude: ["Databases"],
      swiftSettings: settings
    ),
    // Most of them need a server: make test-servers.
    .testTarget(
      name: "PostgresStoresTests",
      dependencies: ["PostgresStores", "SQL", "OpenSwiftData", "DataStoreTesting"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "StoreTortureTests",
      dependencies: ["StoreTorture", "FuzzTargets", "Stores", "OpenSwiftData", "DataStoreTesting"],
      // Inputs kept from fuzzing; the tests read them from the source folder.
      exclude: ["Corpus"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "StoreFilesTests",
      dependencies: ["StoreFiles", "OpenSwiftData", "Stores", "StoreTorture"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "DefaultStorageTests",
      dependencies: ["DefaultStorage", "OpenSwiftData", "SwiftData", "Stores"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CatalogAppTests",
      dependencies: ["CatalogApp", "OpenSwiftData", "Stores", "DataStoreTesting"],
      // The tests read it from the source folder.
      exclude: ["Fixtures"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "TerminalTests",
      dependencies: ["Terminal", "CatalogApp", "CTerminal", "DataStoreTesting"],
      swiftSettings: settings
    ),
    .testTarget(
      name: "CatalogTests",
      dependencies: [
        "catalog", "CatalogProgram", "CatalogApp", "OpenSwiftData", "Stores", "SQLiteStores", "SQL",
        "DataStoreTesting",
      ],
      exclude: ["Fixtures"],
      swiftSettings: settings
    ),
  ] + macroTargets + fuzzTargets,
  cxxLanguageStandard: .cxx17
)
