import DataStoreTesting
import OpenSwiftData
import Testing

@testable import CatalogApp

/// The filter during typing.
@Suite struct FilterPromptTests {
  /// The typed text, the number of films listed, and the line above the prompt.
  static let typed: [(typed: String, count: Int, above: String?)] = [
    ("releaseYear > 2005", 2, nil), ("releaseYear >", 3, "▼ expected a field or a value"),
    ("releaseYear > 2005 an", 2, "▼ expected \"and\", \"or\" or the end"),
    ("releaseYear", 3, "▼ expected =, !=, <"), ("releaseYear betw", 3, "▼ expected"),
    ("titel = \"Up\"", 3, "Film has no field \"titel\"; did you mean \"title\"?"),
    ("titel contains \"Up\"", 3, "did you mean \"title\"?"),
    ("title contains \"u", 3, "missing closing \""), ("title is", 3, "expected null"),
    ("title contains \"up\"", 1, nil), ("title contains \"uP\"", 0, nil),
    ("title contains \"Up\"", 1, nil), ("title contains[c] \"UP\"", 1, nil),
    ("pete", 2, nil), ("Pete", 2, nil), ("PETE", 0, nil), ("Mamma Mia!", 0, nil),
    ("year:2009", 1, nil), ("yeer:2009", 3, "▼ Film has no field \"yeer\""),
    ("pete direc", 2, "▼ a word, or the field director?"), ("year:2009 direc", 1, "▼ a word"),
    ("year:2009 director", 1, "▼ a word, or the field director?"),
    ("year:2009 director:", 1, "director: a value is missing"),
    ("year:2009 direktor:pete", 1, "has no field \"direktor\""),
    ("year:2009 no>5", 1, "has no field \"no\""),
    ("dire", 3, "▼ a word, or the field director?"), ("pe d", 2, "▼ a word"),
    ("year > 2005", 2, nil),
    ("soul is great", 0, nil), ("director pete", 0, nil), ("\"releaseYear >\"", 0, nil),
  ]

  @Test(arguments: typed)
  func incompletePredicatesFilterNothing(typed: String, count: Int, above: String?) throws {
    let screen = try ScreenFixture.films()
    try screen.press("f")
    for character in typed { screen.runner.handle(.key(.character(character))) }
    #expect(screen.message.contains("\(count) of 3"), "\(screen.text)")
    let hint = screen.lines.dropLast().last ?? ""
    if let above {
      #expect(hint.contains(above), "\(hint)")
      #expect(screen.message.contains("incomplete"))
    } else {
      #expect(!hint.contains("▼"), "\(hint)")
    }
  }

  /// The name of another field begins with that of the boolean one.
  @Test(arguments: ["active", "-active"]) func aBooleanFieldAloneIsComplete(typed: String) throws {
    let entity = Schema.Entity(
      "User",
      attributes: [.init("name", .text), .init("active", .boolean), .init("activeSince", .date)]
    )
    let script = try ScriptFixture(Schema(entity))
    try script.run("insert name=Ada active=true\ninsert name=Bob active=false\nsave")
    let screen = ScreenFixture(script)
    try screen.press("f \(typed)")
    #expect(screen.message.contains("1 of 2 · terms"), "\(screen.text)")
    #expect(!screen.text.contains("incomplete") && !screen.text.contains("▼"), "\(screen.text)")
    try screen.press("S")
    #expect(screen.message.contains("incomplete"), "\(screen.text)")
  }

  /// Changed records stay in the list until the filter and the sort are applied again.
  @Test(arguments: ["f Enter", "C-l"]) func filterAndSortAreAppliedAgain(keys: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press("f pete Enter 0 s g e C-u Zorro Enter j l l e C-u Nobody Enter")
    #expect(screen.status.contains("2 of 3") && screen.lines[1].contains("Zorro"), "\(screen.text)")
    try screen.press(keys)
    #expect(screen.status.contains("1 of 3"), "\(screen.text)")
    try screen.press("f C-u Enter")
    #expect(screen.lines[3].contains("Zorro"), "\(screen.text)")
  }

  @Test func aWordThatIsTypedAtOnceIsAnotherOne() throws {
    let screen = try ScreenFixture.films()
    try screen.press("f pete Enter f soul")
    #expect(screen.message.hasPrefix("filter: pete soul "), "\(screen.text)")
    try screen.press("C-u \"releaseYear > 200\" Enter f 9")
    #expect(screen.message.hasPrefix("filter: releaseYear > 2009 "), "\(screen.text)")
    try screen.press("Escape f BSpace x")
    #expect(screen.message.hasPrefix("filter: releaseYear > 20x "), "\(screen.text)")
  }

