import Foundation
import DataStoreTesting
import OpenSwiftData
import Testing

@testable import Stores

/// Filters that narrow others: the result of the other one contains theirs, and is searched instead of all rows.
@Suite struct NarrowingTests {
  private static let entity = Schema.Entity(
    "Item",
    attributes: [
      .init("title", .text), .init("note", .text), .init("number", .integer), .init("day", .date),
    ]
  )

  /// Letters that change in number or kind when they are folded, and parts of them.
  private static let letters = [
    "a", "A", "s", "S", "ss", "ß", "ẞ", "ſ", "i", "I", "İ", "ı", "e", "é", "e\u{301}", "\u{301}",
    "\u{307}", "Σ", "ς", "σ", "ﬁ", "f", "ŉ", "n", "'", " ", "K", "1", "2",
  ]

  private static func text(_ random: inout SeededGenerator, _ length: Int) -> String {
    (0..<random.below(length)).map { _ in letters[random.below(letters.count)] }.joined()
  }

  private static func records(_ random: inout SeededGenerator, _ count: Int) -> [[Value]] {
    (0..<count).map { _ in
      [
        random.chance(90) ? .text(text(&random, 6)) : .null,
        random.chance(60) ? .text(text(&random, 4)) : .null,
        random.chance(80) ? .integer(Int64(random.below(40) - 10)) : .null,
        random.chance(80) ? .date(CalendarDate(daysSince1970: Int32(random.below(30)))) : .null,
      ]
    }
  }

  private static func options(_ random: inout SeededGenerator) -> TextMatch.Options {
    let all: [TextMatch.Options] = [
      [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive],
      .characters, [.characters, .caseInsensitive],
    ]
    return all[random.below(all.count)]
  }

  private static func filter(_ random: inout SeededGenerator, _ depth: Int = 2) -> Filter {
    let operations: [TextMatch.Operation] = [.contains, .contains, .equals, .beginsWith, .endsWith]
    let match = TextMatch(
      operations[random.below(operations.count)],
      text(&random, 3),
      options: options(&random)
    )
    let comparisons = Filter.Comparison.allCases
    let comparison = comparisons[random.below(comparisons.count)]
    switch random.below(depth > 0 ? 10 : 6) {
    case 0, 1: return .text(random.chance(70) ? "title" : "note", match)
    case 2, 3: return .anyText(match)
    case 4: return .compare("number", comparison, .integer(Int64(random.below(30) - 10)))
    case 5:
      return .compare(
        "day",
        comparison,
        .date(CalendarDate(daysSince1970: Int32(random.below(30))))
      )
    case 6, 7: return .and((0..<random.below(4)).map { _ in filter(&random, depth - 1) })
    case 8: return .or((0..<random.below(4)).map { _ in filter(&random, depth - 1) })
    default: return .not(filter(&random, depth - 1))
    }
  }

