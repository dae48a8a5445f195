import CatalogApp
import OpenSwiftData
import Testing

/// Choosing a value from those of other records.
@Suite struct ValuePickerTests {
  @Test func allValuesAreSearched() throws {
    let screen = try ScreenFixture.numbered(250)
    try screen.press("l e C-t")
    #expect(screen.text.contains("choose a value of name · 1/100 of 250 ─"), "\(screen.text)")
    try screen.press("\"ITEM 24\"")
    #expect(screen.text.contains("· 1/11 ─"), "\(screen.text)")
    #expect(screen.text.contains(">item 24\n"), "\(screen.text)")
    try screen.press("9 Enter Enter")
    #expect(screen.lines[1].contains("item 249"), "\(screen.text)")
    try screen.press("0 e C-t 19")
    #expect(screen.text.contains("choose a value of number · 1/13 ─"), "\(screen.text)")
    try screen.press("x")
    #expect(screen.text.contains("· 0/0 ─"), "\(screen.text)")
  }

  /// The name of the last record is not among the first hundred ones.
  @Test(arguments: ["g", "j", "G"]) func theCurrentValueIsSelected(move: String) throws {
    let screen = try ScreenFixture.numbered(250)
    try screen.press("l \(move) e C-t")
    let name = ["g": "item 1", "j": "item 2", "G": "item 250"][move] ?? ""
    #expect(screen.lines.contains { $0.contains("  >\(name) ") }, "\(screen.text)")
    try screen.press("Enter Enter")
    #expect(!screen.status.contains("unsaved"), "\(screen.text)")
    #expect(screen.message.isEmpty || !screen.message.contains("set"), "\(screen.text)")
  }

  @Test func theCurrentRecordIsSelected() throws {
    let screen = try DetailsTests.films(size: Size(columns: 80, rows: 24))
    try screen.press("l e C-t ghb Enter Enter w e C-t")
    #expect(screen.text.contains("choose a record of Studio · 2/2 ─"), "\(screen.text)")
    try screen.press("Enter Enter")
    #expect(!screen.status.contains("unsaved"), "\(screen.text)")
  }
}
