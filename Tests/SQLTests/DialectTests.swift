import Foundation
import Testing

/// What only one database understands stands in the folder of its dialect.
@Suite struct DialectTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Sources/SQL")

  @Test(
    arguments: [
      "typeof", "main.", "COLLATE BINARY", "COLLATE NOCASE", "9e999", "instr", "::",
      "DISTINCT FROM",
      "starts_with", "strpos", "ANY(", "unnest",
    ]
  )
  func wordsOfADialectStandInItsFolder(word: String) throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.folder,
      includingPropertiesForKeys: nil
    )
    .filter { $0.pathExtension == "swift" }
    try #require(files.count > 5)
    let found = try files.filter { file in
      try String(contentsOf: file, encoding: .utf8).split(separator: "\n").contains { line in
        line.contains(word) && !line.drop { $0 == " " }.hasPrefix("//")
      }
    }
    #expect(found.map(\.lastPathComponent) == [])
  }
}
