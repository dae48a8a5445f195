import OpenSwiftData
import Testing

@testable import CatalogApp

/// Filters as people type them, and the predicates that they stand for.
@Suite struct FilterTermsTests {
  private static let entity = Schema.Entity(
    "Film",
    attributes: [
      Schema.Attribute("title", .text), Schema.Attribute("year", .integer),
      Schema.Attribute("boxOffice", .decimal), Schema.Attribute("rating", .number),
      Schema.Attribute("seen", .boolean), Schema.Attribute("released", .date),
      Schema.Attribute("added", .datetime), Schema.Attribute("studio", .link("Studio")),
      Schema.Attribute("IMDB Score", .number),
    ]
  )
  private static let today = CalendarDate("2026-11-24")

  static let terms: [(text: String, predicate: String)] = [
    ("year:1990-99", "year between 1990 and 1999"),
    ("year:1990..1999", "year between 1990 and 1999"),
    ("year:1990-", "year >= 1990"), ("year:..1999", "year <= 1999"), ("year:2001", "year = 2001"),
    ("year:2001,2003", "year = 2001 or year = 2003"), ("year:-5", "year = -5"),
    ("year:-5..5", "year between -5 and 5"), ("Year:2001", "year = 2001"),
    ("boxOffice:5m", "boxOffice = 5000000"), ("box:1.5k-2k", "boxOffice between 1500 and 2000"),
    ("rating>50%", "rating > 0.5"), ("rating > 5%", "rating > 0.05"),
    ("rating:7.5%-120%", "rating between 0.075 and 1.2"),
    ("boxOffice:0.0005k", "boxOffice = 0.5"), ("box:3b", "boxOffice = 3000000000"),
    ("rating:8.5", "rating = 8.5"), ("rating:1e-5", "rating = 1e-05"),
    ("http://x title:up", "any field contains[cd] \"http://x\" and title contains[cd] \"up\""),
    ("office>5m up", "boxOffice > 5000000 and any field contains[cd] \"up\""),
    ("imdbscore>8 up", "`IMDB Score` > 8 and any field contains[cd] \"up\""),
    ("IMDB Score>8 up", "`IMDB Score` > 8 and any field contains[cd] \"up\""),
    ("up imdb score:7-8", "any field contains[cd] \"up\" and `IMDB Score` between 7 and 8"),
    ("\"IMDB Score\">8 up", "`IMDB Score` > 8 and any field contains[cd] \"up\""),
    ("-\"IMDB Score\">8", "not `IMDB Score` > 8"), ("office > 5m", "boxOffice > 5000000"),
    ("IMDB Score > 8 up", "`IMDB Score` > 8 and any field contains[cd] \"up\""),
    ("up Office <= 5", "any field contains[cd] \"up\" and boxOffice <= 5"),
    ("Kuro -seen", "any field contains[d] \"Kuro\" and seen != true"),
    ("title:Up", "title contains[d] \"Up\""),
    ("title:\"toy story\"", "title contains[cd] \"toy story\""),
    ("title=up", "title =[c] \"up\""), ("title!=up", "not title =[c] \"up\""),
    ("title:up,soul", "title contains[cd] \"up\" or title contains[cd] \"soul\""),
    ("title:null", "title is null"), ("title:*", "title is not null"),
    ("-title:*", "not title is not null"),
    ("studio:pix", "studio contains[cd] \"pix\""), ("studio:null", "studio is null"),
    ("seen:y", "seen = true"), ("seen:no", "seen = false"), ("-seen", "seen != true"),
    ("kuro -seen", "any field contains[cd] \"kuro\" and seen != true"),
    ("up -story", "any field contains[cd] \"up\" and not any field contains[cd] \"story\""),
    ("year>1990 kuro", "year > 1990 and any field contains[cd] \"kuro\""),
    ("released:2009", "released >= 2009-01-01 and released <= 2009-12-31"),
    ("released:2009-05", "released >= 2009-05-01 and released <= 2009-05-31"),
    ("released<\"last may\" up", "released < 2026-05-01 and any field contains[cd] \"up\""),
    ("released<\"2 may 2009\" up", "released < 2009-05-02 and any field contains[cd] \"up\""),
    ("released:29.5.2009", "released >= 2009-05-29 and released <= 2009-05-29"),
    ("released>2009 up", "released > 2009-12-31 and any field contains[cd] \"up\""),
    ("released:yesterday", "released >= 2026-11-23 and released <= 2026-11-23"),
    ("released:2009..2010-02", "released >= 2009-01-01 and released <= 2010-02-28"),
    ("released:3w..", "released >= 2026-11-03"),
    ("released:1990-1999", "released >= 1990-01-01 and released <= 1999-12-31"),
    ("released:1990-99", "released >= 1990-01-01 and released <= 1999-12-31"),
    ("released:1990-05", "released >= 1990-05-01 and released <= 1990-05-31"),
    ("released:2024-", "released >= 2024-01-01"), ("released:2024-05-", "released >= 2024-05-01"),
    ("released:2024-05-03- up", "released >= 2024-05-03 and any field contains[cd] \"up\""),
    ("added:2024-", "added >= 2024-01-01T00:00:00Z"),
    ("boxOffice:1,000", "boxOffice = 1000"), ("year:-1,234,567", "year = -1234567"),
    ("box:1,000.50", "boxOffice = 1000.5"),
    ("rating>1,500 up", "rating > 1500 and any field contains[cd] \"up\""),
    ("boxOffice:500-1,000", "boxOffice between 500 and 1000"), ("box:1,000..", "boxOffice >= 1000"),
    ("boxOffice:>1,000", "boxOffice > 1000"), ("box:1,5", "boxOffice = 1 or boxOffice = 5"),
    ("box:1,0000", "boxOffice = 1 or boxOffice = 0"),
    ("box:1,000,", "boxOffice = 1 or boxOffice = 0"),
    ("box:1000,2000", "boxOffice = 1000 or boxOffice = 2000"),
    ("box:1,20-30", "boxOffice = 1 or boxOffice between 20 and 30"),
    ("title:1,000", "title contains[cd] \"1\" or title contains[cd] \"000\""),
    ("seen", "seen = true"), ("Seen", "seen = true"),
    ("SEEN year:2000-", "seen = true and year >= 2000"), ("-Seen", "seen != true"),
    ("seen kuro", "seen = true and any field contains[cd] \"kuro\""),
    ("added:today", "added >= 2026-11-24T00:00:00Z and added < 2026-11-25T00:00:00Z"),
    ("added<2024-03", "added < 2024-03-01T00:00:00Z"),
    ("added<yesterday", "added < 2026-11-23T00:00:00Z"),
    ("added<=2024-03", "added < 2024-04-01T00:00:00Z"),
    ("added>2024-03", "added >= 2024-04-01T00:00:00Z"),
    ("added>=2024-03", "added >= 2024-03-01T00:00:00Z"),
    ("-added<2024-03", "not added < 2024-03-01T00:00:00Z"),
    ("added<\"2 may 2009\" up", "added < 2009-05-02T00:00:00Z and any field contains[cd] \"up\""),
    ("boxOffice:>5m", "boxOffice > 5000000"),
    ("year:>=1990 up", "year >= 1990 and any field contains[cd] \"up\""),
    ("released:<2009", "released < 2009-01-01"), ("added:>=2024", "added >= 2024-01-01T00:00:00Z"),
    ("title:>x", "title contains[cd] \">x\""), ("year:!=1990", "not year = 1990"),
    ("title = up", "title =[c] \"up\""),
    (
      "added>2024-03-01T09:30 seen:y",
      "added > 2024-03-01T09:30:00Z and seen = true"
    ),
    (
      "added:2024-03-01T09:30:00Z up",
      "added = 2024-03-01T09:30:00Z and any field contains[cd] \"up\""
    ),
    (
      "added<=2024-03-01 year<9",
      "added < 2024-03-02T00:00:00Z and year < 9"
    ),
    (
      "year = 1 or added>2024-03",
      "year = 1 or added >= 2024-04-01T00:00:00Z"
    ),
    ("off > 5 title = Up", "boxOffice > 5 and title = \"Up\""),
    ("added>today up", "added >= 2026-11-25T00:00:00Z and any field contains[cd] \"up\""),
  ]

