import Foundation
import SQL
import Testing

@testable import SQLiteStores

/// The pages for people who come from VisiData and from sqlite3, each row of which is run.
@Suite struct FromOtherProgramsTests {
  /// A page with the rows of its tables, and the file that they are about.
  private struct Page: Sendable, CustomTestStringConvertible {
    let name: String
    let file: String
    let heading: String
    let groups: [(title: String, rows: [OtherProgramRow])]

    var testDescription: String { name }
    var rows: [OtherProgramRow] { groups.flatMap(\.rows) }

    /// The tables, in Markdown.
    var tables: String {
      groups.map { group in
        "\n## \(group.title)\n\n| \(heading) | here |\n|---|---|\n"
          + group.rows.map(\.markdown).joined()
      }.joined() + "\n"
    }
  }

  private static let pages = [
    Page(
      name: "from-sqlite3.md",
      file: "shop.db",
      heading: "in sqlite3",
      groups: OtherProgramRow.sqlite
    ),
    Page(
      name: "from-visidata.md",
      file: "films.csv",
      heading: "in VisiData",
      groups: OtherProgramRow.visidata
    ),
  ]

  /// A folder with the file of a page, and others that its rows name.
  private func folder(_ page: Page) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    if page.file == "shop.db" {
      try folder.database(page.file, OtherProgramRow.customers, OtherProgramRow.orders)
      for rows in OtherProgramRow.shop { try folder.database(page.file, rows) }
    }
    for (name, text) in OtherProgramRow.files { try folder.write(text, to: name) }
    return folder
  }

  private func run(_ row: OtherProgramRow, _ page: Page, in folder: TemporaryFolder) throws
    -> ProgramRun
  {
    switch row.run {
    case .script(let commands):
      let arguments = (commands + ["quit!"]).flatMap { ["-e", $0] }
      return try folder.run([page.file] + arguments)
    case .arguments(let arguments):
      return try folder.run([page.file] + arguments)
    case .keys(let keys):
      return try folder.run([page.file, "--keys", "-"], input: keys)
    }
  }

  @Test(arguments: pages) private func eachRowDoesWhatThePageSays(page: Page) throws {
    #expect((25...60).contains(page.rows.count))
    for row in page.rows {
      let folder = try folder(page)
      let run = try run(row, page, in: folder)
      let discards = run.errors.hasPrefix("catalog: discarded")
      #expect(run.status == 0 || run.status == 3 && discards, "\(row.here): \(run)")
      let isNote = run.errors.hasPrefix("catalog: note: ")
      #expect(run.errors.isEmpty || discards || isNote, "\(row.here): \(run)")
      for text in row.shows { #expect(run.output.contains(text), "\(row.here): \(run)") }
    }
  }

  /// What a query of the page returns, compared with what its list prints, in any order.
  @Test func eachListPrintsWhatTheQueryReturns() throws {
    let page = Self.pages[0]
    let folder = try folder(page)
    let connection = try folder.database(page.file)
    var count = 0
    for row in page.rows where row.theirs.hasPrefix("`SELECT") {
      guard case .script(let commands) = row.run, commands[0].hasPrefix("list") else { continue }
      let printed = try run(row, page, in: folder).output.split(separator: "\n").dropFirst()
      let query = SQLText(row.theirs.replacing("`", with: "").replacing("…", with: ""))
      let rows = try connection.rows(query).map { $0.map(Self.text).joined(separator: "\t") }
        // A list of one missing value is an empty line.
        .filter { !$0.isEmpty }
      let isInOrder = row.theirs.contains("ORDER BY")
      #expect(
        isInOrder
          ? rows == printed.map(String.init) : rows.sorted() == printed.map(String.init).sorted(),
        "\(row.theirs)"
      )
      count += 1
    }
    #expect(count > 10)
  }

  private static func text(_ value: SQLValue) -> String {
    switch value {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): number == number.rounded() ? "\(Int(number))" : "\(number)"
    case .text(let text): "\(text)"
    default: "?"
    }
  }

  /// `CATALOG_WRITE_DOCS=1` writes the tables.
  @Test(arguments: pages) private func thePageHasTheRows(page: Page) throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/\(page.name)")
    let text = try String(contentsOf: file, encoding: .utf8)
    let start = try #require(text.range(of: "<!-- The tables: make pages. -->\n"))
    let end = try #require(text.range(of: "<!-- End of the tables. -->"))
    if ProcessInfo.processInfo.environment["CATALOG_WRITE_DOCS"] != nil {
      let written = text[..<start.upperBound] + page.tables + text[end.lowerBound...]
      return try Data(written.utf8).write(to: file)
    }
    #expect(text[start.upperBound..<end.lowerBound] == page.tables)
  }
}
