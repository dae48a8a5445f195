import CatalogApp
import OpenSwiftData
import Testing

/// Columns of the table that are computed from the values of their record.
@Suite struct ComputedColumnTests {
  private static let entity = Schema.Entity(
    "Sale",
    attributes: [
      Schema.Attribute("item", .text), Schema.Attribute("gross", .integer),
      Schema.Attribute("cost", .integer), Schema.Attribute("info", .json),
    ]
  )

  private func script() throws -> ScriptFixture {
    let fixture = try ScriptFixture(Schema(Self.entity))
    try fixture.run(
      #"""
      insert item=Lamp gross=30 cost=20 info='{"n":2}'
      insert item=Chair gross=50 cost=10 info='{"n":3}'
      insert item=Table gross=90 cost=70
      insert item=Gift cost=5
      save
      """#
    )
    return fixture
  }

  private func screen(_ views: ViewBook = ViewBook(), _ fixture: ScriptFixture? = nil) throws
    -> ScreenFixture
  {
    let script = try fixture ?? script()
    let size = Size(columns: 100, rows: 14)
    return ScreenFixture(
      script,
      runner: AppRunner(session: script.session, size: size, views: views)
    )
  }

  /// The rows as they are on the screen, with single spaces.
  private func rows(_ screen: ScreenFixture) -> [String] {
    screen.lines.dropFirst().prefix { !$0.hasPrefix("  ~~") && $0.contains("   ") }
      .map { $0.split(separator: " ").filter { $0 != ">" && $0 != "~" }.joined(separator: " ") }
      .filter { row in ["Lamp", "Chair", "Table", "Gift"].contains { row.hasPrefix($0) } }
  }

  @Test func aColumnStandsRightOfTheCursor() throws {
    let screen = try screen()
    try screen.press("2l = \"profit = gross - cost\" Enter")
    #expect(screen.lines[0].contains("cost  = profit  info"), "\(screen.text)")
    #expect(screen.place == "profit 4/5")
    #expect(screen.message == "profit = gross - cost")
    #expect(
      rows(screen) == [
        "Lamp 30 20 10 {\"n\":2}", "Chair 50 10 40 {\"n\":3}", "Table 90 70 20 ∅", "Gift ∅ 5 ∅ ∅",
      ],
      "\(screen.text)"
    )
  }

  /// The key and the command do the same; the name decides whether a column is changed or added.
  @Test func theNameDecidesWhichColumnIsMeant() throws {
    let screen = try screen()
    try screen.press(": \"column profit = gross - cost\" Enter")
    try screen.press("= C-u \"profit = cost - gross\" Enter")
    #expect(rows(screen)[0].hasPrefix("Lamp -10 30 20"), "\(screen.text)")
    try screen.press("= C-u \"double = profit * 2\" Enter")
    #expect(rows(screen)[0].hasPrefix("Lamp -10 -20 30 20"), "\(screen.text)")
    try screen.press(": \"column profit =\" Enter")
    #expect(screen.message == "double uses profit; change or remove it first")
    try screen.press(": \"column double =\" Enter : \"column profit =\" Enter")
    #expect(screen.message == "removed the column profit" && !screen.lines[0].contains("profit"))
  }

  @Test func withoutANameTheExpressionIsTheName() throws {
    let screen = try screen()
    try screen.press("= \"gross / 4\" Enter")
    #expect(screen.lines[0].contains("= gross / 4"), "\(screen.text)")
    #expect(rows(screen)[0].hasPrefix("Lamp 7.5 30"))
    try screen.press("s s")
    #expect(rows(screen).first?.hasPrefix("Table 22.5") == true, "\(screen.text)")
  }

  @Test func aColumnFollowsUnsavedEditsOfItsOperands() throws {
    let screen = try screen()
    try screen.press("= \"profit = gross - cost\" Enter l e C-u 100 Enter")
    #expect(rows(screen)[0].hasPrefix("Lamp 80 100 20"), "\(screen.text)")
    try screen.press("u")
    #expect(rows(screen)[0].hasPrefix("Lamp 10 30 20"), "\(screen.text)")
  }

  /// Keys and commands for a column, and the items that are listed then.
  static let uses: [(keys: String, items: [String])] = [
    ("s s", ["Chair", "Table", "Lamp", "Gift"]),
    ("f \"profit>15\" Enter", ["Chair", "Table"]),
    ("f \"profit is null\" Enter", ["Gift"]),
    ("f \"profit < cost\" Enter", ["Lamp", "Table"]),
    (": \"sort -prof\" Enter", ["Chair", "Table", "Lamp", "Gift"]),
    (": \"filter profit between 15 and 30\" Enter", ["Table"]),
    ("F j j Enter", ["Table"]),
  ]

  @Test(arguments: uses)
  func aColumnIsUsedLikeAField(keys: String, items: [String]) throws {
    let screen = try screen()
    try screen.press("= \"profit = gross - cost\" Enter \(keys)")
    let found = rows(screen).map { String($0.prefix { $0 != " " }) }
    #expect(found == items, "\(keys): \(screen.text)")
  }

  @Test func aColumnIsGroupedSearchedAndCopied() throws {
    let screen = try screen()
    try screen.press("= \"big = gross > 40\" Enter")
    #expect(screen.text.contains("expected an operator"), "\(screen.text)")
    try screen.press("C-u \"big = (gross > 40)\" Enter b")
    #expect(screen.text.contains("▾ ✓ (2)"), "\(screen.text)")
    try screen.press("z")
    #expect(screen.message == "fold group: big is computed; only groups by a field can be folded")
    try screen.press("b 0 = \"twice = cost * 2\" Enter / 140 Enter")
    #expect(screen.text.contains(">   Table"), "\(screen.text)")
    try screen.press("y")
    #expect(screen.message == "copied \"140\"")
  }

  @Test func statisticsAndListsHaveTheColumn() throws {
    let screen = try screen()
    try screen.press("= \"profit = gross - cost\" Enter : \"stats profit\" Enter")
    #expect(screen.text.contains("sum") && screen.text.contains("70"), "\(screen.text)")
    try screen.press("Escape : \"list where profit > 15 fields item, profit sort -profit\" Enter")
    let lines = screen.lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.contains { $0.contains("Chair 40") }, "\(screen.text)")
    try screen.press("Escape : \"list fields item, profit * 2 as double sort profit\" Enter")
    #expect(screen.text.contains("Table  ") && screen.text.contains("80"), "\(screen.text)")
  }

  @Test func aFailureIsASignWithItsReason() throws {
    let screen = try screen()
    try screen.press("= \"share = 100 // (gross - 50)\" Enter")
    #expect(rows(screen)[1].hasPrefix("Chair ! 50"), "\(screen.text)")
    try screen.press("j")
    #expect(screen.message == "share: 100 // (gross - 50): division by zero", "\(screen.text)")
    try screen.press("j")
    #expect(!screen.message.contains("zero"))
  }

  @Test func aColumnIsNotEdited() throws {
    let screen = try screen()
    try screen.press("= \"profit = gross - cost\" Enter e")
    #expect(
      screen.message
        == "edit: profit is computed; press = in its column to change the expression"
    )
    try screen.press("=")
    #expect(screen.message.hasPrefix("compute: profit = gross - cost"), "\(screen.text)")
  }

  /// What is wrong stands above its place, at each key.
  @Test func aWrongExpressionIsShownAtItsPlace() throws {
    let screen = try screen()
    try screen.press("= \"profit = gross - frob(1)\"")
    let hint = screen.lines[screen.lines.count - 2]
    #expect(hint.hasSuffix("▼ unknown function \"frob\"; see \"help functions\""), "\(screen.text)")
    let place = screen.message.firstRange(of: "frob").map {
      screen.message.distance(from: screen.message.startIndex, to: $0.lowerBound)
    }
    #expect(hint.firstIndex(of: "▼").map { hint.distance(from: hint.startIndex, to: $0) } == place)
    try screen.press("Enter")
    #expect(screen.message.hasPrefix("compute: "), "\(screen.text)")
    try screen.press("C-u \"cost = 1\" Enter")
    #expect(screen.text.contains("cost is a field; choose another name"), "\(screen.text)")
    try screen.press("Escape : \"column x = gross + item\" Enter")
    #expect(screen.message.hasPrefix("+ needs numbers"), "\(screen.text)")
  }

  @Test func fieldsAndFunctionsAreCompleted() throws {
    let screen = try screen()
    try screen.press("= \"profit = gro\" Tab \" - cos\" Tab Enter")
    #expect(screen.message == "profit = gross - cost", "\(screen.text)")
    try screen.press("= C-u \"x = rou\" Tab \"pro\" Tab \", 1)\" Enter")
    #expect(screen.message == "x = round(profit, 1)", "\(screen.text)")
  }

  @Test func aColumnIsKeptInViews() throws {
    let script = try script()
    let first = try screen(ViewBook(), script)
    try first.press("= \"profit = gross - cost\" Enter 2] s : \"view save p\" Enter")
    let book = try ViewBook(parsing: first.runner.state.viewBook.text)
    let second = try screen(book, script)
    #expect(rows(second).map { $0.prefix(5) }.first == "Lamp ", "\(second.text)")
    #expect(second.lines[0].contains("= profit") && second.chips.contains("sort profit"))
    try second.press(": \"view reset\" Enter")
    #expect(!second.lines[0].contains("profit"))
    try second.press(": \"view p\" Enter")
    #expect(second.lines[0].contains("= profit") && second.message == "view p", "\(second.text)")
  }

  @Test func aColumnWhoseFieldIsGoneComesBackWithIt() throws {
    let script = try script()
    let first = try screen(ViewBook(), script)
    try first.press("= \"profit = gross - cost\" Enter : \"field rename cost price\" Enter")
    #expect(
      first.message.hasPrefix("column profit is not shown: Sale has no field \"cost\""),
      "\(first.text)"
    )
    #expect(!first.lines[0].contains("profit"))
    try first.press("C")
    #expect(
      first.text.contains("!  = profit") && first.text.contains("no field \"cost\""),
      "\(first.text)"
    )
    try first.press("Escape")
    let book = try ViewBook(parsing: first.runner.state.viewBook.text)
    let second = try screen(book, script)
    #expect(
      second.text.contains("the table is not as it was left: column profit is not shown"),
      "\(second.text)"
    )
    try second.press("u")
    #expect(second.lines[0].contains("= profit"), "\(second.text)")
    #expect(rows(second)[0].hasPrefix("Lamp 10 30 20"))
  }

  /// JSON does not tell the type of what is in it; the records do.
  @Test func valuesInsideJSONHaveTheTypeOfTheRecords() throws {
    let screen = try screen()
    try screen.press("= \"more = info.n * 10\" Enter C-g")
    #expect(screen.message.contains("more, integer = info.n * 10"), "\(screen.text)")
    #expect(rows(screen)[0].hasPrefix("Lamp 20 30"), "\(screen.text)")
  }

  @Test func theDetailsShowTheColumn() throws {
    let screen = try screen()
    try screen.press("= \"profit = gross - cost\" Enter v")
    let lines = screen.lines.map { $0.split(separator: " ").joined(separator: " ") }
    #expect(lines.contains { $0.contains("profit 10") }, "\(screen.text)")
    try screen.press("v G e")
    #expect(screen.message.contains("profit is computed"), "\(screen.text)")
  }

  @Test func aColumnIsRenamedAndHidden() throws {
    let screen = try screen()
    try screen.press("= \"profit = gross - cost\" Enter s : \"column rename profit win\" Enter")
    #expect(
      screen.lines[0].contains("= win") && screen.chips.contains("sort win"),
      "\(screen.text)"
    )
    try screen.press(": \"column rename gross x\" Enter")
    #expect(screen.message.contains("gross is not computed; use \"field rename\" for a field"))
    try screen.press("-")
    #expect(!screen.lines[0].contains("= win"))
    try screen.press("f \"win>15\" Enter")
    #expect(rows(screen).count == 2, "\(screen.text)")
  }

  /// The commands of a script without a screen, and what it prints.
  @Test(arguments: [
    (
      "column profit = gross - cost\nfilter profit>15\nlist fields item, profit",
      "item\tprofit\nChair\t40\nTable\t20\n"
    ),
    (
      "column profit = gross - cost\ncolumn hide id\ncolumn hide info\nsort -profit\nlist limit 2",
      "item\tgross\tcost\tprofit\nChair\t50\t10\t40\nTable\t90\t70\t20\n"
    ),
    (
      "column hide id\ncolumn hide info\ncolumn half=gross // 2\nview save h\nview reset\nview h\nlist limit 1",
      "item\tgross\tcost\thalf\nLamp\t30\t20\t15\n"
    ),
    (
      "column profit = gross - cost\ncolumn profit =\ncolumn hide id\nlist limit 1 fields item",
      "item\nLamp\n"
    ),
  ])
  func scriptsListTheColumn(lines: String, output: String) throws {
    let result = try script().run(lines)
    #expect(result.output == output && result.status == 0, "\(result)")
  }

  @Test(arguments: [
    ("column gross = cost", "gross is a field of Sale; choose another name for the column"),
    ("column x = y", "column 12"), ("column =", "missing expression"),
  ])
  func aWrongColumnIsRefused(line: String, problem: String) throws {
    let result = try script().run(line)
    #expect(result.status == 1 && "\(result)".contains(problem), "\(result)")
  }
}
