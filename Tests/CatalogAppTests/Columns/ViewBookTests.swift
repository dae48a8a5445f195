import CatalogApp
import OpenSwiftData
import Testing

/// The file with views.
@Suite struct ViewBookTests {
  private static func book() throws -> ViewBook {
    var columns = ColumnArrangement(of: ScriptFixture.film)
    columns.showsIdentifier = false
    columns.change("title") { $0.width = 20 }
    columns.change("rating") { $0.isHidden = true }
    columns.show(
      [TableColumn("a b.\"c\"", path: TableColumn.Path(field: "a b", type: .link("x:y")))],
      after: "title"
    )
    let format = try ColumnFormat(words: ["money=€ x", "decimals=1"])
    columns.change("boxOffice") { $0.format = format }
    var book = ViewBook()
    book.current["Film"] = TableView(
      columns: columns,
      filter: "title contains \"a\\\"b\" # no\ncomment",
      sort: [SortKey("releaseYear", isDescending: true), SortKey("title[l]")],
      group: "a b.\"c\""
    )
    book.named["Film"] = ["the best": TableView(filter: "rating > 8"), "x": TableView()]
    return book
  }

  @Test func aBookIsReadAsItWasWritten() throws {
    var book = try Self.book()
    // A sign with a space is one word only in the file.
    book.current["Film"]?.columns.change("boxOffice") {
      $0.format = (try? ColumnFormat(words: ["money=€", "decimals=1"])) ?? ColumnFormat()
    }
    #expect(try ViewBook(parsing: book.text) == book)
  }

  static let wrong: [(text: String, message: String)] = [
    ("", "line 1: expected \"catalog views 1\""),
    ("catalog views 2\n", "line 1: expected \"catalog views 1\""),
    ("catalog views 1\n  filter x", "line 2: expected \"entity NAME\""),
    ("catalog views 1\nentity", "line 2: expected one name after \"entity\""),
    ("catalog views 1\nentity A\n  column a wide", "line 3: column: unexpected \"wide\""),
    ("catalog views 1\nentity A\n  column a width=0", "line 3: width: \"0\" is not a width"),
    ("catalog views 1\nentity A\n  column a path=b", "line 3: path: expected FIELD:TYPE"),
    ("catalog views 1\nentity A\n  column a format=b", "line 3: unknown format \"b\""),
    (
      "catalog views 1\nentity A\n\n  colour a",
      "line 4: expected a column, a sort key, a group or a filter"
    ),
    ("catalog views 1\nentity \"A", "line 2: "),
  ]

  @Test(arguments: wrong)
  func aWrongLineIsNamed(text: String, message: String) throws {
    let error = #expect(throws: CommandError.self) { try ViewBook(parsing: text) }
    #expect(error?.message.hasPrefix(message) == true, "\(String(describing: error))")
  }

  /// Reading any beginning of a file, and any file with a byte changed, ends with a book or an error.
  @Test func damagedTextIsReadOrRefused() throws {
    let bytes = Array(try Self.book().text.utf8)
    for end in bytes.indices {
      _ = try? ViewBook(parsing: String(decoding: bytes[..<end], as: UTF8.self))
      var other = bytes
      other[end] ^= 0x15
      _ = try? ViewBook(parsing: String(decoding: other, as: UTF8.self))
    }
  }
}
