import CatalogApp
import OpenSwiftData
import Testing

/// What is told about values and deletions of several marked records.
@Suite struct MarkedEntryTests {
  /// The reason disappeared under the line when Enter was pressed.
  @Test func theReasonOfARefusedValueStays() throws {
    let screen = try ScreenFixture.films()
    try screen.press("Space j Space l c abc")
    #expect(screen.text.contains("\"abc\" is not a whole number"), "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.text.contains("\"abc\" is not a whole number"), "\(screen.text)")
    #expect(screen.message.hasPrefix("releaseYear of 2 marked records: abc"), "\(screen.text)")
    #expect(!screen.status.contains("unsaved"))
  }

  /// The rows of the screen, the records that are named, and how many more there are.
  @Test(arguments: [
    (6, 0, nil), (7, 0, "… and 5 more"), (8, 1, "… and 4 more"), (9, 2, "… and 3 more"),
    (11, 5, nil), (12, 5, nil), (24, 5, nil),
  ])
  func aQuestionInAFewLinesTellsWhatItLeavesOut(rows: Int, named: Int, more: String?) throws {
    let screen = try ScreenFixture.numbered(5, size: Size(columns: 60, rows: rows))
    try screen.press("* d")
    let question = try #require(
      screen.lines.firstIndex { $0.contains("delete 5") },
      "\(screen.text)"
    )
    let popup = screen.lines[question...]
    #expect(popup.count { $0.contains("item ") } == named, "\(screen.text)")
    #expect(popup.contains { $0.contains("y  delete them") }, "\(screen.text)")
    #expect(popup.contains { $0.contains("n  cancel") }, "\(screen.text)")
    #expect(popup.contains { $0.contains("… and") } == (more != nil), "\(screen.text)")
    if let more { #expect(screen.text.contains(more), "\(screen.text)") }
  }

  /// A value that is spelled otherwise is told to be the present one.
  @Test(arguments: [
    ("2,009", "2009 is the present value"), ("2009", nil), ("2010", nil),
    ("2,010", "Enter stores 2010"),
  ])
  func thePresentValueIsRecognized(typed: String, note: String?) throws {
    let screen = try ScreenFixture.films()
    try screen.press("l e C-u \"\(typed)\"")
    #expect(screen.message.hasPrefix(note ?? "releaseYear: integer"), "\(screen.text)")
  }
}
