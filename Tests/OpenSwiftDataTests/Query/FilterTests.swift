import Foundation
import OpenSwiftData
import Testing

@Suite struct FilterTests {
  private static let film = Fixtures.snapshot([
    "title": .text("Up"), "year": .integer(2009), "rating": .number(8.5),
    "gross": .decimal(Decimal(string: "735.1") ?? 0), "seen": .boolean(true),
    "released": .date(CalendarDate(daysSince1970: 14393)),
    "sequel": .link(Fixtures.permanent(2)), "similar": .links([Fixtures.permanent(3)]),
  ])
  private static let empty = Fixtures.snapshot([:])

  @Test(
    arguments: [
      (.constant(true), true, true), (.constant(false), false, false),
      (.compare("year", .equal, .integer(2009)), true, false),
      (.compare("year", .equal, .number(2009)), true, false),
      (.compare("year", .equal, .null), false, true),
      (.compare("year", .notEqual, .null), true, false),
      (.compare("year", .notEqual, .integer(2009)), false, true),
      (.compare("year", .notEqual, .integer(1)), true, true),
      (.compare("year", .less, .null), false, false),
      (.compare("year", .lessOrEqual, .null), false, false),
      (.compare("year", .less, .number(2009.5)), true, false),
      (.compare("gross", .greater, .number(735)), true, false),
      (.compare("gross", .equal, .number(735.1)), true, false),
      (.compare("rating", .greaterOrEqual, .number(8.5)), true, false),
      (.compare("title", .less, .text("up")), true, false),
      (.compare("seen", .greater, .boolean(false)), true, false),
      (.compare("sequel", .equal, .link(Fixtures.permanent(2))), true, false),
      (.compareAttributes("year", .greater, "rating"), true, false),
      (.compareAttributes("year", .equal, "rating"), false, true),
      (.compareAttributes("year", .notEqual, "title"), true, false),
      (.compareAttributes("year", .less, "title"), false, false),
      (.between("year", .integer(2009), .integer(2009)), true, false),
      (.between("year", .integer(2010), .integer(2008)), false, false),
      (.between("year", .null, .integer(3000)), false, false),
      (.isIn("year", []), false, false), (.isIn("year", [.null]), false, true),
      (.isIn("year", [.integer(1), .decimal(2009)]), true, false),
      (.isIn("title", [.text("up"), .text("Up")]), true, false),
      (.isNull("year"), false, true), (.not(.isNull("year")), true, false),
      (.not(.compare("year", .greater, .integer(3000))), true, true),
      (.text("title", TextMatch(.contains, "")), true, false),
      (.text("year", TextMatch(.beginsWith, "20")), true, false),
      (.text("released", TextMatch(.endsWith, "-29")), true, false),
      (.anyText(TextMatch(.contains, "735")), true, false),
      (.anyText(TextMatch(.contains, "")), true, false),
      (.and([]), true, true), (.or([]), false, false),
      (.and([.isNull("year"), .isNull("title")]), false, true),
      (.or([.isNull("year"), .compare("seen", .equal, .boolean(true))]), true, true),
    ] as [(Filter, Bool, Bool)]
  )
  func filtersHoldAsTheirTreeSays(_ filter: Filter, _ film: Bool, _ empty: Bool) throws {
    let bound = try BoundFilter(filter, layout: Fixtures.entity.layout)
    #expect(bound.matches(Self.film) == film)
    #expect(bound.matches(Self.empty) == empty)
    try filter.validate(for: Fixtures.entity)
    let predicate: Predicate<Record> = filter.predicate()
    let record = Record(entity: Fixtures.entity)
    for (name, value) in Self.film.values { try record.set(value, for: name) }
    #expect(try predicate.evaluate(record) == film)
  }

