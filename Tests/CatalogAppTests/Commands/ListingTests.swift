import CatalogApp
import OpenSwiftData
import Testing

/// Distinct rows, dictionary order, Markdown, and what stands for missing values.
@Suite struct ListingTests {
  private static let titles = [
    "Zebra", "apple", "Äpfel", "Apple", "étude", "Etude", "Toy Story 10", "Toy Story 2",
    "toy story 2",
    "part 007", "part 12", "part 123456789012",
  ]

  @Test func dictionaryOrderIgnoresCaseAndAccentsAndCountsNumbers() throws {
    let fixture = try ScriptFixture()
    try fixture.run(Self.titles.map { "insert title=\"\($0)\"" }.joined(separator: "\n"))
    let result = try fixture.run(
      "list sort title[l] fields title\nlist sort -title[l] limit 1 fields title\n"
        + "list sort `title`[l],-releaseYear limit 1 fields title"
    )
    #expect(
      result.output == """
        title
        Äpfel
        Apple
        apple
        Etude
        étude
        part 007
        part 12
        part 123456789012
        Toy Story 2
        toy story 2
        Toy Story 10
        Zebra
        title
        Zebra
        title
        Äpfel

        """,
      "\(result)"
    )
    #expect(try fixture.run("list fields title[l]").errors.contains("no field \"title[l]\""))
  }

  @Test func distinctRowsArePrintedOnce() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run(
      """
      list sort director fields director distinct
      list distinct fields director,seen sort director limit 1 offset 1
      export d.csv fields director distinct
      list distinct
      """
    )
    #expect(
      result.output
        == "director\nAndrew Stanton\nPete Docter\ndirector\tseen\nPete Docter\ttrue\n",
      "\(result)"
    )
    #expect(fixture.services.text("d.csv") == "director\r\nPete Docter\r\nAndrew Stanton\r\n")
    #expect(result.errors == "4: distinct: missing columns; use \"fields A,B distinct\"\n")
  }

  @Test func markdownShowsTextAsItIs() throws {
    let fixture = try ScriptFixture(format: .md)
    let result = try fixture.run(
      #"""
      insert title="a|b\nc\\d" releaseYear=5 director="*x* snake_case _y_ <b> [z] & &amp; ~ `"
      list fields title,releaseYear,director
      list where false fields title
      freq releaseYear
      """#
    )
    #expect(
      result.output == #"""
        t1
        | title | releaseYear | director |
        | --- | ---: | --- |
        | a\|b<br>c\\d | 5 | \*x\* snake_case \_y\_ \<b> \[z] & \&amp; \~ \` |
        | title |
        | --- |
        | value | count |
        | ---: | ---: |
        | 5 | 1 |

        """#,
      "\(result)"
    )
  }

  @Test func filesCanBeMarkdown() throws {
    let fixture = try ScriptFixture.withFilms()
    let result = try fixture.run("export f.md fields title,rating limit 1\nimport f.md")
    #expect(
      fixture.services.text("f.md") == "| title | rating |\n| --- | ---: |\n| Up | 8.3 |\n",
      "\(result)"
    )
    #expect(result.errors.contains("\"f.md\": unknown format"))
  }

  @Test(arguments: [
    (OutputFormat.tsv, "A\t-\n"), (.csv, "A,-\r\n"), (.md, "| A | - |\n"), (.table, "A  -\n"),
    (.jsonl, "{\"a\": \"A\", \"b\": null}\n"), (.json, "[\n  {\"a\": \"A\", \"b\": null}\n]\n"),
  ])
  func headingsAndMissingValuesCanBeChosen(format: OutputFormat, text: String) throws {
    var style = OutputStyle()
    style.hasHeading = false
    style.nullText = "-"
    var printed = ""
    let printer = ResultPrinter(format, isTerminal: false, style: style) {
      printed += String(decoding: $0, as: UTF8.self)
    }
    let table = OutputTable(columns: ["a", "b"], rows: [[.text("A"), .null]])
    let context = try ScriptFixture().session.context
    try printer.print(.table(table), context: context)
    #expect(printed == text)
  }
}