  @Test(arguments: terms)
  func termsStandForPredicates(text: String, predicate: String) throws {
    let input = FilterInput(text, for: Self.entity, today: Self.today)
    #expect(input.kind == .terms)
    #expect(input.predicate == predicate)
    // A script takes the predicate, and finds the same.
    #expect(try FilterParser.parse(input.predicate, for: Self.entity).description == predicate)
    try input.filter.validate(for: Self.entity)
  }

  /// Predicates with days, and what they mean on the screen and in scripts.
  static let dayPredicates: [(text: String, filter: String)] = [
    ("added < 2024-03-01", "added < 2024-03-01T00:00:00Z"),
    ("added<=2024-03-01", "added < 2024-03-02T00:00:00Z"),
    ("added > 2024-03-01", "added >= 2024-03-02T00:00:00Z"),
    ("added >= 2024-03-01", "added >= 2024-03-01T00:00:00Z"),
    ("2024-03-01 >= added", "added < 2024-03-02T00:00:00Z"),
    ("added<=\"2024-03-01\"", "added < 2024-03-02T00:00:00Z"),
    ("added=2024-03-01", "added >= 2024-03-01T00:00:00Z and added < 2024-03-02T00:00:00Z"),
    (
      "added != 2024-03-01 and year > 1",
      "not (added >= 2024-03-01T00:00:00Z and added < 2024-03-02T00:00:00Z) and year > 1"
    ),
    (
      "added between 2024-03-01 and 2024-03-02",
      "added >= 2024-03-01T00:00:00Z and added < 2024-03-03T00:00:00Z"
    ),
    (
      "added between 2024-03-01T08:00Z and 2024-03-02",
      "added >= 2024-03-01T08:00:00Z and added < 2024-03-03T00:00:00Z"
    ),
    (
      "added in (2024-03-01, 2024-03-02T08:00Z)",
      "added >= 2024-03-01T00:00:00Z and added < 2024-03-02T00:00:00Z "
        + "or added in (2024-03-02T08:00:00Z)"
    ),
    (
      "added in (2024-03-01)", "added >= 2024-03-01T00:00:00Z and added < 2024-03-02T00:00:00Z"
    ),
    ("added = 2024-03-01T00:00Z", "added = 2024-03-01T00:00:00Z"),
    ("added <= 2024-03-01T00:00Z", "added <= 2024-03-01T00:00:00Z"),
    ("released <= 2024-03-01", "released <= 2024-03-01"),
  ]

