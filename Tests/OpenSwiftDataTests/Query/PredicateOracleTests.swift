import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// Random predicates, evaluated by Foundation and as filters.
@Suite struct PredicateOracleTests {
  @Test func loweredPredicatesPassWhatFoundationPasses() throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let films = (0..<60).map { _ in PredicateFilm.random(&random) }
    let values = films.map(\.values)
    var exactCount = 0
    let rounds = testRounds(1500)
    for round in 0..<rounds {
      let predicate = Predicate<PredicateFilm> { variable in
        var maker = PredicateMaker(variable: variable, random: random)
        let expression = maker.boolean(depth: 3)
        random = maker.random
        return expression
      }
      let lowered = LoweredPredicate(predicate)
      exactCount += lowered.isExact ? 1 : 0
      let bound = try BoundFilter(lowered.filter, layout: PredicateFilm.layout)
      for (film, values) in zip(films, values) {
        // If Foundation throws, any result is accepted.
        guard let expected = try? predicate.evaluate(film) else { continue }
        let passes = bound.matches(values)
        let isRight = lowered.isExact ? passes == expected : passes || !expected
        guard isRight else {
          Issue.record(
            "seed \(seed), round \(round): \(predicate) is \(expected) for \(film), but \(lowered)"
          )
          return
        }
      }
    }
    #expect(exactCount > rounds / 4, "\(exactCount) exact, seed \(seed)")
    #expect(exactCount < rounds, "seed \(seed)")
  }
}

extension PredicateFilm {
  static let texts = [
    "", "a", "A", "e", "f", "K", "\u{212A}", "Ka", "\u{212A}a", ";", "\u{37E}", "é", "e\u{301}",
    "cafe", "cafe\u{301}", "café", "caf", "a\r\n", "\n", "\r", "ß", "SS", "Z", "1",
    "1\u{FE0F}\u{20E3}", "한", "\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}", "Å", "\u{212B}",
  ]
  static let whole = [Int.min, -7, -1, 0, 1, 2, 3, 9, Int.max]
  static let numbers = [-1e300, -1.5, -0.0, 0, 1, 2.5, 1e300]
  static let dates = [-1e9, -1, 0, 0.25, 86_400, 1e9].map(
    Date.init(timeIntervalSinceReferenceDate:)
  )
  static let decimals: [Decimal] = [-1, 0, 1, 1.5, 1e30]
  static let keys = (0..<4).map { _ in UUID() }
  static let codes = ["", "a", "A", "b"].map(Code.init)
  static let pages = ["https://a.org/x", "https://a.org/K", "x"].compactMap { URL(string: $0) }
  static let posters = [Data(), Data([1]), Data([1, 2, 3])]

  static func random(_ random: inout SeededGenerator) -> PredicateFilm {
    func pick<V>(_ values: [V]) -> V { values[Int.random(in: 0..<values.count, using: &random)] }
    func maybe<V>(_ values: [V]) -> V? { Bool.random(using: &random) ? pick(values) : nil }
    var film = PredicateFilm()
    film.title = pick(texts)
    film.note = maybe(texts)
    film.year = pick(whole)
    film.rank = maybe(whole)
    film.small = pick([-128, -1, 0, 1, 127])
    film.large = pick([0, 1, 7, .max])
    film.rating = pick(numbers)
    film.score = maybe(numbers)
    film.price = pick(decimals)
    film.seen = pick([true, false])
    film.liked = maybe([true, false])
    film.released = pick(dates)
    film.watched = maybe(dates)
    film.key = pick(keys)
    film.genre = pick(Genre.allCases)
    film.style = maybe(Genre.allCases)
    film.level = maybe(Level.allCases)
    film.code = pick(codes)
    film.flags = Flags(rawValue: pick([0, 1, 3]))
    film.page = maybe(pages)
    film.poster = maybe(posters)
    return film
  }
}
