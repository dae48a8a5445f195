import CatalogApp
import OpenSwiftData
import Testing

/// Records as an HTML page and as SQL statements.
@Suite struct TableDocumentTests {
  private static func fixture(_ format: OutputFormat) throws -> ScriptFixture {
    let fixture = try ScriptFixture(format: format)
    try fixture.run(#"insert title="It's <b>\n& \"x\"" releaseYear=5 boxOffice=2.50 seen=true"#)
    return fixture
  }

  private static let fields = "title,releaseYear,boxOffice,seen,director"

  @Test func aPageHasTheTextAsItIs() throws {
    let result = try Self.fixture(.html).run("list fields \(Self.fields)")
    #expect(
      result.output.hasPrefix("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Film</title>\n")
    )
    #expect(
      result.output.hasSuffix(
        """
        <table>
        <thead>
        <tr><th>title</th><th class="number">releaseYear</th><th class="number">boxOffice</th><th>seen</th>\
        <th>director</th></tr>
        </thead>
        <tbody>
        <tr><td>It's &lt;b&gt;<br>&amp; "x"</td><td class="number">5</td><td class="number">2.5</td>\
        <td>true</td><td></td></tr>
        </tbody>
        </table>

        """
      ),
      "\(result)"
    )
  }

  @Test func statementsInsertTheValuesOrNone() throws {
    let fixture = try Self.fixture(.sql)
    let result = try fixture.run("list fields \(Self.fields)\nlist where false fields title")
    #expect(
      result.output == """
        BEGIN;
        INSERT INTO "Film" ("title", "releaseYear", "boxOffice", "seen", "director") VALUES \
        ('It''s <b>
        & "x"', 5, 2.5, TRUE, NULL);
        COMMIT;
        BEGIN;
        COMMIT;

        """,
      "\(result)"
    )
    try fixture.run(#"set where true title="a\u0000b""#)
    let refused = try fixture.run("export x.sql fields title")
    #expect(refused.errors.contains("NUL") && fixture.services.text("x.sql") == nil, "\(refused)")
  }

  @Test func exportsAreDocumentsByTheNameOfTheFile() throws {
    let fixture = try Self.fixture(.table)
    try fixture.run("export x.html fields title\nexport x.sql fields count() as n")
    #expect(fixture.services.text("x.html")?.contains("<tr><td>It's &lt;b&gt;<br>") == true)
    #expect(
      fixture.services.text("x.sql")
        == "BEGIN;\nINSERT INTO \"records\" (\"n\") VALUES (1);\nCOMMIT;\n"
    )
  }
}
