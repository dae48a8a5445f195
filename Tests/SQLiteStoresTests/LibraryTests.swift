import Foundation
import OpenSwiftData
import SQL
import SwiftData
import Testing

@testable import SQLiteStores

/// Programs that keep their models in SQLite.
@Suite struct LibraryTests {
  private static let models: [any PersistentModel.Type] = [
    Shelf.self, Book.self, Reader.self, Loan.self, Device.self, Scanner.self,
  ]

  let folder: TestFolder
  let path: String

  init() throws {
    folder = try TestFolder()
    path = try folder.newPath("library.db")
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Schema(Self.models),
      configurations: SQLiteConfiguration(url: URL(fileURLWithPath: path))
    )
  }

  private func context() throws -> ModelContext { ModelContext(try container()) }

  @discardableResult
  private func filled() throws -> ModelContext {
    let context = try context()
    let shelf = Shelf(code: "A1", room: "hall")
    context.insert(shelf)
    shelf.books = [
      Book("Emma", by: "Austen", year: 1815, price: 7.25),
      Book("Persuasion", by: "Austen", year: 1817),
    ]
    shelf.books[0].bought = Date(timeIntervalSince1970: 0.5)
    context.insert(Book("Walden", by: "Thoreau", year: 1854, price: 12))
    let reader = Reader(name: "Ann")
    context.insert(reader)
    reader.books = [shelf.books[0]]
    let loan = Loan(day: 1, place: 1)
    context.insert(loan)
    loan.reader = reader
    try context.save()
    return context
  }

  private func titles(_ context: ModelContext, _ predicate: Predicate<Book>? = nil) throws
    -> [String]
  {
    try context.fetch(
      FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\Book.year)])
    ).map(\.title)
  }

  @Test func relationshipsAndTheirInversesAreThereAgain() throws {
    try filled()
    let context = try context()
    let shelf = try #require(try context.fetch(FetchDescriptor<Shelf>()).first)
    #expect(shelf.books.map(\.title) == ["Emma", "Persuasion"])
    let emma = shelf.books[0]
    #expect(emma.shelf === shelf)
    #expect(emma.price == 7.25)
    #expect(emma.bought == Date(timeIntervalSince1970: 0.5))
    #expect(emma.readers.map(\.name) == ["Ann"])
    #expect(emma.readers[0].loans.map(\.day) == [1])
  }

  @Test func deletionsFollowTheRulesOfTheModels() throws {
    try filled()
    let context = try context()
    let reader = try #require(try context.fetch(FetchDescriptor<Reader>()).first)
    context.delete(reader)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .deleteDenied)
    context.rollback()
    context.delete(try #require(try context.fetch(FetchDescriptor<Shelf>()).first))
    try context.save()
    let again = try self.context()
    #expect(try titles(again) == ["Walden"])
    #expect(try again.fetch(FetchDescriptor<Reader>()).map(\.books.count) == [0])
  }

  @Test func predicatesAndOrdersWorkInTheDatabase() throws {
    try filled()
    let context = try context()
    #expect(try titles(context, #Predicate { $0.year > 1816 }) == ["Persuasion", "Walden"])
    #expect(try titles(context, #Predicate { $0.price >= 7.25 }) == ["Emma", "Walden"])
    #expect(try titles(context, #Predicate { $0.shelf?.code == "A1" }) == ["Emma", "Persuasion"])
    #expect(try titles(context, #Predicate { $0.bought == nil }) == ["Persuasion", "Walden"])
    #expect(
      try titles(context, #Predicate { $0.title.localizedStandardContains("MM") }) == ["Emma"]
    )
    #expect(
      try titles(context, #Predicate { $0.readers.contains { $0.name == "Ann" } }) == ["Emma"]
    )
    var descriptor = FetchDescriptor<Book>(
      sortBy: [
        SortDescriptor(\.author, comparator: .lexical, order: .reverse), SortDescriptor(\.year),
      ]
    )
    descriptor.fetchOffset = 1
    descriptor.fetchLimit = 2
    #expect(try context.fetch(descriptor).map(\.title) == ["Emma", "Persuasion"])
    #expect(try context.fetchCount(FetchDescriptor<Book>()) == 3)
  }

  @Test func aSecondModelWithAUniqueValueUpdatesTheFirst() throws {
    try filled()
    let context = try context()
    context.insert(Shelf(code: "A1", room: "attic"))
    try context.save()
    let again = try self.context()
    let shelves = try again.fetch(FetchDescriptor<Shelf>())
    #expect(shelves.map(\.room) == ["attic"])
    #expect(try again.fetchCount(FetchDescriptor<Shelf>()) == 1)
    again.insert(Loan(day: 1, place: 1))
    let error = #expect(throws: PersistenceError.self) { try again.save() }
    #expect(error?.code == .notUnique)
    again.rollback()
    again.insert(Loan(day: 1, place: 2))
    try again.save()
  }

  @Test func aContextThatDidNotSeeTheOtherModelUpdatesItToo() throws {
    try filled()
    let (first, second) = (try context(), try context())
    first.insert(Shelf(code: "B1", room: "first"))
    second.insert(Shelf(code: "B1", room: "second"))
    try first.save()
    try second.save()
    let found = try context().fetch(
      FetchDescriptor<Shelf>(sortBy: [SortDescriptor(\.code, comparator: .lexical)])
    )
    #expect(found.map(\.room) == ["hall", "second"])
  }

  @Test func subclassesHaveTablesOfTheirOwn() throws {
    let context = try context()
    context.insert(Device(wheels: 2))
    context.insert(Scanner(wheels: 4, speed: 0.5))
    try context.save()
    let again = try self.context()
    #expect(try again.fetch(FetchDescriptor<Device>()).map(\.wheels).sorted() == [2, 4])
    #expect(try again.fetch(FetchDescriptor<Scanner>()).map(\.speed) == [0.5])
    let fast = FetchDescriptor<Device>(predicate: #Predicate { $0.wheels > 3 })
    #expect(try again.fetch(fast).compactMap { ($0 as? Scanner)?.speed } == [0.5])
    #expect(try otherProgram(path).value("SELECT count(*) FROM Scanner") == .integer(1))
  }

  @Test func theHistoryNamesModelsAndAuthors() throws {
    let context = try filled()
    context.author = "ann"
    let emma = try #require(
      try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.title == "Emma" })).first
    )
    emma.year = 1816
    try context.save()
    let found = try self.context().fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>()
    )
    #expect(found.map(\.author) == [nil, "ann"])
    guard case .update(let update as DefaultHistoryUpdate<Book>)? = found.last?.changes.first else {
      Issue.record("no update in the history")
      return
    }
    #expect(update.updatedAttributes == [\Book.year])
    #expect(update.changedPersistentIdentifier == emma.persistentModelID)
  }

  @Test func batchDeletionFollowsPredicateAndRules() throws {
    let context = try filled()
    try context.delete(model: Book.self, where: #Predicate { $0.author == "Austen" })
    try context.save()
    let again = try self.context()
    #expect(try titles(again) == ["Walden"])
    #expect(try again.fetch(FetchDescriptor<Shelf>()).map(\.books.count) == [0])
    try again.delete(model: Shelf.self)
    try again.save()
    #expect(try self.context().fetchCount(FetchDescriptor<Shelf>()) == 0)
  }

  @Test func plansMigrateInOneTransaction() throws {
    func open(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: schema,
          migrationPlan: plan,
          configurations: SQLiteConfiguration(url: URL(fileURLWithPath: path))
        )
      )
    }
    let first = try open(Schema(versionedSchema: PagesV1.self), nil)
    for size in ["12", "7"] { first.insert(PagesV1.Page(name: "Home", size: size)) }
    try first.save()
    let newest = try open(Schema(versionedSchema: PagesV3.self), PagesPlan.self)
    let pages = try newest.fetch(
      FetchDescriptor<PagesV3.Page>(sortBy: [SortDescriptor(\.title, comparator: .lexical)])
    )
    #expect(pages.map(\.title) == ["Home 0", "Home 1"])
    #expect(pages.map(\.size) == [12, 7])
    #expect(pages.map(\.note) == ["none", "none"])
    let again = try open(Schema(versionedSchema: PagesV3.self), PagesPlan.self)
    #expect(try again.fetchCount(FetchDescriptor<PagesV3.Page>()) == 2)
    #expect(
      try otherProgram(path).rows("SELECT title, size FROM Page ORDER BY title") == [
        [.text("Home 0"), .integer(12)], [.text("Home 1"), .integer(7)],
      ]
    )
  }

  @Test func declaredIndexesServeQueries() throws {
    try filled()
    let other = try otherProgram(path)
    func plan(_ query: String) throws -> String {
      try other.rows(SQLText("EXPLAIN QUERY PLAN " + query)).map { $0[3].literal }.joined()
    }
    #expect(try plan("SELECT * FROM Book WHERE year > 1816").contains("catalog_index.Book.year"))
    #expect(
      try plan("SELECT * FROM Book WHERE author = 'x' AND title > 'y'")
        .contains("catalog_index.Book.author.title")
    )
    #expect(try plan("SELECT * FROM Shelf WHERE code = 'x'").contains("catalog_index.Shelf.code"))
  }
}