  @Test func aPathAloneIsAWord() throws {
    let entity = Schema.Entity("Item", attributes: [.init("uses", .json)])
    let script = try ScriptFixture(Schema(entity))
    try script.run("insert uses='{\"lodash\":1}'\nsave")
    let screen = ScreenFixture(script)
    try screen.press("f uses.lodash Enter")
    #expect(
      screen.message == "uses.lodash is a word here; to test the value, add is not null",
      "\(screen.text)"
    )
    try screen.press("f \" is not null\" Enter")
    #expect(screen.status.contains("1 of 1"), "\(screen.text)")
  }

  @Test func theLastGoodResultStaysAndEnterDoesNotTakeABrokenPredicate() throws {
    let screen = try ScreenFixture.films()
    try screen.press(#"f "releaseYear > 2005""#)
    #expect(screen.message.contains("2 of 3"))
    try screen.press(#"" and titl = 3" Enter"#)
    #expect(screen.message.hasPrefix("filter: releaseYear > 2005 and titl = 3"))
    #expect(screen.message.contains("2 of 3"))
    #expect(screen.status.contains("filter releaseYear > 2005"))
    try screen.press("Escape")
    #expect(screen.status.hasPrefix(" films · Film · 3 of 3"))
  }

  @Test func theLastGoodResultStaysWhileTheNameOfAFieldIsTyped() throws {
    let screen = try ScreenFixture.films()
    try screen.press("f year:2009")
    #expect(screen.message.contains("1 of 3"))
    try screen.press("Space direct")
    #expect(screen.message.contains("1 of 3") && screen.message.contains("incomplete"))
    try screen.press("Enter")
    #expect(screen.status.contains("0 of 3"), "\(screen.text)")
    #expect(screen.status.contains("releaseYear = 2009 and any field contains[cd] \"direct\""))
  }

  @Test func theSearchForgivesNamesAndShowsThePatternAsTyped() throws {
    let screen = try ScreenFixture.films()
    try screen.press("/DIR:stanton Enter")
    #expect(screen.status.contains("search DIR:stanton (1 of 1)"), "\(screen.text)")
    try screen.press("//(")
    #expect(screen.message.contains("(") && !screen.message.contains("?s:"), "\(screen.text)")
  }

  @Test func theSignPointsAtThePlace() throws {
    let screen = try ScreenFixture.films()
    try screen.press(#"f "titel = 3""#)
    let hint = screen.lines.dropLast().last ?? ""
    let column = try #require(Array(hint).firstIndex(of: "▼"))
    #expect(Array(screen.message)[column...].starts(with: "titel"))
  }

  @Test func theNameOfAFieldMayBeAPlainWord() throws {
    let screen = try ScreenFixture.films()
    try screen.press("f title Enter")
    #expect(screen.status.contains("0 of 3"))
    #expect(screen.status.contains("filter title (words, any case)"))
  }

  @Test(arguments: [
    ("f dir Tab", "director:"), (#"f "releaseY" Tab"#, "releaseYear:"),
    (#"f "title con" Tab"#, "title contains"), (#"f "title is not" Tab"#, "title is not null"),
    (#"f "director = " Tab"#, "director = \"Andrew Stanton\""),
    (#"f "director = " Tab Tab"#, "director = \"Pete Docter\""),
    (#"f "director = \"pe" Tab"#, "director = \"Pete Docter\""),
    (#"f "releaseYear in (20" Tab"#, "releaseYear in (2003"),
    (#"f "seen = f" Tab"#, "seen = false"),
    (#"f "releaseYear = 2009 an" Tab"#, "releaseYear = 2009 and"),
    (#"f "releaseYear = 2009 and (not dir" Tab"#, "releaseYear = 2009 and (not director"),
    (#"f "title like[c] " Tab"#, "title like[c] \"Finding Nemo\""),
    (#"f "year:2000- dir" Tab"#, "year:2000- director:"),
    (#"f "releaseYear>2000 dir" Tab"#, "releaseYear>2000 director:"),
    (#"f "seen releaseYear:2000- dir" Tab"#, "seen releaseYear:2000- director:"),
    (#"f "pete -dir" Tab"#, "pete -director:"), ("f se Tab", "seen"),
    (#"f "pete se" Tab"#, "pete seen"), ("f -se Tab", "-seen"),
    (#"f "director = \"x\" an" Tab"#, "director = \"x\" and"),
  ])
  func tabCompletes(keys: String, text: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    let typed = screen.message.dropFirst("filter: ".count).prefix { $0 != "·" }
    #expect(typed.hasPrefix(text + " "), "\(screen.message)")
  }

  @Test(arguments: [
    (#": "count where dir" Tab"#, "count where director"),
    (#": "count where director = " Tab"#, "count where director = \"Andrew Stanton\""),
    (#": "list Film where director = \"pe" Tab"#, "list Film where director = \"Pete Docter\""),
    (#": "set director=p" Tab"#, "set director=\"Pete Docter\""),
    (#": "insert releaseYear=20" Tab Tab"#, "insert releaseYear=2009"),
  ])
  func tabCompletesCommands(keys: String, text: String) throws {
    let screen = try ScreenFixture.films()
    try screen.press(keys)
    #expect((screen.message + " ").hasPrefix(":" + text + " "), "\(screen.message)")
  }

  @Test func aBrokenFilterLineIsRefused() throws {
    let screen = try ScreenFixture.films()
    try screen.press(#"":filter releaseYear > 2005" Enter ":filter titel = 3" Enter"#)
    #expect(screen.message.contains("did you mean \"title\"?"))
    #expect(screen.status.contains("filter releaseYear > 2005"))
  }

  /// The prompt responds to any input and does not crash.
  @Test func anyTextIsAnswered() throws {
    let seed = SeededGenerator.testSeed
    var state = seed
    func next(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let parts = [
      "title", "releaseYear", "=", " ", "\"", "'", "`", "(", ")", "!", "not ", "is null", "in",
      "\\",
      "between", "ä", "\u{301}", "🇩🇪", "2009", "-", ",", "[c]", "#", "contains",
    ]
    let screen = try ScreenFixture.films()
    for _ in 0..<200 {
      try screen.press("f C-u")
      for _ in 0..<next(9) { screen.runner.handle(.paste(parts[next(parts.count)])) }
      for _ in 0..<next(3) { try screen.press("Tab") }
      if next(4) == 0 { try screen.press("Home Tab") }
      #expect(screen.message.hasPrefix("filter: "), "seed \(seed)")
      try screen.press("Escape")
      #expect(screen.status.contains("3 of 3"), "seed \(seed)")
    }
  }
}
