import Testing

/// Every form of a predicate, counted on the sample.
@Suite struct ContractPredicatesTests {
  static let counts: [(String, Int)] = [
    (#"title = "Up""#, 1),
    (#"title == "up""#, 0),
    (#"title =[c] "up""#, 1),
    (#"title != "Up""#, 30),
    (#"title <> "Up""#, 30),
    ("title = 'Up'", 1),
    (#"TITLE = "Up""#, 1),
    (#"`title` = "Up""#, 1),
    (#""Up" = title"#, 1),
    ("releaseYear < 2000", 3),
    ("releaseYear <= 2001", 4),
    ("releaseYear=2009", 1),
    ("releaseYear > 2024", 3),
    ("2024 < releaseYear", 3),
    ("releaseYear >= 2025", 3),
    ("boxOfficeMillions > 1242.8", 2),
    ("releaseYear between 2000 and 2005", 3),
    ("releaseYear BETWEEN {2000, 2005}", 3),
    ("not releaseYear between 2000 and 2005", 28),
    ("releaseYear in (2009, 2010)", 2),
    (#"title IN {"Up", "Cars", "Nothing"}"#, 2),
    ("releaseYear in ()", 0),
    (#"title contains "Story""#, 5),
    (#"title contains[c] "STORY""#, 5),
    (#"title contains "STORY""#, 0),
    (#"title beginswith "The""#, 2),
    (#"title BeginsWith[cd] "thé""#, 2),
    (#"title endswith " 2""#, 4),
    (#"title like "*Story*""#, 5),
    (#"title like[cd] "*story ?""#, 4),
    (#"title matches "C.r.*""#, 3),
    ("title is null", 0),
    ("title is not null", 31),
    ("boxOfficeMillions = null", 0),
    ("favourite = true", 0),
    ("favourite = false", 31),
    ("true", 31),
    ("TRUEPREDICATE", 31),
    ("false", 0),
    ("releaseDate >= 2009-05-29 and releaseDate < 2010-01-01", 1),
    (#"releaseDate = "2009-05-29""#, 1),
    (#"title = "Up" or title = "Cars" and releaseYear = 1990"#, 1),
    (#"(title = "Up" or title = "Cars") and releaseYear = 2006"#, 1),
    (#"title = "Up" || title = "Cars" && !(releaseYear = 2006)"#, 1),
    (#"NOT title = "Up" AND releaseYear = 2009"#, 0),
    (#"title = "\u{55}p""#, 1),
    ("runningTimeMinutes < releaseYear", 31),
  ]

  @Test func everyFormOfPredicateCountsWhatItShould() throws {
    let folder = try TemporaryFolder()
    let lines = Self.counts.map { "count where \($0.0)\n" }.joined()
    let run = try folder.run(["--store", "memory", "--sample"], input: lines)
    #expect(run.errors == "")
    let numbers = run.output.split(separator: "\n").map(String.init)
    #expect(numbers.count == Self.counts.count)
    for (number, count) in zip(numbers, Self.counts) {
      #expect(number == "\(count.1)", "\(count.0)")
    }
  }

  static let refused: [ContractCase] = [
    ContractCase("count where", fails: #"missing predicate after "where""#),
    ContractCase("count where title", fails: "expected a comparison after the field \"title\""),
    ContractCase("count where title =", fails: "found the end"),
    ContractCase("count where (title = \"x\"", fails: "expected \")\""),
    ContractCase("count where title = \"x\" and", fails: "found the end"),
    ContractCase("count where 1 = 2", fails: "one side of a comparison must be a field"),
    ContractCase("count where releaseYear = \"x\"", fails: "has type integer"),
    ContractCase("count where title = 3", fails: "write \"3\""),
    ContractCase("count where title = 2009-05-29", fails: "write it in quotes"),
    ContractCase("count where releaseDate = 2009-02-30", fails: "2009-02-30"),
    ContractCase(
      "count where title contains[x] \"a\"",
      fails: "expected one or more of c, d, w"
    ),
    ContractCase("count where releaseYear between 1", fails: "\"and\""),
    ContractCase("count where releaseYear in 3", fails: "a list such as (1, 2)"),
    ContractCase("count where title = \"Up\" frob", fails: "frob"),
    ContractCase("count where title matches \"[\"", fails: "is not a valid regular expression"),
    ContractCase("count where favourite = 7", fails: "favourite"),
  ]

  @Test(arguments: refused)
  func aPredicateThatMeansNothingSaysWhereAndWhy(test: ContractCase) throws { try test.check() }

  @Test func linksCompareWithIdentifiers() throws {
    let folder = try TemporaryFolder()
    let run = try folder.run(
      ["--store", "memory"],
      input: """
        entity create Author name:text
        entity create Book title:text author:link:Author
        insert Author name=Ann
        insert Author name=Bob
        insert Book title=One author=t1
        insert Book title=Two author=t2
        insert Book title=Three
        count Book where author = "t1"
        count Book where author != "t1"
        count Book where author in ("t1", "t2")
        count Book where author is null
        save
        count Book where author = "t2"
        count Book where author = "zzzz"

        """
    )
    let numbers = run.output.split(separator: "\n").filter { Int($0) != nil }
    #expect(numbers == ["1", "2", "2", "1", "1"], "\(run.errors)")
    #expect(run.status == 1)
    #expect(run.errors.contains("record \"zzzz\" not found"), "\(run.errors)")
  }
}
