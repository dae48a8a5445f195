import Foundation
import OpenSwiftData
import Testing

@Suite struct PredicateLoweringTests {
  private typealias Film = PredicateFilm

  private static func exact(_ predicate: Predicate<PredicateFilm>, _ filter: Filter) -> Row {
    Row(predicate: predicate, filter: filter, isExact: true)
  }

  private static func inexact(_ predicate: Predicate<PredicateFilm>, _ filter: Filter) -> Row {
    Row(predicate: predicate, filter: filter, isExact: false)
  }

  struct Row: Sendable {
    let predicate: Predicate<PredicateFilm>
    let filter: Filter
    let isExact: Bool
  }

  private func check(_ rows: [Row]) {
    for row in rows {
      let lowered = LoweredPredicate(row.predicate)
      #expect(lowered.filter == row.filter)
      #expect(lowered.isExact == row.isExact, "\(row.filter)")
    }
  }

  @Test func comparisonsAreLoweredWithTheirSides() {
    let limit = 5
    check([
      Self.exact(#Predicate { $0.year == limit }, .compare("year", .equal, .integer(5))),
      Self.exact(#Predicate { $0.year != limit }, .compare("year", .notEqual, .integer(5))),
      Self.exact(#Predicate { limit < $0.year }, .compare("year", .greater, .integer(5))),
      Self.exact(
        #Predicate { $0.rating >= 1.5 },
        .compare("rating", .greaterOrEqual, .number(1.5))
      ),
      Self.exact(
        #Predicate { $0.year <= limit * 2 + 1 },
        .compare("year", .lessOrEqual, .integer(11))
      ),
      Self.exact(#Predicate { $0.year == $0.year }, .compareAttributes("year", .equal, "year")),
      Self.exact(#Predicate { $0.rank == nil }, .isNull("rank")),
      Self.exact(#Predicate { $0.rank != nil }, .not(.isNull("rank"))),
      Self.exact(#Predicate { $0.rank == 1 }, .compare("rank", .equal, .integer(1))),
      Self.exact(#Predicate { $0.title == "Up" }, .compare("title", .equal, .text("Up"))),
      Self.exact(#Predicate { $0.large > 7 }, .compare("large", .greater, .decimal(7))),
    ])
  }

  @Test func logicKeepsTheShapeOfThePredicate() {
    let seen = Filter.compare("seen", .equal, .boolean(true))
    let old = Filter.compare("year", .less, .integer(1950))
    check([
      Self.exact(#Predicate { $0.seen }, seen),
      Self.exact(#Predicate { !$0.seen }, .compare("seen", .notEqual, .boolean(true))),
      Self.exact(#Predicate { $0.seen && $0.year < 1950 }, .and([seen, old])),
      Self.exact(#Predicate { $0.seen || $0.year < 1950 }, .or([seen, old])),
      Self.exact(#Predicate { !($0.seen && $0.year < 1950) }, .not(.and([seen, old]))),
      Self.exact(#Predicate { _ in true }, .all),
      Self.exact(#Predicate { _ in false }, .constant(false)),
    ])
  }

  @Test func partsThatNoFilterKnowsLeaveTheRest() {
    let seen = Filter.compare("seen", .equal, .boolean(true))
    check([
      Self.inexact(#Predicate { $0.shout == "UP" }, .all),
      Self.inexact(#Predicate { $0.seen && $0.shout == "UP" }, seen),
      Self.inexact(#Predicate { $0.seen || $0.shout == "UP" }, .all),
      Self.inexact(
        #Predicate { !($0.seen || $0.age > 3) },
        .compare("seen", .notEqual, .boolean(true))
      ),
      Self.inexact(#Predicate { $0.year + 1 > 3 }, .all),
      Self.inexact(#Predicate { $0.title.count > 1 }, .compare("title", .notEqual, .text(""))),
      Self.exact(#Predicate { $0.title.count > 0 }, .compare("title", .notEqual, .text(""))),
      Self.exact(#Predicate { $0.title.isEmpty }, .compare("title", .equal, .text(""))),
    ])
  }

  @Test func optionalsAreUnwrappedInEveryWay() {
    let five = Filter.compare("rank", .greater, .integer(5))
    check([
      Self.exact(#Predicate { ($0.rank ?? 0) > 5 }, five),
      Self.exact(#Predicate { ($0.rank ?? 9) > 5 }, .or([.isNull("rank"), five])),
      Self.exact(#Predicate { if let rank = $0.rank { rank > 5 } else { false } }, five),
      Self.exact(#Predicate { $0.rank.flatMap { $0 > 5 } ?? false }, five),
      Self.exact(#Predicate { $0.rank != nil && $0.rank! > 5 }, five),
      Self.exact(#Predicate { $0.liked == true }, .compare("liked", .equal, .boolean(true))),
      Self.exact(#Predicate { $0.liked ?? false }, .compare("liked", .equal, .boolean(true))),
      Self.exact(#Predicate { $0.note?.isEmpty == true }, .compare("note", .equal, .text(""))),
      Self.exact(
        #Predicate { $0.seen ? $0.year > 1 : $0.year > 2 },
        .or([
          .and([
            .compare("seen", .equal, .boolean(true)), .compare("year", .greater, .integer(1)),
          ]),
          .and([
            .compare("seen", .notEqual, .boolean(true)), .compare("year", .greater, .integer(2)),
          ]),
        ])
      ),
    ])
  }

  @Test func collectionsAndRangesBecomeOneTest() {
    let years: Set = [1, 2]
    let ranks = [1, nil]
    let genres = [Film.Genre.drama]
    let decade = 1980..<1990
    check([
      Self.exact(
        #Predicate { (3...5).contains($0.year) },
        .between("year", .integer(3), .integer(5))
      ),
      Self.exact(
        #Predicate { decade.contains($0.year) },
        .and([
          .compare("year", .greaterOrEqual, .integer(1980)),
          .compare("year", .less, .integer(1990)),
        ])
      ),
      Self.exact(#Predicate { ranks.contains($0.rank) }, .isIn("rank", [.integer(1), .null])),
      Self.exact(#Predicate { genres.contains($0.genre) }, .isIn("genre", [.text("drama")])),
      Self.exact(
        #Predicate { film in genres.contains { $0 == film.genre } },
        .compare("genre", .equal, .text("drama"))
      ),
    ])
    let lowered = LoweredPredicate(#Predicate { years.contains($0.year) })
    guard case .isIn("year", let values) = lowered.filter else {
      Issue.record("\(lowered.filter)")
      return
    }
    #expect(Set(values) == [.integer(1), .integer(2)] && lowered.isExact)
  }

  @Test func textIsComparedByCharacters() {
    let accent = "Amélie"
    let texts = ["Up", "Amélie"]
    check([
      Self.exact(
        #Predicate { $0.title == accent },
        .text("title", TextMatch(.equals, "Amélie", options: .characters))
      ),
      Self.exact(
        #Predicate { $0.title.contains("Up") },
        .text("title", TextMatch(.contains, "Up", options: .characters))
      ),
      Self.exact(
        #Predicate { !$0.title.starts(with: "Up") },
        .not(.text("title", TextMatch(.beginsWith, "Up", options: .characters)))
      ),
      Self.exact(#Predicate { $0.title.contains("") }, .all),
      Self.exact(
        #Predicate { $0.note?.contains("Up") == true },
        .text("note", TextMatch(.contains, "Up", options: .characters))
      ),
      Self.exact(
        #Predicate { texts.contains($0.title) },
        .or([
          .text("title", TextMatch(.equals, "Amélie", options: .characters)),
          .isIn("title", [.text("Up")]),
        ])
      ),
      Self.inexact(#Predicate { $0.title > "M" }, .all),
    ])
  }

  @Test func textOperatorsThatFoundationLeavesOutAreBack() {
    let same = ComparisonResult.orderedSame
    check([
      Self.exact(
        #Predicate { $0.title.localizedStandardContains("ame") },
        .text(
          "title",
          TextMatch(.contains, "ame", options: [.caseInsensitive, .diacriticInsensitive])
        )
      ),
      Self.exact(#Predicate { $0.title.localizedStandardContains("") }, .constant(false)),
      Self.inexact(
        #Predicate { $0.title.caseInsensitiveCompare("ame") == same },
        .text(
          "title",
          TextMatch(.equals, "ame", options: [.caseInsensitive, .diacriticInsensitive])
        )
      ),
      Self.inexact(#Predicate { $0.title.localizedCompare("ame") == same }, .all),
      Self.inexact(
        #Predicate { $0.title.contains(/a.c/) },
        .or([
          .not(.text("title", TextMatch(.matches, "[\\t -~]*"))),
          .text("title", TextMatch(.matches, "(?s:.*)(?:a.c)(?s:.*)")),
        ])
      ),
      // Conditions that filters cannot express are evaluated by Swift.
      Self.inexact(#Predicate { $0.title.contains(/a(?=c)/) }, .all),
      Self.inexact(#Predicate { $0.title.contains(/[a-z&&[^b]]/) }, .all),
    ])
  }

  @Test(
    arguments: [
      ("Amélie", "AME"), ("Amélie", "é"), ("Amelie", "É"), ("STRASSE", "ß"), ("straße", "SS"),
      ("straẞe", "ß"), ("x", ""), ("", ""), ("", "x"), ("Ὀδυσσεύς", "οδυσσευσ"), ("K", "\u{212A}"),
      ("İstanbul", "istanbul"), ("Žižek", "ziz"), ("e\u{301}", "é"), ("abc", "d"), ("北京", "京"),
    ]
  )
  func containsIsThatOfFoundation(_ text: String, _ pattern: String) throws {
    let predicate = #Predicate<PredicateFilm> { $0.title.localizedStandardContains(pattern) }
    var film = PredicateFilm()
    film.title = text
    #expect(try predicate.evaluate(film) == text.localizedStandardContains(pattern))
  }

  @Test func enumsAreComparedByTheirRawValue() {
    let drama = Film.Genre.drama
    let kids = Film.Genre.kids
    let code = Film.Code(rawValue: "a")
    let low = Film.Level.low
    check([
      Self.exact(#Predicate { $0.genre == drama }, .compare("genre", .equal, .text("drama"))),
      Self.exact(#Predicate { $0.style != drama }, .compare("style", .notEqual, .text("drama"))),
      Self.exact(
        #Predicate { $0.genre.rawValue == "drama" },
        .compare("genre", .equal, .text("drama"))
      ),
      Self.exact(
        #Predicate { $0.genre == kids },
        .text("genre", TextMatch(.equals, "K;", options: .characters))
      ),
      Self.inexact(#Predicate { $0.code == code }, .all),
      Self.inexact(
        #Predicate { if let level = $0.level { level > low } else { false } },
        .and([
          .not(.isNull("level")),
          .or([
            .isIn("level", [.integer(2), .integer(9)]),
            .not(.isIn("level", [.integer(3), .integer(2), .integer(9)])),
          ]),
        ])
      ),
    ])
  }

  @Test func whatWouldTrapIsNotCalculatedBeforehand() {
    let zero = 0
    let most = Int.max
    let least = Int.min
    let minusOne = -1
    check([
      Self.exact(#Predicate { zero != 0 && $0.year > 1 / zero }, .constant(false)),
      Self.inexact(#Predicate { $0.year > 1 / zero }, .all),
      Self.inexact(#Predicate { $0.year > 1 % zero }, .all),
      Self.inexact(#Predicate { $0.year > most + 1 }, .all),
      Self.inexact(#Predicate { $0.year > -least }, .all),
      Self.inexact(#Predicate { $0.year > least / minusOne }, .all),
      Self.exact(
        #Predicate { $0.year > 7 / minusOne },
        .compare("year", .greater, .integer(-7))
      ),
    ])
  }

  @Test func numbersThatNoStoreKeepsAreDecidedAtOnce() {
    let undefined = Double.nan
    let infinity = Double.infinity
    let never = Date(timeIntervalSinceReferenceDate: 1e300)
    check([
      Self.exact(#Predicate { $0.rating == undefined }, .constant(false)),
      Self.exact(#Predicate { $0.rating != undefined }, .all),
      Self.exact(#Predicate { $0.rating < undefined }, .constant(false)),
      Self.exact(
        #Predicate { $0.rating < infinity },
        .compare("rating", .less, .number(.infinity))
      ),
      Self.exact(
        #Predicate { $0.rating > -infinity },
        .compare("rating", .greater, .number(-.infinity))
      ),
      Self.exact(#Predicate { $0.released < never }, .all),
      Self.exact(#Predicate { $0.released > never }, .constant(false)),
    ])
  }
}
