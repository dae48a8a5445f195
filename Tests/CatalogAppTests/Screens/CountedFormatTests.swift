import CatalogApp
import Testing

/// The list of the values of a column shows them as the table does.
@Suite struct CountedFormatTests {
  @Test func countedValuesHaveTheFormatOfTheColumn() throws {
    let screen = try ScreenFixture.films()
    try screen.press("3l : \"column format boxOffice money=€\" Enter F")
    #expect(screen.text.contains("€735.10"), "\(screen.text)")
    // A value that the format rounds is told from others by its exact text, and chosen as it is.
    try screen.press("Escape : \"column format money=€ decimals=0\" Enter F")
    #expect(screen.text.contains("· 735.1"), "\(screen.text)")
    try screen.press("/ 735.1 Enter Enter")
    #expect(screen.chips.contains("boxOffice = 735.1"), "\(screen.text)")
  }
}