  @Test(arguments: dayPredicates)
  func aDayMeansTheSameOnTheScreenAndInScripts(text: String, filter: String) throws {
    let input = FilterInput(text, for: Self.entity, today: Self.today)
    #expect(input.kind == .predicate && input.predicate == text)
    let script = try FilterParser.parse(text, for: Self.entity)
    #expect(script == input.filter && script.description == filter)
    // What is shown means the same again.
    #expect(try FilterParser.parse(filter, for: Self.entity).description == filter)
  }

  @Test func aDayIsFoundByEverySign() throws {
    let layout = SnapshotLayout(["added"])
    for (sign, found) in [
      ("<", "0"), ("<=", "0123"), ("=", "123"), ("!=", "04n"), (">=", "1234"), (">", "4"),
      ("between 2024-03-01 and", "123"),
    ] {
      let entity = Schema.Entity("E", attributes: [Schema.Attribute("added", .datetime)])
      let filter = try BoundFilter(
        FilterParser.parse("added \(sign) 2024-03-01", for: entity),
        layout: layout
      )
      let moments = [
        "2024-02-29T23:59:59Z", "2024-03-01T00:00:00Z", "2024-03-01T12:30:00Z",
        "2024-03-01T23:59:59Z", "2024-03-02T00:00:00Z",
      ]
      var matched = ""
      for (place, moment) in moments.enumerated() {
        let value = try Value(parsing: moment, as: .datetime)
        if filter.matches([value]) { matched += "\(place)" }
      }
      if filter.matches([.null]) { matched += "n" }
      #expect(matched == found, "\(sign)")
    }
  }

