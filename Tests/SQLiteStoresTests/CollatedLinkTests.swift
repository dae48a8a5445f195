import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Foreign keys to keys that ignore case: the database follows them, whatever the case, and so do links.
@Suite struct CollatedLinkTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func store() throws -> SQLiteStore {
    try SQLiteStore(
      at: try folder.database(
        "collated.db",
        "CREATE TABLE author (name TEXT PRIMARY KEY COLLATE NOCASE, born INTEGER)",
        """
        CREATE TABLE book (id INTEGER PRIMARY KEY, name TEXT, \
        author TEXT REFERENCES author (name) ON DELETE CASCADE)
        """,
        """
        CREATE TABLE loan (author TEXT REFERENCES author, day TEXT, PRIMARY KEY (author, day))
        """,
        "INSERT INTO author VALUES ('CALVINO', 1923), ('Eco', 1932)",
        """
        INSERT INTO book VALUES (1, 'Palomar', 'Calvino'), (2, 'The Rose', 'ECO'), \
        (3, 'Marcovaldo', 'CALVINO'), (4, 'Nothing', NULL), (5, 'Unknown', 'Nobody')
        """,
        "INSERT INTO loan VALUES ('calvino', '2020-01-01')"
      )
    )
  }

  private func author(_ name: String, _ store: SQLiteStore) -> PersistentIdentifier {
    IdentifierScope(store: store.identifier, entity: "author").identifier(text: name)
  }

  @Test func aLinkIsTheKeyOfTheOtherRecord() throws {
    let store = try store()
    let links = try store.all("book").map { $0["author"] }
    let expected: [Value] = ["CALVINO", "Eco", "CALVINO"].map { .link(author($0, store)) }
    #expect(links == expected + [.null, .link(author("Nobody", store))])
    // The key of a record is its own.
    let loan = try store.all("loan")[0]
    #expect(loan.persistentIdentifier.description == "calvino/2020-01-01")
    #expect(loan["author"] == expected[0])
    #expect(try store.snapshots(for: [loan.persistentIdentifier], attributes: nil).count == 1)
    let listing = try store.listing(matching: Query("book", sort: [SortKey("author")]))
    let first = try listing.records(in: 0..<2, attributes: ["author"])
    #expect(first.map { $0.snapshot?["author"] } == [expected[0], expected[0]])
    #expect(
      try listing.position(
        matching: .compare("author", .equal, expected[1]),
        from: 0,
        isForward: true
      ) == 2
    )
  }

  @Test func filtersAndCountsFollowTheLink() throws {
    let store = try store()
    let calvino = Value.link(author("CALVINO", store))
    let filters: [(Filter, Int)] = [
      (.compare("author", .equal, calvino), 2), (.compare("author", .notEqual, calvino), 3),
      (.isIn("author", [calvino, .link(author("Eco", store))]), 3), (.isNull("author"), 1),
      (.text("author", TextMatch(.contains, "CALV")), 2),
    ]
    for (filter, count) in filters {
      let query = Query("book", filter: filter)
      let entity = try store.schema.entity(named: "book")
      #expect(try query.run(over: try store.all("book"), of: entity).count == count, "\(filter)")
      #expect(try store.count(matching: query) == count, "\(filter)")
    }
    let counts = try store.valueCounts(of: "author", matching: Query("book"))
    #expect(counts[calvino] == 2)
    #expect(counts.count == 4)
  }

  @Test func aSaveOfAnotherFieldLeavesTheLinkAsItIs() throws {
    let store = try store()
    try store.set(try store.all("book")[0], ["name": .text("Mr. Palomar")])
    let stored = try otherProgram(store.configuration.path).rows(
      "SELECT name, author FROM book WHERE id = 1"
    )
    #expect(stored == [[.text("Mr. Palomar"), .text("Calvino")]])
  }

  @Test func theRowsThatADeletionTakesAreFoundBeforeIt() throws {
    let store = try store()
    let record = try store.all("author")[0]
    let effects = try store.cascades(of: ChangeSet(deleted: [record]))
    #expect(effects.counts["book"]?.deleted == 2)
  }
}
