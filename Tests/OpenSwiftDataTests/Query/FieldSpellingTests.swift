import Testing

@testable import OpenSwiftData

/// Field names that could be mistaken for something else.
@Suite struct FieldSpellingTests {
  static let names = [
    "it's", "a\"b", "a:b", "true", "null", "is", "a`b", "`", "``", "two words", "a,b", "-x", "1st",
    "#", "é", "where", "nil", "yes", "=", "a\\b", "title",
  ]
  static let entity = Schema.Entity(
    "Odd",
    attributes: names.map { Schema.Attribute($0, .text) }
  )

  @Test(arguments: names)
  func everyNameIsReadAsItIsWritten(name: String) throws {
    let filters: [Filter] = [
      .compare(name, .equal, .text("x")), .isNull(name), .not(.isNull(name)),
      .compareAttributes("title", .less, name), .isIn(name, [.text("x")]),
      .text(name, TextMatch(.contains, "x")),
    ]
    for filter in filters {
      #expect(try FilterParser.parse(filter.description, for: Self.entity) == filter)
    }
    #expect(
      try FilterParser.parse("\(FilterParser.spelled(name)) = \"x\"", for: Self.entity)
        == filters[0]
    )
  }

  @Test(arguments: names)
  func aNameInQuotesIsTheFieldToo(name: String) throws {
    let quoted = TextEscape.quoted(name)
    for (text, filter) in [
      ("\(quoted) = \"x\"", Filter.compare(name, .equal, .text("x"))),
      ("\(quoted) is null", .isNull(name)),
      ("(\(quoted) contains \"x\")", .text(name, TextMatch(.contains, "x"))),
    ] {
      #expect(try FilterParser.parse(text, for: Self.entity) == filter)
    }
  }

  @Test func aTextInQuotesStaysATextWhereTheOtherSideIsAField() throws {
    #expect(
      try FilterParser.parse("\"title\" = title", for: Self.entity)
        == .compare("title", .equal, .text("title"))
    )
  }

  @Test func wordsOfTheLanguageMeanTheSameWhateverTheFieldsAreCalled() throws {
    #expect(try FilterParser.parse("true", for: Self.entity) == .constant(true))
    #expect(try FilterParser.parse("title = null", for: Self.entity) == .isNull("title"))
    #expect(try FilterParser.parse("`true` = \"x\" and true", for: Self.entity) != .constant(true))
    let error = #expect(throws: FilterSyntaxError.self) {
      try FilterParser.parse("true = \"x\"", for: Self.entity)
    }
    #expect(error?.message.contains("write the field as `true`") == true)
  }

  @Test(arguments: [
    ("two words = \"x\"", 1), ("title < Two Words", 9),
    ("title = \"x\" and not two words is null", 21),
  ])
  func aNameWithSpacesIsWrittenInBackticks(text: String, column: Int) {
    let error = #expect(throws: FilterSyntaxError.self) {
      try FilterParser.parse(text, for: Self.entity)
    }
    #expect(error?.column == column)
    let hint = "; write a name with spaces in backticks: `two words`"
    #expect(error?.message.hasSuffix(hint) == true, "\(String(describing: error))")
  }

  @Test func aWordThatOnlyBeginsLikeANameWithSpacesIsAText() {
    let error = #expect(throws: FilterSyntaxError.self) {
      try FilterParser.parse("title = two and 1st is null", for: Self.entity)
    }
    #expect(error?.message.contains("backticks") == false, "\(String(describing: error))")
  }

  // MARK: Spellings of é

  static let composed = "Caf\u{E9}"
  static let decomposed = "Cafe\u{301}"

  @Test(arguments: TextMatch.Operation.allCases)
  func withoutOptionsTextsAreComparedAsTheyAreWritten(operation: TextMatch.Operation) throws {
    let matcher = try TextMatcher(TextMatch(operation, Self.composed))
    #expect(matcher.matches(Self.composed))
    #expect(!matcher.matches(Self.decomposed))
  }

  @Test(
    arguments: TextMatch.Operation.allCases,
    [
      TextMatch.Options.caseInsensitive, .diacriticInsensitive,
      [.caseInsensitive, .diacriticInsensitive],
    ]
  )
  func withOptionsBothSpellingsAreFound(
    operation: TextMatch.Operation,
    options: TextMatch.Options
  ) throws {
    for (pattern, text) in [
      (Self.composed, Self.decomposed), (Self.decomposed, Self.composed),
      (Self.composed, Self.composed), (Self.decomposed, Self.decomposed),
    ] {
      #expect(try TextMatcher(TextMatch(operation, pattern, options: options)).matches(text))
    }
  }

  @Test func plainWordsFindBothSpellings() throws {
    let entity = Schema.Entity("Place", attributes: [Schema.Attribute("name", .text)])
    for word in [Self.composed, Self.decomposed] {
      let bound = try BoundFilter(Filter.words(word), layout: entity.layout)
      #expect(bound.matches([.text(Self.composed)]))
      #expect(bound.matches([.text("the \(Self.decomposed)")]))
    }
  }
}