  @Test(arguments: [
    ("title>2005", "title is text, compared letter by letter"),
    ("title>\"2005-01-01\"", "title is text, not dates"), ("year > 2005", nil), ("title > x", nil),
  ])
  func theStatusTellsWhatIsComparedLetterByLetter(text: String, note: String?) {
    let status = FilterInput(text, for: Self.entity, today: Self.today).statusText
    #expect(status.contains("letter by letter") == (note?.contains("letter") ?? false))
    if let note { #expect(status.contains(note)) }
  }

  @Test(arguments: [
    ("see year:2000-", true), ("see", true), ("-see year:2000-", false), ("seen year:1-", false),
    ("\"see\" year:1-", false), ("se year:1-", false),
  ])
  func theStatusTellsThatTheBeginningOfABooleanFieldIsAWord(text: String, isTold: Bool) {
    let status = FilterInput(text, for: Self.entity, today: Self.today).statusText
    #expect(status.contains("see is a word; the field is seen") == isTold, "\(status)")
  }

  @Test func aBooleanFieldIsAPartOfAPredicate() {
    let input = FilterInput("seen and year > 2000", for: Self.entity, today: Self.today)
    #expect(input.predicate == "(seen = true) and year > 2000")
  }

  /// Only the whole name of a boolean field, in any case and without quotes, means the field.
  @Test(arguments: ["\"seen\"", "\"Seen\"", "see", "title", "unseen"])
  func otherWordsAreWords(text: String) {
    let input = FilterInput(text, for: Self.entity, today: Self.today)
    #expect(input.kind == .words && input.problem == nil, "\(input)")
  }

  static let wrong: [(text: String, column: Int, length: Int?, message: String)] = [
    ("year:abc", 6, 3, "year: \"abc\" is not a number"),
    ("up year:", 9, 1, "year: a value is missing"),
    ("year:19x0 up", 6, 4, "\"19x0\" is not a number"), ("seen:maybe", 6, 5, "is not yes or no"),
    ("released:soon up", 10, 4, "\"soon\" is not a date"),
    ("studio>pixar up", 8, 5, "is a link; write : and a part of the title"),
    ("up r:5", 4, 1, "\"r\" could be rating or released"),
    ("up -r:5", 5, 1, "\"r\" could be rating or released"),
    ("director:x title:up", 1, 8, "Film has no field \"director\""),
    ("up titel:x", 4, 5, "did you mean \"title\"?"), ("office > 5x", 10, 2, "is not a number"),
    ("title:up nosuch>5", 10, 6, "Film has no field \"nosuch\""),
    ("year>4 tilte>2018-02-05", 8, 5, "did you mean \"title\"?"),
    ("nosuch>5 title:up", 1, 6, "Film has no field \"nosuch\""),
    ("year:5..x", 6, 4, "\"x\" is not a number"), ("year:..", 6, 2, "a value is missing"),
  ]

  @Test(arguments: wrong)
  func theWrongWordIsNamed(text: String, column: Int, length: Int?, message: String) {
    let problem = FilterInput(text, for: Self.entity, today: Self.today).problem
    #expect(problem?.column == column)
    #expect(problem?.length == length)
    #expect(problem?.message.contains(message) == true, "\(String(describing: problem))")
  }

  @Test(arguments: [
    ("up", FilterInput.Kind.words), ("12:30", .words), ("http://a", .words),
    ("year > 2000", .predicate),
    ("year>2000", .predicate), ("toy-story", .words), ("-", .words), ("\"year:1\"", .words),
    ("", .all),
  ])
  func otherTextsStayWhatTheyWere(text: String, kind: FilterInput.Kind) {
    #expect(FilterInput(text, for: Self.entity).kind == kind)
  }

  @Test func theTestOfAnyFieldIsAPredicate() throws {
    let text = "not any field contains[cd] \"x\" and year > 1"
    #expect(try FilterParser.parse(text, for: Self.entity).description == text)
    let named = Schema.Entity("E", attributes: [Schema.Attribute("any", .text)])
    #expect(try FilterParser.parse("any = \"field\"", for: named).description == "any = \"field\"")
    #expect(throws: FilterSyntaxError.self) {
      try FilterParser.parse("any field = \"x\"", for: Self.entity)
    }
  }

