import CatalogApp
import OpenSwiftData
import Testing

/// `field type`.
@Suite struct ConvertFieldTests {
  private func fixture(_ lines: String) throws -> ScriptFixture {
    let entity = Schema.Entity(
      "Item",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("value", .text),
        Schema.Attribute("last", .text),
      ]
    )
    let fixture = try ScriptFixture(Schema(entity))
    try fixture.run(lines)
    return fixture
  }

  @Test(arguments: [
    ("Jan 1 2000", "date", "2000-01-01"), ("12/31/1999", "date", "1999-12-31"),
    ("1/2/2000", "date order mdy", "2000-01-02"), ("1/2/2000", "date order dmy", "2000-02-01"),
    ("99/1/2", "date order ymd", "1999-01-02"), ("1,50", "decimal", "1.5"),
    ("1,234", "decimal decimal point", "1234"), ("1,234", "decimal decimal comma", "1.234"),
    ("1.234", "decimal decimal comma", "1234"), ("1.234,5", "decimal", "1234.5"),
    ("1,234.50", "number", "1234.5"), ("1,234", "integer", "1234"), ("x", "boolean", "true"),
    ("2000-01-02 18:30", "datetime", "2000-01-02T18:30:00Z"), ("", "date", ""),
  ])
  func valuesAreReadAsPeopleWriteThem(text: String, type: String, value: String) throws {
    let fixture = try fixture("insert name=a value=\(CommandText.quoted(text))\nsave")
    let result = try fixture.run("field type value \(type)\nlist fields value")
    #expect(result.output == "value\n\(value)\n" && result.status == 0, "\(result)")
  }

  @Test(arguments: [
    (
      "1/2/2000", "date",
      "1: value: 1 value does not fit date: \"1/2/2000\" in ID; add \"order dmy\" or \"order mdy\""
    ),
    (
      "31/12/1999", "date order mdy",
      "1: value: 1 value does not fit date: \"31/12/1999\" in ID; add \"missing\" to make them missing"
    ),
    (
      "yesterday", "date",
      "1: value: 1 value does not fit date: \"yesterday\" in ID; add \"missing\" to make them missing"
    ),
    (
      "1,234", "decimal",
      "1: value: 1 value does not fit decimal: \"1,234\" in ID; add \"decimal comma\" or \"decimal point\""
    ),
    ("1", "dates", "1: unknown type \"dates\"; did you mean \"date\"?"),
    ("1", "date order us", "1: order: expected dmy, mdy or ymd, found \"us\""),
    ("1", "decimal decimal dot", "1: decimal: expected comma or point, found \"dot\""),
    ("1", "integer force", "1: unexpected \"force\" after the command"),
    ("1", "text", "1: value: already has the type text"),
  ])
  func whatDoesNotFitIsRefused(text: String, type: String, message: String) throws {
    let fixture = try fixture("insert name=a value=\(CommandText.quoted(text))\nsave")
    let id = try fixture.run("list fields id").output.split(separator: "\n")[1]
    let result = try fixture.run("field type value \(type)")
    #expect(result.errors == message.replacing("ID", with: id) + "\n")
    #expect(!fixture.session.context.hasChanges)
  }

  @Test func misfitsAreCountedAndBecomeMissingOnRequest() throws {
    let values = ["7", "a", "a", "b", "c", "d", "e", "f", "g"]
    let fixture = try fixture(
      values.map { "insert name=x value=\($0)\n" }.joined() + "save"
    )
    let refused = try fixture.run("field type Item value integer")
    #expect(refused.errors.hasPrefix("1: value: 8 values do not fit integer: \"a\" (2×) in "))
    #expect(refused.errors.hasSuffix(", … and 2 more; add \"missing\" to make them missing\n"))
    try fixture.run("field type Item value integer missing")
    #expect(try fixture.run("list fields value where value is not null").output == "value\n7\n")
    #expect(
      fixture.session.context.schema.entities[0].fields.map(\.name) == ["name", "value", "last"]
    )
    try fixture.run("undo")
    #expect(try fixture.run("count where value = 'a'").output == "2\n")
    #expect(!fixture.session.context.hasChanges)
    try fixture.run("redo\nsave")
    #expect(try fixture.run("stats value").output.contains("sum\t7\n"))
  }

  @Test func theScreenShowsWhatWouldNotFitAndAsks() throws {
    let script = try fixture(
      "insert value=12/31/1999\ninsert value=soon\ninsert value=1/2/2000\nsave"
    )
    let fixture = ScreenFixture(script)
    try fixture.press(": \"field type value date\" Enter")
    for line in [
      "convert value from text to date?", "1 value can be converted", "\"12/31/1999\" → 1999-12-31",
      "2 values do not fit date, and would become missing:", "\"soon\"",
      "\"1/2/2000\": 2000-02-01 (day first) or 2000-01-02 (month first)",
    ] { #expect(fixture.text.contains(line), "\(line)") }
    try fixture.press("Escape")
    #expect(!script.session.context.hasChanges)
    try fixture.press(": \"field type value date order mdy\" Enter y")
    #expect(fixture.message == "converted value to date: 2 values; 1 value became missing")
    try fixture.press("u C-r")
    #expect(fixture.message == "redone: field type value date")
    #expect(try script.run("list fields value").output == "value\n1999-12-31\n\n2000-01-02\n")
  }

  /// Changes of the schema, and how their undo names them.
  @Test(arguments: [
    ("field type value integer missing", "field type value integer"),
    ("field add Item size:number", "field add size"), ("field drop value", "field drop value"),
    ("field rename value amount", "field rename value amount"),
    ("entity create Other a:text", "entity create Other"),
  ])
  func undoNamesTheFieldThatChanged(line: String, name: String) throws {
    let script = try fixture("insert value=1\nsave")
    try script.run(line)
    let screen = ScreenFixture(script)
    try screen.press("u")
    #expect(screen.message == "undone: \(name)", "\(screen.text)")
  }

  @Test func aConversionReadsAsOneChange() throws {
    let fixture = try fixture(
      "insert name=a value=1990\ninsert name=b value=1995\ninsert name=c value=no\nsave"
    )
    try fixture.run("field type value integer missing\nset where name = \"b\" last=x")
    let changes = try fixture.run("changes").output.split(separator: "\n").map(String.init)
    try #require(changes.count == 3, "\(changes)")
    #expect(changes[1] == "schema\t\t\tfield type Item value: text → integer (2 values)")
    #expect(changes[2].hasPrefix("~\tItem\t") && changes[2].hasSuffix("\tlast: null → \"x\""))
    try fixture.run("save")
    let history = try fixture.run("history").output.split(separator: "\n").map(String.init)
    #expect(
      history.contains { $0.hasSuffix("\tfield type Item value: text → integer (2 values)") },
      "\(history)"
    )
    #expect(
      history.filter { $0.contains("value: null") }.isEmpty
        && history.last?.hasSuffix("last: null → \"x\"") == true
    )
  }

  @Test func whatWasConvertedThereAndBackIsNoChange() throws {
    let fixture = try fixture("insert name=a value=1990\ninsert name=b value=1995\nsave")
    try fixture.run(
      "field type value integer\nset where name = \"a\" value=7\nfield type value text"
    )
    for list in ["changes", "save\nhistory"] {
      let lines = try fixture.run(list).output.split(separator: "\n")
      #expect(lines.last?.hasSuffix("value: \"1990\" → \"7\"") == true, "\(lines)")
      #expect(!lines.contains { $0.hasSuffix("→ \"1995\"") }, "\(lines)")
    }
  }

  @Test func programsGetEachConvertedValue() throws {
    let fixture = try fixture("insert name=a value=1990\nsave\nfield type value integer")
    fixture.session.settings.format = .jsonl
    let lines = try fixture.run("changes").output.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].contains("\"field type Item value integer\""), "\(lines)")
    #expect(lines[1].contains("\"before\": {\"value\":\"1990\"}, \"after\": {\"value\":1990}"))
  }

  @Test func theListOfChangesOnTheScreenNamesTheConversion() throws {
    let fixture = try fixture("insert name=a value=1990\nsave\nfield type value integer")
    let screen = ScreenFixture(fixture)
    try screen.press("D")
    #expect(screen.text.contains("1 unsaved change"), "\(screen.text)")
    #expect(screen.text.contains("schema: field type Item value: text → integer (1 value)"))
  }

  @Test func theHistoryOfARecordNamesTheConversion() throws {
    let fixture = try fixture("insert name=a value=1990\nsave\nfield type value integer")
    let screen = ScreenFixture(fixture)
    try screen.press("H")
    #expect(screen.text.contains("value: text → integer, 1990"), "\(screen.text)")
    try screen.press("Escape w H")
    #expect(screen.text.contains("value: text → integer, 1990"), "\(screen.text)")
  }
}