  /// The filter as somebody types on, or another one.
  private static func extended(_ filter: Filter, _ random: inout SeededGenerator) -> Filter {
    switch filter {
    case _ where random.chance(10): return Self.filter(&random)
    case .text(let name, var match):
      match.pattern += text(&random, 3)
      return .text(name, match)
    case .anyText(var match):
      match.pattern += text(&random, 3)
      return .anyText(match)
    case .compare(let name, let comparison, .integer(let number)):
      return .compare(name, comparison, .integer(number * 10 + Int64(random.below(10))))
    case .and(let parts) where random.chance(30): return .and(parts + [Self.filter(&random, 0)])
    case .and(let parts): return .and(parts.map { extended($0, &random) })
    case .or(let parts) where random.chance(30): return .or(parts + [Self.filter(&random, 0)])
    case .or(let parts): return .or(parts.map { extended($0, &random) })
    case .not(let part): return .not(extended(part, &random))
    default: return random.chance(50) ? .and([filter, Self.filter(&random, 0)]) : filter
    }
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func aFilterThatImpliesAnotherMatchesNothingElse(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var known = 0
    for round in 0..<testRounds(300) {
      let former = Self.filter(&random)
      let next = Self.extended(former, &random)
      guard next.implies(former) else { continue }
      known += 1
      let wide = try BoundFilter(former, layout: Self.entity.layout)
      let narrow = try BoundFilter(next, layout: Self.entity.layout)
      for values in Self.records(&random, 40) where narrow.matches(values) {
        #expect(
          wide.matches(values),
          "seed \(seed), round \(round): \(next) after \(former): \(values)"
        )
      }
    }
    #expect(known > testRounds(300) / 4, "seed \(seed): \(known) pairs narrow")
  }

  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
  func aNarrowedResultIsThatOfAllRecords(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try MemoryStore(MemoryStoreConfiguration(schema: Schema(Self.entity)))
    var added = 0
    for round in 0..<testRounds(100) {
      if round % 20 == 0 {
        let scope = IdentifierScope(store: nil, entity: "Item")
        let new = Self.records(&random, 150).map { values in
          added += 1
          return DefaultSnapshot(
            persistentIdentifier: scope.temporaryIdentifier(UInt64(added), context: 1),
            layout: Self.entity.layout,
            orderedValues: values
          )
        }
        _ = try store.commit(ChangeSet(inserted: new), author: nil)
      }
      let all = try store.snapshots(matching: Query("Item"))
      var filter = Self.filter(&random)
      for _ in 0..<4 {
        let query = Query("Item", filter: filter)
        let expected = try query.run(over: all, of: Self.entity).map(\.persistentIdentifier)
        let found = try store.identifiers(matching: query)
        #expect(found == expected, "seed \(seed), round \(round): \(filter)")
        filter = Self.extended(filter, &random)
      }
    }
  }

  @Test(arguments: [
    // What is typed, what was typed before, and whether the result is a part of the former one.
    ("toys", "toy", true), ("toy", "toys", false), ("aß", "as", true), ("as", "aß", false),
    ("e\u{301}", "e", true), ("İ", "i", true), ("oς", "oσ", true), ("a b", "a", true),
  ])
  func wordsNarrow(next: String, former: String, isNarrower: Bool) {
    let all: TextMatch.Options = [.caseInsensitive, .diacriticInsensitive]
    let filters = [next, former].map { Filter.anyText(TextMatch(.contains, $0, options: all)) }
    #expect(filters[0].implies(filters[1]) == isNarrower)
    #expect(Filter.not(filters[1]).implies(.not(filters[0])) == isNarrower)
  }

  @Test func anAccentThatCountsMakesAnotherLetter() {
    let filters = ["e\u{301}", "e"].map {
      Filter.text("title", TextMatch(.contains, $0, options: .caseInsensitive))
    }
    #expect(!filters[0].implies(filters[1]))
  }

  /// A field that is renamed must not answer with the result of another one.
  @Test func aChangedSchemaForgetsResults() throws {
    let store = try MemoryStore(MemoryStoreConfiguration(schema: Schema(Self.entity)))
    let scope = IdentifierScope(store: nil, entity: "Item")
    // Results are kept for tables with some rows.
    let new = (1...300).map {
      DefaultSnapshot(
        persistentIdentifier: scope.temporaryIdentifier($0, context: 1),
        layout: Self.entity.layout,
        orderedValues: [.text("up"), .text("down"), .null, .null]
      )
    }
    _ = try store.commit(ChangeSet(inserted: new), author: nil)
    let query = Query("Item", filter: .text("title", TextMatch(.contains, "up")))
    #expect(try store.count(matching: query) == 300)
    try store.apply(.renameAttribute(entity: "Item", from: "title", to: "former"), author: nil)
    try store.apply(.renameAttribute(entity: "Item", from: "note", to: "title"), author: nil)
    #expect(try store.count(matching: query) == 0)
  }
}