  // MARK: Predicates with forgiven names

  private static let films = Schema.Entity(
    "Film",
    attributes: [
      Schema.Attribute("Title", .text), Schema.Attribute("IMDB Rating", .number),
      Schema.Attribute("MPAA Rating", .text), Schema.Attribute("US Gross", .integer),
      Schema.Attribute("Director", .text), Schema.Attribute("Production Budget", .integer),
    ]
  )

  static let clauses: [(text: String, filter: String)] = [
    ("US Gross > Production Budget", "`US Gross` > `Production Budget`"),
    (
      "director:nolan and us gross < production budget",
      "Director contains[cd] \"nolan\" and `US Gross` < `Production Budget`"
    ),
    ("IMDB Rating > 8.5", "`IMDB Rating` > 8.5"), ("imdb rating>8.5", "`IMDB Rating` > 8.5"),
    (
      "IMDB Rating>8.5 and Director contains \"Nolan\"",
      "`IMDB Rating` > 8.5 and Director contains \"Nolan\""
    ),
    (
      "IMDB Rating>8.5 or Director:nolan",
      "`IMDB Rating` > 8.5 or Director contains[cd] \"nolan\""
    ),
    ("IMDB Rating > 8.5 and US Gross > 1000000", "`IMDB Rating` > 8.5 and `US Gross` > 1000000"),
    ("Title = \"x\" and gross > 5", "Title = \"x\" and `US Gross` > 5"),
    ("IMDB Rating between 7 and 8 and gross>5", "`IMDB Rating` between 7 and 8 and `US Gross` > 5"),
    (
      "(IMDB Rating > 8 or US Gross > 5) and not MPAA Rating = \"R\"",
      "(`IMDB Rating` > 8 or `US Gross` > 5) and not `MPAA Rating` = \"R\""
    ),
    ("MPAA Rating in (\"R\", \"G\")", "`MPAA Rating` in (\"R\", \"G\")"),
    ("Director=nolan or Director=docter", "Director =[c] \"nolan\" or Director =[c] \"docter\""),
    (
      "(gross:5 or gross:6) director:docter",
      "(`US Gross` = 5 or `US Gross` = 6) and Director contains[cd] \"docter\""
    ),
    ("nolan IMDB Rating > 8", "any field contains[cd] \"nolan\" and `IMDB Rating` > 8"),
  ]

  @Test(arguments: clauses)
  func namesWithSpacesStandBeforeOperators(text: String, filter: String) throws {
    let input = FilterInput(text, for: Self.films, today: Self.today)
    #expect(input.problem == nil)
    #expect(input.kind == .terms)
    #expect(input.filter.description == filter)
    // A script finds the records with the shown predicate, too.
    _ = try FilterParser.parse(input.predicate, for: Self.films)
  }

  private static let longNames = Schema.Entity(
    "Film",
    attributes: films.fields + [
      Schema.Attribute("Running Time min", .integer), Schema.Attribute("releaseYear", .integer),
    ]
  )

  static let shortened: [(text: String, filter: String)] = [
    (
      "director:spielberg imdb rat>7", "Director contains[cd] \"spielberg\" and `IMDB Rating` > 7"
    ),
    (
      "imdb rat>7 director:spielberg", "`IMDB Rating` > 7 and Director contains[cd] \"spielberg\""
    ),
    (
      "director:spielberg running time>100",
      "Director contains[cd] \"spielberg\" and `Running Time min` > 100"
    ),
    ("imdb rat > 7 us gr>5", "`IMDB Rating` > 7 and `US Gross` > 5"),
    ("nolan running time > 100", "any field contains[cd] \"nolan\" and `Running Time min` > 100"),
    ("time min:100", "`Running Time min` = 100"), ("-imdb rat>7", "not `IMDB Rating` > 7"),
    ("release y:1990", "releaseYear = 1990"),
    ("a year:1990", "any field contains[cd] \"a\" and releaseYear = 1990"),
    ("nolan time>100", "any field contains[cd] \"nolan\" and `Running Time min` > 100"),
    (
      "director:nolan imdb rat>7 or us gr>5",
      "Director contains[cd] \"nolan\" and `IMDB Rating` > 7 or `US Gross` > 5"
    ),
  ]