  @Test(
    arguments: [
      (
        .compare("yaer", .equal, .integer(1)), "unknownAttribute",
        "Film has no field \"yaer\"; did you mean \"year\"?"
      ),
      (
        .compare("year", .equal, .text("x")), "invalidFilter",
        "cannot compare integer field \"year\" with \"x\""
      ),
      (
        .not(.and([.between("title", .text("a"), .integer(1))])), "invalidFilter",
        "cannot compare text field \"title\" with \"1\""
      ),
      (
        .text("title", TextMatch(.matches, "[")), "invalidFilter",
        "\"[\" is not a valid regular expression: missing ]"
      ),
    ] as [(Filter, String, String)]
  )
  func whatCannotBeMeantIsRefused(_ filter: Filter, _ code: String, _ message: String) {
    let error = #expect(throws: PersistenceError.self) {
      try filter.validate(for: Fixtures.entity)
    }
    #expect(error?.code.description == code)
    #expect(error?.message == message)
  }

  @Test func filtersAreJoinedWithoutNeedlessNesting() {
    let a = Filter.isNull("year")
    let b = Filter.isNull("title")
    #expect(Filter.all.and(a) == a && a.and(.all) == a)
    #expect(a.and(b) == .and([a, b]) && a.and(b).and(.and([b])) == .and([a, b, b]))
    #expect(Filter.or([a, .not(b)]).attributeNames == ["year", "title"])
    #expect(Filter.anyText(TextMatch(.contains, "x")).and(a).attributeNames == nil)
  }

  @Test func relationsAreFlipped() {
    for comparison in Filter.Comparison.allCases {
      for (a, b) in [(1, 2), (2, 1), (1, 1)] as [(Int64, Int64)] {
        #expect(
          comparison.holds(.integer(a), .integer(b))
            == comparison.flipped.holds(.integer(b), .integer(a))
        )
      }
    }
  }

  @Test(
    arguments: [
      (0, nil, 5, 0..<5), (2, nil, 5, 2..<5), (2, 2, 5, 2..<4), (9, 2, 5, 5..<5), (0, 0, 5, 0..<0),
      (Int.max, Int.max, 5, 5..<5), (1, Int.max, 5, 1..<5),
    ] as [(Int, Int?, Int, Range<Int>)]
  )
  func windowsNeverReachBeyondTheRows(
    _ offset: Int,
    _ limit: Int?,
    _ count: Int,
    _ expected: Range<Int>
  ) {
    #expect(Query("Film", limit: limit, offset: offset).window(of: count) == expected)
  }
}

@Suite struct TextMatcherTests {
  private static let c = TextMatch.Options.caseInsensitive
  private static let d = TextMatch.Options.diacriticInsensitive

  @Test(
    arguments: [
      (.equals, "Up", [], "Up", true), (.equals, "Up", [], "up", false),
      (.equals, "Up", c, "uP", true), (.equals, "e\u{301}", [], "é", false),
      (.equals, "e\u{301}", d, "é", true), (.equals, "É", [c, d], "e", true),
      (.equals, "É", c, "é", true), (.equals, "É", c, "e", false), (.equals, "ß", c, "SS", true),
      (.equals, "ΣΑΣ", c, "σας", true), (.equals, "straße", [c, d], "STRASSE", true),
      (.equals, "İ", [c, d], "i", true), (.equals, "Ａ", c, "ａ", true),
      (.contains, "", [], "", true), (.contains, "p", [], "Up", true),
      (.contains, "aab", [], "aaab", true), (.contains, "longer", [], "long", false),
      (.contains, "京", [], "東京都", true), (.contains, "MELIE", [c, d], "Amélie", true),
      (.contains, "melie", c, "Amélie", false), (.contains, "\u{0}", [], "a\u{0}b", true),
      (.beginsWith, "U", [], "Up", true), (.beginsWith, "p", [], "Up", false),
      (.beginsWith, "up", c, "UPWARD", true), (.beginsWith, "", [], "", true),
      (.endsWith, "p", [], "Up", true), (.endsWith, "Up!", [], "Up", false),
      (.endsWith, "É", [c, d], "cafe", true),
      (.like, "*", [], "", true), (.like, "", [], "", true), (.like, "", [], "a", false),
      (.like, "?", [], "é", true), (.like, "?", [], "", false), (.like, "??", [], "é", false),
      (.like, "?", [], "😀", true), (.like, "*?", [], "é", true), (.like, "*??", [], "é", false),
      (.like, "U*p", [], "Up", true), (.like, "a*b*c", [], "axxbxbc", true),
      (.like, "a*b*c", [], "axxbxb", false), (.like, "*ab", [], "aab", true),
      (.like, "*a?c", [], "abcaéc", true), (.like, "UP*", c, "upward", true),
      (.like, "***", [], "x", true), (.like, "a.c", [], "abc", false),
      (.matches, "U.", [], "Up", true), (.matches, "U", [], "Up", false),
      (.matches, "u.", c, "Up", true), (.matches, "[a-z]+", [], "abc", true),
      (.matches, "cafe", d, "café", true), (.matches, ".*", [], "", true),
      (.matches, "\\d{4}", [], "2009", true), (.matches, "a|b", [], "ab", false),
    ] as [(TextMatch.Operation, String, TextMatch.Options, String, Bool)]
  )
  func patternsFitTexts(
    _ operation: TextMatch.Operation,
    _ pattern: String,
    _ options: TextMatch.Options,
    _ text: String,
    _ fits: Bool
  ) throws {
    let matcher = try TextMatcher(TextMatch(operation, pattern, options: options))
    #expect(matcher.matches(text) == fits)
    var copy = text
    #expect(copy.withUTF8 { matcher.matches(utf8: $0) } == fits)
  }

  @Test func aPatternOfManyStarsEndsSoon() throws {
    let pattern = String(repeating: "*a", count: 50) + "b"
    let text = String(repeating: "a", count: 5000)
    let matcher = try TextMatcher(TextMatch(.like, pattern))
    let time = ContinuousClock().measure { #expect(!matcher.matches(text)) }
    #expect(time < .seconds(2))
  }
}
