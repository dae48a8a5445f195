import Foundation
import Testing

/// The import directions that the architecture page promises; the build checks them, too.
@Suite struct ImportDirectionTests {
  /// The modules of this package and of C that each target may import.
  static let allowed: [(target: String, modules: Set<String>)] = [
    ("OpenSwiftData", ["CRuntime", "CDelimited", "CRE2"]),
    ("ModelMacros", ["OpenSwiftData"]),
    ("SwiftDataMacros", ["ModelExpansion", "SwiftCompilerPluginMessageHandling"]),
    (
      "ModelExpansion",
      [
        "SwiftSyntax", "SwiftSyntaxBuilder", "SwiftSyntaxMacros", "SwiftDiagnostics",
        "SwiftCompilerPluginMessageHandling",
      ]
    ),
    ("SwiftData", ["OpenSwiftData", "DefaultStorage", "ModelMacros"]),
    ("StoreFiles", ["OpenSwiftData", "Stores"]),
    ("DefaultStorage", ["OpenSwiftData", "Stores", "Glibc"]),
    ("model-bench", ["OpenSwiftData", "SwiftData", "Stores", "SQLiteStores"]),
    ("DataStoreTesting", ["OpenSwiftData"]),
    ("Stores", ["OpenSwiftData", "CSystem", "CSimdjson", "CXXHash", "CZlib", "CZstd", "Glibc"]),
    ("Expressions", ["OpenSwiftData"]),
    ("CatalogApp", ["OpenSwiftData", "Expressions", "CUTF8Proc"]),
    ("Terminal", ["CatalogApp", "CNcurses", "CTerminal", "Glibc"]),
    ("SQL", ["OpenSwiftData"]),
    ("SQLiteStores", ["OpenSwiftData", "Stores", "SQL", "CSQLite"]),
    ("PostgresStores", ["OpenSwiftData", "SQL", "Stores", "CPostgreSQL"]),
    (
      "CatalogProgram",
      [
        "OpenSwiftData", "Stores", "SQLiteStores", "PostgresStores", "CatalogApp", "Terminal",
        "CGetopt", "Glibc",
      ]
    ),
    ("catalog", ["CatalogProgram"]),
    ("catalog-bench", ["OpenSwiftData", "Stores", "SQLiteStores"]),
  ]
  static let neutral: Set<String> = ["Dispatch", "Foundation", "Observation", "Synchronization"]

  private static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")

  private func imports(of target: String) throws -> [(file: String, module: String)] {
    let folder = Self.sources.appendingPathComponent(target)
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return try names.filter { $0.hasSuffix(".swift") }.flatMap { name in
      let text = try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
      let kinds = "(?:(?:class|struct|enum|protocol|typealias|func) )?"
      let imports = try Regex(
        "(?m)^[a-z@_() ]*\\bimport \(kinds)(\\w+)",
        as: (Substring, Substring).self
      )
      return text.matches(of: imports).map { (name, String($0.1)) }
    }
  }

  @Test(arguments: allowed)
  func everyTargetImportsOnlyWhatItMay(target: String, modules: Set<String>) throws {
    let found = try imports(of: target)
    #expect(!found.isEmpty)
    for (file, module) in found {
      #expect(modules.union(Self.neutral).contains(module), "\(target)/\(file) imports \(module)")
    }
  }

  @Test func inStoresOnlyTheLocalFilesTalkToTheSystem() throws {
    let files = try imports(of: "Stores").filter { $0.module == "Glibc" }.map(\.file)
    #expect(files.sorted() == ["FileSystem/FileWatch.swift", "FileSystem/LocalFileSystem.swift"])
  }
}