  @Test(arguments: shortened)
  func shortenedNamesWithSpacesStandBesideOtherTerms(text: String, filter: String) {
    let input = FilterInput(text, for: Self.longNames, today: Self.today)
    #expect(input.problem == nil)
    #expect(input.filter.description == filter)
  }

  static let connected: [(text: String, filter: String)] = [
    ("up or soul", "any field contains[cd] \"up\" or any field contains[cd] \"soul\""),
    ("Up OR soul", "any field contains[d] \"Up\" or any field contains[cd] \"soul\""),
    ("up and soul", "any field contains[cd] \"up\" and any field contains[cd] \"soul\""),
    (
      "toy story or soul and jazz",
      "any field contains[cd] \"toy\" and any field contains[cd] \"story\" "
        + "or any field contains[cd] \"soul\" and any field contains[cd] \"jazz\""
    ),
    ("\"dead or alive\"", "any field contains[cd] \"dead or alive\""),
    ("up or", "any field contains[cd] \"up\" and any field contains[cd] \"or\""),
    ("or up", "any field contains[cd] \"or\" and any field contains[cd] \"up\""),
  ]

  @Test(arguments: connected) func wordsAreConnected(text: String, filter: String) {
    let input = FilterInput(text, for: Self.entity, today: Self.today)
    #expect(input.problem == nil)
    #expect(input.kind == .words)
    #expect(input.filter.description == filter)
    let typed = FilterInput("up or", for: Self.entity, today: Self.today, allowsWords: false)
    #expect(typed.filter.description == "any field contains[cd] \"up\"", "not finished yet")
  }

  @Test(arguments: [
    ("up soul", "words, any case"), ("Up soul", "words, lowercase in any case"), ("Up", "words"),
    ("title contains 'up' and title contains 'Soul'", "lowercase in any case"),
  ])
  func theTextTellsWhatIsFoundInAnyCase(text: String, note: String) {
    let input = FilterInput(text, for: Self.entity, today: Self.today)
    #expect(input.statusText == "filter \(text) (\(note))")
  }

  @Test(arguments: [
    ("title=Up", true), ("title = Up", true), ("Title = Up", true), ("office>5 title=Up", true),
    ("title=up", false), ("title:Up", false),
  ])
  func aComparisonWithACapitalLetterIsExact(text: String, isExact: Bool) {
    let input = FilterInput(text, for: Self.entity, today: Self.today)
    #expect(input.filter.comparesTextExactly == isExact)
  }

  @Test func aWordMayFollowAPathWithAStepInQuotes() {
    let text = #"info["x.y"] != up"#
    let entity = Schema.Entity("E", attributes: [Schema.Attribute("info", .json)])
    let paths = FieldPath.paths(in: text, of: entity, Schema(entity))
    let input = FilterInput(text, for: entity, paths: paths, today: Self.today)
    #expect(input.filter.description == #"not info["x.y"] =[c] "up""#)
  }

  @Test func anyFieldIsReadWhereAFieldIsCalledAny() throws {
    let entity = Schema.Entity(
      "E",
      attributes: [Schema.Attribute("any", .text), Schema.Attribute("title", .text)]
    )
    let words = FilterInput("up", for: entity, today: Self.today)
    #expect(try FilterInput.parsed(words.inverted.text, for: entity) == .not(words.filter))
    #expect(try FilterInput.parsed("any = \"x\"", for: entity).description == "any = \"x\"")
  }

