import Foundation
import Testing

/// The order of the library's folders, which `make lint` checks with `Scripts/check-folders`.
@Suite struct FolderOrderTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// Runs the script on a source tree and returns its output; empty if the order is respected.
  private func complaints(about root: URL) throws -> String {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = [
      Self.root.appending(path: "Scripts/check-folders").path(percentEncoded: false),
      root.path(percentEncoded: false),
    ]
    let pipe = Pipe()
    process.standardError = pipe
    process.standardOutput = pipe
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let text = String(decoding: output, as: UTF8.self)
    #expect(text.isEmpty == (process.terminationStatus == 0))
    return text.replacing(root.path(percentEncoded: false), with: "ROOT/").replacing(
      "//",
      with: "/"
    )
  }

  /// The output of the script for a small library with two folders, `Early` before `Late`.
  private func complaints(
    about source: String,
    in file: String,
    excepting exceptions: String = ""
  ) throws -> String {
    let root = FileManager.default.temporaryDirectory.appending(path: "folders-\(UUID())")
    defer { try? FileManager.default.removeItem(at: root) }  // The system clears its folder anyway.
    let files = [
      "Scripts/folders": "Small: Early Late\n\(exceptions)\n",
      "Sources/Small/Early/First.swift": "struct First {}\n",
      "Sources/Small/Late/Last.swift": """
      public final class Last<T> {}

      extension First {
        enum Mode { case on }
      }

      private struct Hidden {}

      """,
      file: source,
    ]
    for (name, text) in files {
      let place = root.appending(path: name)
      try FileManager.default.createDirectory(
        at: place.deletingLastPathComponent(),
        withIntermediateDirectories: true
      )
      try Data(text.utf8).write(to: place)
    }
    return try complaints(about: root)
  }

  @Test func theLibraryIsInOrder() throws {
    #expect(try complaints(about: Self.root) == "")
  }

  @Test(arguments: [
    ("let last: Last<Int>?\n", "Last"), ("\nfunc use(_ mode: First.Mode) {}\n", "First.Mode"),
    ("let text = \"{ // \"; let last = Last<Int>()\n", "Last"),
  ])
  func aReferenceThatRunsBackIsRefused(source: String, type: String) throws {
    let found = try complaints(about: source, in: "Sources/Small/Early/Second.swift")
    let line = source.hasPrefix("\n") ? 2 : 1
    #expect(
      found == "lint: ROOT/Sources/Small/Early/Second.swift:\(line): "
        + "Early names \(type) of Late, which comes after it\n"
    )
  }

  @Test(arguments: [
    "// Last\n", "/* Last\nLast */\n", "let text = \"Last\"\n", "let text = \"\"\"\nLast\n\"\"\"\n",
    "let text = #\"Last\"#\n", "struct Hidden {}\nlet hidden: Hidden\n", "let first: First\n",
  ])
  func whatIsNoReferenceIsLeftAlone(source: String) throws {
    #expect(try complaints(about: source, in: "Sources/Small/Early/Second.swift") == "")
  }

  @Test func anExceptionHoldsForOneTypeInOneFileAndMustBeNeeded() throws {
    let exception = "except Small/Early/Second.swift Last"
    let file = "Sources/Small/Early/Second.swift"
    #expect(try complaints(about: "let last: Last<Int>?\n", in: file, excepting: exception) == "")
    let unneeded = try complaints(about: "let first: First\n", in: file, excepting: exception)
    #expect(
      unneeded
        == "lint: Scripts/folders lists the exception \"Small/Early/Second.swift Last\", "
        + "which nothing needs\n"
    )
  }

  @Test func aFolderWithoutAPlaceIsRefused() throws {
    let found = try complaints(about: "struct Other {}\n", in: "Sources/Small/Other/Other.swift")
    #expect(
      found == "lint: ROOT/Sources/Small/Other/Other.swift: "
        + "Scripts/folders does not list the folder \"Other\"\n"
    )
  }
}
