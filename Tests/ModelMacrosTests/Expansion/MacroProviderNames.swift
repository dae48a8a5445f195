import Foundation

@testable import ModelExpansion

/// The type names of macros: those in the declarations, and those that exist.
struct MacroProviderNames {
  let implemented = Set(MacroProvider.macros.keys)

  func declared(file: String = #filePath) throws -> Set<String> {
    let root = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let folder = root.appendingPathComponent("Sources/ModelMacros")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    let texts = try names.map {
      try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
    }
    return Set(
      texts.flatMap { text in
        text.matches(of: /module: "SwiftDataMacros", type: "(\w+)"/).map { String($0.1) }
      }
    )
  }
}