  @Test func invertingTwiceGivesTheFirstFilter() {
    let input = FilterInput("office>5 or kuro title:x", for: Self.entity, today: Self.today)
    let twice = input.inverted.inverted
    #expect(input.inverted.filter == .not(input.filter))
    #expect(twice.filter == input.filter && twice.text == input.predicate)
    let words = FilterInput("kuro", for: Self.entity, today: Self.today)
    #expect(words.caseNote == "any case" && words.inverted.caseNote == nil)
  }

  static let wrongClauses: [(text: String, column: Int, length: Int?, message: String)] = [
    ("IMBD Rating > 8.5", 1, 11, "has no field \"IMBD Rating\""),
    ("US Gross>5 and Rating > 8", 16, 6, "could be IMDB Rating or MPAA Rating"),
    (
      "US Gross>5 and nolan", 16, 5,
      "expected a field and a comparison; for a text: any field contains \"nolan\""
    ),
    ("US Gross>5 or US Gross:x", 24, 1, "is not a number"),
    ("gross>5 or kuro", 12, 4, "expected a field and a comparison"),
  ]

  @Test(arguments: wrongClauses)
  func theWrongPartOfAPredicateIsNamed(text: String, column: Int, length: Int?, message: String) {
    let problem = FilterInput(text, for: Self.films, today: Self.today).problem
    #expect(problem?.column == column)
    #expect(problem?.length == length)
    #expect(problem?.message.contains(message) == true, "\(String(describing: problem))")
  }

  @Test(arguments: ["war and peace", "once in a lifetime", "rock or roll", "what is this"])
  func wordsThatConnectStayWords(text: String) {
    #expect(FilterInput(text, for: Self.films).kind == .words)
  }

  @Test func aLinkWinsOverTheFieldsOfItsRecords() {
    let names = ["title", "author_id", "author_id.id", "author_id.name", "tags", "tags[0]"]
    #expect(TypedName("author", among: names) == .field("author_id"))
    #expect(TypedName("tag", among: names) == .field("tags"))
    #expect(TypedName("author_id.na", among: names) == .field("author_id.name"))
    #expect(TypedName("t", among: names) == .ambiguous(["title", "tags"]))
  }

  // MARK: Dates

  static let days: [(text: String, days: String?)] = [
    ("last may", "2026-05-01..2026-05-31"), ("last november", "2025-11-01..2025-11-30"),
    ("next nov", "2027-11-01..2027-11-30"), ("this month", "2026-11-01..2026-11-30"),
    ("may", "2026-05-01..2026-05-31"), ("feb 2024", "2024-02-01..2024-02-29"),
    ("last week", "2026-11-16..2026-11-22"), ("this week", "2026-11-23..2026-11-29"),
    ("last monday", "2026-11-23..2026-11-23"), ("last tuesday", "2026-11-17..2026-11-17"),
    ("next tue", "2026-12-01..2026-12-01"), ("last year", "2025-01-01..2025-12-31"),
    ("next month", "2026-12-01..2026-12-31"), ("3 days ago", "2026-11-21..2026-11-21"),
    ("in 2 weeks", "2026-12-08..2026-12-08"), ("9m", "2026-02-24..2026-02-24"),
    ("1 month ago", "2026-10-24..2026-10-24"), ("tomorrow", "2026-11-25..2026-11-25"),
    ("2009-13", nil), ("2009-02-30", nil), ("99", nil), ("last", nil), ("ma", nil),
    ("9999999 days ago", nil),
    ("last xyz", nil), ("", nil), ("in x days", nil),
  ]

  private static func days(_ text: String, today: CalendarDate?) -> String? {
    let meanings = today.map { EntryReader(today: $0).days(text) } ?? []
    return meanings.count == 1
      ? "\(meanings[0].days.lowerBound)..\(meanings[0].days.upperBound)" : nil
  }

  @Test(arguments: days)
  func wordsMeanDays(text: String, days: String?) {
    #expect(Self.days(text, today: Self.today) == days)
  }

  @Test func theLastDayOfAShortMonthIsTaken() {
    let march = CalendarDate("2026-03-31")
    #expect(Self.days("1 month ago", today: march) == "2026-02-28..2026-02-28")
  }
}
