import OpenSwiftData
import SQL
import Testing

@testable import SQLiteStores

/// Saves that delete a record together with changes of records that referred to it, or that take over its values.
@Suite struct DeletionOrderTests {
  private let folder: TestFolder

  init() throws { folder = try TestFolder() }

  private func database(_ statements: [String]) throws -> String {
    let path = try folder.database()
    let connection = try otherProgram(path)
    for statement in statements { try connection.run(SQLText(statement)) }
    return path
  }

  private func update(_ record: DefaultSnapshot, _ values: [String: Value]) -> RecordUpdate {
    var after = record
    for (name, value) in values {
      guard let slot = record.layout.slot(of: name) else { continue }
      after.orderedValues[slot] = value
    }
    return RecordUpdate(before: record, after: after)
  }

  private static let rules = [
    "", "ON DELETE CASCADE", "ON DELETE RESTRICT", "ON DELETE SET NULL", "ON DELETE SET DEFAULT",
    "DEFERRABLE INITIALLY DEFERRED", "ON DELETE NO ACTION",
  ]

  @Test(arguments: rules)
  func aChildMovesBeforeItsFormerParentIsDeleted(rule: String) throws {
    let path = try database([
      "CREATE TABLE p (id INTEGER PRIMARY KEY, code TEXT UNIQUE)",
      "CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER DEFAULT 2 REFERENCES p \(rule))",
      "INSERT INTO p VALUES (1, 'a'), (2, 'b'), (3, 'c')",
      "INSERT INTO c VALUES (1, 1), (2, 2)",
    ])
    let store = try SQLiteStore(at: path)
    let (parents, children) = (try store.all("p"), try store.all("c"))
    let third = Value.link(parents[2].persistentIdentifier)
    let changes = ChangeSet(updated: [update(children[0], ["p": third])], deleted: [parents[0]])
    let effects = try store.commit(changes, author: nil).sideEffects
    #expect(effects.isEmpty)
    let other = try otherProgram(path)
    #expect(
      try other.rows("SELECT * FROM c") == [
        [.integer(1), .integer(3)], [.integer(2), .integer(2)],
      ]
    )
    #expect(try other.rows("SELECT id FROM p") == [[.integer(2)], [.integer(3)]])
  }

  /// The parent that remains takes over the name of the one that it replaces, and its children.
  @Test(arguments: rules)
  func aParentTakesTheUniqueValueOfTheDeletedOne(rule: String) throws {
    let path = try database([
      "CREATE TABLE p (id INTEGER PRIMARY KEY, code TEXT UNIQUE COLLATE NOCASE)",
      "CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER DEFAULT 2 REFERENCES p \(rule))",
      "INSERT INTO p VALUES (1, 'A'), (2, 'b')",
      "INSERT INTO c VALUES (1, 1)",
    ])
    let store = try SQLiteStore(at: path)
    let (parents, children) = (try store.all("p"), try store.all("c"))
    let second = Value.link(parents[1].persistentIdentifier)
    _ = try store.commit(
      ChangeSet(
        updated: [update(parents[1], ["code": .text("a")]), update(children[0], ["p": second])],
        deleted: [parents[0]]
      ),
      author: nil
    )
    let other = try otherProgram(path)
    #expect(try other.rows("SELECT * FROM p") == [[.integer(2), .text("a")]])
    #expect(try other.rows("SELECT * FROM c") == [[.integer(1), .integer(2)]])
  }

  /// In a tree, the child takes both the unique value and the place of its parent.
  @Test func aNodeReplacesItsParent() throws {
    let path = try database([
      """
      CREATE TABLE node (id INTEGER PRIMARY KEY, code TEXT UNIQUE, \
      parent INTEGER REFERENCES node ON DELETE CASCADE)
      """,
      "INSERT INTO node VALUES (1, 'root', NULL), (2, 'old', 1), (3, 'new', 2)",
    ])
    let store = try SQLiteStore(at: path)
    let nodes = try store.all("node")
    let root = Value.link(nodes[0].persistentIdentifier)
    _ = try store.commit(
      ChangeSet(
        updated: [update(nodes[2], ["code": .text("old"), "parent": root])],
        deleted: [nodes[1]]
      ),
      author: nil
    )
    #expect(
      try otherProgram(path).rows("SELECT * FROM node") == [
        [.integer(1), .text("root"), .null], [.integer(3), .text("old"), .integer(1)],
      ]
    )
  }

  /// Indexes of several columns, of expressions and of some rows let a record in only after the deleted one has gone.
  @Test(arguments: [
    "CREATE UNIQUE INDEX i ON t (album, place)", "CREATE UNIQUE INDEX i ON t (album, abs(place))",
    "CREATE UNIQUE INDEX i ON t (abs(place))",
    "CREATE UNIQUE INDEX i ON t (place) WHERE album IS NOT NULL",
  ])
  func aRecordTakesAPlaceThatIsFreed(index: String) throws {
    let path = try database([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, album INTEGER, place INTEGER)",
      index, "INSERT INTO t VALUES (1, 1, 1), (2, 1, 2), (3, 1, 3)",
    ])
    let store = try SQLiteStore(at: path)
    let records = try store.all("t")
    _ = try store.commit(
      ChangeSet(
        updated: [
          update(records[1], ["place": .integer(1)]), update(records[2], ["place": .integer(9)]),
        ],
        deleted: [records[0]]
      ),
      author: nil
    )
    #expect(
      try otherProgram(path).rows("SELECT id, place FROM t") == [
        [.integer(2), .integer(1)], [.integer(3), .integer(9)],
      ]
    )
  }

  /// Unique values are exchanged while a third record leaves one of them to a new record.
  @Test func valuesAreExchangedBesideADeletion() throws {
    let path = try database([
      "CREATE TABLE t (id INTEGER PRIMARY KEY, code TEXT UNIQUE NOT NULL)",
      "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')",
    ])
    let store = try SQLiteStore(at: path)
    let records = try store.all("t")
    let new = DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "t")
        .temporaryIdentifier(1, context: 1),
      layout: records[0].layout,
      orderedValues: [.null, .text("d")]
    )
    _ = try store.commit(
      ChangeSet(
        inserted: [new],
        updated: [
          update(records[0], ["code": .text("b")]), update(records[1], ["code": .text("c")]),
        ],
        deleted: [records[2], records[3]]
      ),
      author: nil
    )
    #expect(
      try otherProgram(path).rows("SELECT code FROM t ORDER BY id") == [
        [.text("b")], [.text("c")], [.text("d")],
      ]
    )
  }
}
