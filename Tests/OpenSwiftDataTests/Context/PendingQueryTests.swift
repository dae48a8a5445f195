import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

/// Queries between unsaved changes, which remember the changes that concern them.
@Suite struct PendingQueryTests {
  /// Values of few kinds, so that queries meet changed, restored and deleted records again and again.
  private struct Run {
    let films: FilmContainer
    let context: ModelContext
    let other: ModelContext
    var random: SeededGenerator
    var changes = 0

    init(seed: UInt64) throws {
      films = try FilmContainer()
      context = try films.context(films: (0..<30).map { ("t\($0 % 6)", Int64($0 % 5)) }).0
      other = ModelContext(films.container)
      random = SeededGenerator(seed: seed)
    }

    private mutating func title() -> String { "t\(Int.random(in: 0..<8, using: &random))" }
    private mutating func year() -> Int64 { Int64.random(in: 0..<6, using: &random) }

    private mutating func someRecord(in context: ModelContext) throws -> PersistentIdentifier? {
      try context.fetchIdentifiers(matching: Query("Film")).randomElement(using: &random)
    }

    mutating func step() throws -> String {
      let film = try context.schema.entity(named: "Film")
      let operation = Int.random(in: 0..<100, using: &random)
      defer { context.closeUndoStep(named: "\(operation)") }
      switch operation {
      case 0..<25: try films.insert(title(), year: year(), into: context)
      case 25..<65:
        guard let identifier = try someRecord(in: context) else { return "nothing" }
        let state = try context.states(for: [identifier])[0]
        let isTitle = operation < 45
        let slot = try #require(film.layout.slot(of: isTitle ? "title" : "year"))
        state.set(isTitle ? .text(title()) : .integer(year()), at: slot)
      case 65..<75:
        if let identifier = try someRecord(in: context) { try context.delete([identifier]) }
      case 75..<87: try context.undo()
      case 87..<92: try context.redo()
      case 92..<95:
        do {
          try context.save()
        } catch let error as PersistenceError where error.code == .conflict {
          context.rollback()
        }
      case 95..<98:
        guard let identifier = try someRecord(in: other) else { return "nothing" }
        let slot = try #require(film.layout.slot(of: "year"))
        try other.states(for: [identifier])[0].set(.integer(year()), at: slot)
        try other.save()
      default: context.rollback()
      }
      return "\(operation)"
    }

    /// Compares queries for single values with the same filter over all records.
    mutating func check(_ place: String) throws {
      let film = try context.schema.entity(named: "Film")
      let all = try context.fetchSnapshots(matching: Query("Film"))
      let (first, second, number) = (title(), title(), year())
      let filters: [Filter] = [
        .compare("title", .equal, .text(first)),
        .isIn("title", [.text(first), .text(second)]),
        .and([.compare("year", .greater, .integer(2)), .compare("title", .equal, .text(second))]),
        .compare("year", .equal, .integer(number)),
        .compare("year", .equal, .number(Double(number))),
        .compare("year", .equal, .decimal(Decimal(number))),
        .and([.compare("year", .equal, .integer(number)), .compare("title", .equal, .text(first))]),
        .or([.isNull("year"), .compare("year", .equal, .integer(number))]),
        .or([.compare("title", .equal, .text(first)), .compare("year", .equal, .integer(number))]),
        .compare(
          "sequel",
          .equal,
          .link(try #require(all.randomElement(using: &random)).persistentIdentifier)
        ),
      ]
      for filter in filters {
        let bound = try BoundFilter(filter, layout: film.layout)
        let expected = all.filter(bound.matches).map(\.persistentIdentifier)
        let query = Query("Film", filter: filter)
        let found = try context.fetchIdentifiers(matching: query)
        #expect(found == expected, "\(place), \(filter)")
        #expect(try context.fetchCount(matching: query) == expected.count, "\(place), \(filter)")
        let sorted = try context.fetchIdentifiers(
          matching: Query("Film", filter: filter, sort: [SortKey("year")])
        )
        #expect(
          Set(sorted) == Set(expected) && sorted.count == expected.count,
          "\(place), \(filter): \(sorted), not \(expected)"
        )
      }
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func queriesForValuesFindWhatAFilterOverAllRecordsFinds(seed: UInt64) throws {
    var run = try Run(seed: seed)
    for number in 0..<testRounds(120, withoutSeed: 60) {
      let operation = try run.step()
      try run.check("seed \(seed), operation \(number): \(operation)")
    }
  }
}
