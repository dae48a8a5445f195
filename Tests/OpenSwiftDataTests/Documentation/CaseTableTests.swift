import Foundation
import Testing

/// The tables of cases in docs/test-cases.md, whose column "tests" is generated from the tests.
@Suite struct CaseTableTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func markers() throws -> CaseMarkers {
    let tests = root.appending(path: "Tests")
    let files = FileManager.default.enumerator(atPath: tests.path)?.compactMap { $0 as? String }
    var markers = CaseMarkers()
    for file in (files ?? []).sorted() where file.hasSuffix(".swift") {
      let source = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
      markers.read(source, file: file)
    }
    return markers
  }

  /// The page with the tests of each case, and what is wrong, each with what to do.
  private static func update(
    _ page: String,
    from markers: CaseMarkers
  ) -> (page: String, problems: [String]) {
    var problems = markers.problems
    var unknown = Set(markers.tests.keys)
    let lines = page.components(separatedBy: "\n").map { line in
      var cells = line.components(separatedBy: "|")
      guard cells.count == 7 else { return line }
      let name = cells[1].trimmingCharacters(in: .whitespaces)
      guard CaseMarkers.isCase(name) else { return line }
      let tests = (markers.tests[name] ?? []).sorted()
      if tests.isEmpty && cells[5].allSatisfy(\.isWhitespace) {
        problems.append(
          "\(name): no test; write \"Covers \(name).\" above one, or the reason in the last column"
        )
      }
      unknown.remove(name)
      cells[4] = tests.isEmpty ? " " : " \(tests.map { "`\($0)`" }.joined(separator: ", ")) "
      return cells.joined(separator: "|")
    }
    for name in unknown.sorted() {
      let tests = (markers.tests[name] ?? []).sorted().joined(separator: ", ")
      problems.append(
        "\(tests): unknown case \(name); add it to docs/test-cases.md or correct \"Covers \(name)\""
      )
    }
    return (lines.joined(separator: "\n"), problems)
  }

  /// `CATALOG_WRITE_DOCS=1` writes the column.
  @Test func theCasesNameTheirTests() throws {
    let url = Self.root.appending(path: "docs/test-cases.md")
    let old = try String(contentsOf: url, encoding: .utf8)
    let (page, problems) = Self.update(old, from: try Self.markers())
    for problem in problems { Issue.record("\(problem)") }
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      try Data(page.utf8).write(to: url)
    }
    let written = try String(contentsOf: url, encoding: .utf8)
    let rows = Set(page.split(separator: "\n")).subtracting(written.split(separator: "\n"))
    let isCurrent = written == page  // A failed comparison would print both pages.
    #expect(isCurrent, "docs/test-cases.md is not current; run make pages: \(rows.sorted())")
  }

  /// Markers of an example; the sign stands for slashes, so that this file has none itself.
  private static func markers(in source: String) -> CaseMarkers {
    var markers = CaseMarkers()
    markers.read(source.replacing("#", with: "//"), file: "F")
    return markers
  }

  @Test func markersOfTestsAndSuitesAreFound() {
    let markers = Self.markers(
      in: """
        #/ Files.
        #/
        #/ Covers A03.
        @Suite(.serialized) struct FileTests {
          #/ Covers A01, B02.
          @Test(arguments: [
            1, 2,
          ]) func isRead(place: Int) {}

          # Covers A01.
          @Test func isWritten() {}
        }
        """
    )
    #expect(markers.problems == [])
    #expect(
      markers.tests == [
        "A01": ["FileTests.isRead", "FileTests.isWritten"], "A03": ["FileTests"],
        "B02": ["FileTests.isRead"],
      ]
    )
  }

  @Test func markersThatCannotBeReadAreReported() {
    let markers = Self.markers(
      in: """
        struct FileTests {
          # Covers A01.

          @Test func isRead() {}
          # Covers A01 and A02.
          @Test func isWritten() {}
          # Covers A01.
        }
        """
    )
    #expect(markers.tests.isEmpty)
    #expect(
      markers.problems == [
        "F:2: move \"Covers\" directly above @Test or a suite",
        "F:5: write the cases as \"Covers A01, C04.\", not \"Covers A01 and A02.\"",
        "F:7: move \"Covers\" directly above @Test or a suite",
      ]
    )
  }

  @Test func unknownCasesAndCasesWithoutTestsAreReported() {
    var markers = CaseMarkers()
    markers.read("# Covers A01, Z09.\nstruct T {\n}".replacing("#", with: "//"), file: "F")
    let page = """
      | case | what happens | expected | tests | remarks |
      | A01 | a | b | `Old` | kept |
      | A02 | a | b | `Old` | |
      | A03 | a | b | | no test |
      """
    let (updated, problems) = Self.update(page, from: markers)
    #expect(
      updated == """
        | case | what happens | expected | tests | remarks |
        | A01 | a | b | `T` | kept |
        | A02 | a | b | | |
        | A03 | a | b | | no test |
        """
    )
    #expect(
      problems == [
        "A02: no test; write \"Covers A02.\" above one, or the reason in the last column",
        "T: unknown case Z09; add it to docs/test-cases.md or correct \"Covers Z09\"",
      ]
    )
  }
}
