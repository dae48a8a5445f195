import CatalogApp
import OpenSwiftData
import Testing

/// Commands for everyday changes of a column.
@Suite struct TransformTests {
  private static let schema = Schema(
    Schema.Entity(
      "Item",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("first", .text),
        Schema.Attribute("last name", .text), Schema.Attribute("qty", .integer),
        Schema.Attribute("sold", .boolean),
      ]
    )
  )

  private func fixture() throws -> ScriptFixture {
    let fixture = try ScriptFixture(Self.schema, entityName: "Item")
    try fixture.run(
      """
      insert name=" ada  lovelace" first=Ada "last name"=Lovelace qty=1 sold=true
      insert name="ANNE LEE" first=Anne qty=20 sold=false
      insert qty=300
      save
      """
    )
    return fixture
  }

  /// Commands, and the values of a field afterwards, in order.
  @Test(arguments: [
    ("trim name", "name", ["ada  lovelace", "ANNE LEE", ""]),
    ("clean name", "name", ["ada lovelace", "ANNE LEE", ""]),
    ("upper name", "name", [" ADA  LOVELACE", "ANNE LEE", ""]),
    ("lower name", "name", [" ada  lovelace", "anne lee", ""]),
    ("capitalize name", "name", [" Ada  Lovelace", "Anne Lee", ""]),
    ("toggle sold", "sold", ["false", "true", ""]),
    ("increment qty", "qty", ["2", "21", "301"]),
    ("increment qty by -5", "qty", ["-4", "15", "295"]),
    ("replace first /n+/N/", "first", ["Ada", "ANe", ""]),
    ("replace first /(a)d/$1\\/d/i", "first", ["A/da", "Anne", ""]),
    ("replace first \"|A|it's |\"", "first", ["it's da", "it's nne", ""]),
    ("replace first |A|a b|", "first", ["a bda", "a bnne", ""]),
    ("split name \" \" into first,`last name`", "last name", ["ada", "LEE", ""]),
    ("combine first,`last name` \", \" into name", "name", ["Ada, Lovelace", "Anne", ""]),
    ("swap first `last name`", "first", ["Lovelace", "", ""]),
    ("swap first `last name`", "last name", ["Ada", "Anne", ""]),
    ("replace qty /0/5/", "qty", ["1", "25", "355"]),
    ("split qty 0 into qty,name", "qty", ["1", "2", "3"]),
    ("fill `last name`", "last name", ["Lovelace", "Lovelace", "Lovelace"]),
    ("enumerate qty by 10", "qty", ["1", "11", "21"]),
    ("enumerate qty", "qty", ["1", "2", "3"]),
    ("enumerate qty from 10 by -5", "qty", ["10", "5", "0"]),
    ("enumerate first from 3", "first", ["3", "4", "5"]),
  ])
  func theValuesOfAColumnChange(line: String, field: String, values: [String]) throws {
    let fixture = try fixture()
    let result = try fixture.run("\(line) where true\nlist fields \"\(field)\"")
    #expect(result.errors == "", "\(result)")
    let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
    #expect(lines.dropLast().map(String.init) == values, "\(result)")
    try fixture.run("undo")
    #expect(!fixture.session.context.hasChanges, "one step")
  }

  @Test(arguments: [
    ("swap qty name where true", "integer(name): \"ANNE LEE\" is not a whole number"),
    ("upper name", "which records? write \"upper … where P\"; \"where true\" means all"),
    ("upper nam where true", "did you mean \"name\"?"),
    ("replace name /a/b where true", "missing \"/\" at the end of /REGEX/TEXT/"),
    ("replace name a b where true", "expected /REGEX/TEXT/, found \"a\""),
    ("replace name /(/b/ where true", "name: "),
    ("split name \" \" to first where true", "expected \"into\", found \"to\""),
    ("swap name name where true", "name: name two different fields"),
    ("toggle qty where true", "qty: "),
    ("enumerate qty from x where true", "from: \"x\" is not a"),
    ("increment qty by x where true", "qty: Item has no field \"x\""),
  ])
  func aWrongLineSaysWhatIsWrong(line: String, message: String) throws {
    let result = try fixture().run(line)
    #expect(result.status != 0 && result.errors.contains(message), "\(result)")
  }

  @Test func theOrderCanBeGiven() throws {
    let fixture = try fixture()
    let result = try fixture.run("enumerate qty where true sort -qty\nlist fields qty")
    #expect(result.output == "qty\n3\n2\n1\n", "\(result)")
  }

  /// What people call a change, and the command that the palette offers first.
  @Test(arguments: [
    ("capitalize", ":capitalize"), ("find and replace", ":replace"), ("strip", ":trim"),
    ("uppercase", ":upper"), ("concatenate", ":combine"), ("text to columns", ":split"),
    ("copy down", ":fill"), ("enumerate", ":enumerate"), ("flip", ":toggle"),
    ("exchange", ":swap"),
    ("squeeze", ":clean"),
  ])
  func thePaletteFindsItByWhatPeopleCallIt(words: String, name: String) throws {
    let screen = try ScreenFixture.numbered(3)
    try screen.press("C-p \"\(words)\"")
    let first = screen.lines.first { $0.contains(">:") } ?? ""
    #expect(first.contains(name), "\(screen.text)")
  }

  @Test func thePaletteChangesTheColumnUnderTheCursor() throws {
    let screen = try ScreenFixture.numbered(3)
    try screen.press("l C-p capitalize Enter")
    #expect(screen.message == ":capitalize name", "\(screen.text)")
    try screen.press("Enter")
    #expect(screen.text.contains("change: capitalize name · 1/3"), "\(screen.text)")
    #expect(screen.text.contains("→ Item 2"), "\(screen.text)")
    try screen.press("Enter")
    #expect(try screen.names == ["Item 1", "Item 2", "Item 3"])
    try screen.press("u")
    #expect(try screen.names == ["item 1", "item 2", "item 3"])
  }

  /// The marked records, or else those that the filter shows.
  @Test(arguments: [
    ("Space j j Space", ["ITEM 1", "item 2", "item 3", "ITEM 4"]),
    ("f \"number > 2\" Enter", ["item 1", "item 2", "ITEM 3", "ITEM 4"]),
  ])
  func theScreenSaysWhichRecords(keys: String, names: [String]) throws {
    let screen = try ScreenFixture.numbered(4)
    try screen.press(keys + " : \"upper name\" Enter Enter")
    #expect(try screen.names == names, "\(screen.text)")
  }
}
