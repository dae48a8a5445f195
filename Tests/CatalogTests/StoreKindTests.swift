import CatalogProgram
import Foundation
import Testing

/// The kinds of stores in the texts of the program, and how a location selects one.
@Suite struct StoreKindTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func resource(_ name: String) throws -> String {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appendingPathComponent(name), encoding: .utf8)
  }

  @Test(arguments: StoreKind.standard.map(\.name))
  func helpCompletionsAndManualNameEveryKind(_ name: String) throws {
    let kind = try #require(StoreKind.standard.first { $0.name == name })
    let help = try folder.run(["--help"]).output
    let form =
      kind.schemes.first.map { "\($0)://" } ?? (name == "memory" ? "memory:" : "\(name):PATH")
    #expect(help.contains(form), "--help does not name \(form)")
    let line = try #require(help.split(separator: "\n").first { $0.contains("--store KIND") })
    #expect(line.contains(name), "\(line)")
    let manual = try Self.resource("Resources/catalog.1")
    #expect(manual.contains(".Ql \(form)"), "the manual does not name \(form)")
    for ending in kind.endings {
      #expect(manual.contains("\(ending)"), "the manual does not name \(ending)")
    }
    for shell in ["bash", "zsh", "fish"] {
      let text = try folder.run(["--completions", shell]).output
      let words = text.split(separator: "\n").first { $0.contains("memory json csv log") }
      #expect(words?.contains(name) ?? false, "\(shell) does not complete --store \(name)")
    }
    let readme = try Self.resource("README.md")
    #expect(readme.contains("`\(form)"), "the README does not name \(form)")
  }

  @Test func aLogIsRecognizedByItsContent() throws {
    #expect(try folder.run(["a.catlog", "--sample", "-e", "save"]).status == 0)
    try FileManager.default.moveItem(
      atPath: folder.file("a.catlog"),
      toPath: folder.file("films.dat")
    )
    #expect(try folder.run(["films.dat", "-e", "count"]).output == "31\n")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("link"),
      withDestinationPath: "films.dat"
    )
    #expect(try folder.run(["link", "-e", "count"]).output == "31\n")
    // The name decides if it has a known extension, and `--store` before that.
    try FileManager.default.moveItem(
      atPath: folder.file("films.dat"),
      toPath: folder.file("films.json")
    )
    #expect(try folder.run(["films.json", "-e", "count"]).status == 4)
    #expect(try folder.run(["--store", "log", "films.json", "-e", "count"]).output == "31\n")
  }

  @Test func aFolderThatNoKindRecognizesIsRefused() throws {
    try FileManager.default.createDirectory(
      atPath: folder.file("notes"),
      withIntermediateDirectories: false
    )
    for location in ["notes", "notes/"] {
      let run = try folder.run([location, "-e", "count"])
      #expect(run.status == 4 && run.errors.contains("is a directory"), "\(run.errors)")
    }
  }
}
