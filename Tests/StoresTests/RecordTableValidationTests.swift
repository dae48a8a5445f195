import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Changes that `validate(_:)` rejects and accepts, and schema changes.
@Suite struct RecordTableValidationTests {
  private static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text, isOptional: false),
        Schema.Attribute("code", .text, isUnique: true), Schema.Attribute("year", .integer),
        Schema.Attribute("rating", .number), Schema.Attribute("rank", .decimal, isUnique: true),
        Schema.Attribute("director", .link("Person")),
      ]
    ),
    Schema.Entity("Person", attributes: [Schema.Attribute("name", .text)])
  )
  private static let films = IdentifierScope(store: "s", entity: "Film")
  private static let people = IdentifierScope(store: "s", entity: "Person")

  private static func film(
    _ number: Int,
    _ title: Value = .text("x"),
    code: Value = .null,
    year: Value = .null,
    rating: Value = .null,
    rank: Value = .null,
    director: Value = .null
  ) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: films.identifier(number: number),
      layout: schema.entities[0].layout,
      orderedValues: [title, code, year, rating, rank, director]
    )
  }

  private static func table() -> RecordTable {
    var table = RecordTable(schema: schema, storeIdentifier: "s")
    table.apply(
      ChangeSet(inserted: [
        film(1, code: .text("A"), year: .integer(2001), rank: .decimal(1)),
        film(2, code: .text("B"), year: .integer(2002)),
      ])
    )
    return table
  }

  struct Refused: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var changes: ChangeSet
    var code: PersistenceError.Code
    var message: String
  }

  private static let stranger = IdentifierScope(store: "other", entity: "Film")
  private static let first = film(1, code: .text("A"), year: .integer(2001), rank: .decimal(1))
  private static let second = film(2, code: .text("B"), year: .integer(2002))

  static let refused: [Refused] = [
    Refused(
      testDescription: "required",
      changes: ChangeSet(inserted: [film(3, .null)]),
      code: .invalidValue,
      message: "Film.title: a value is required (record 3)"
    ),
    Refused(
      testDescription: "type",
      changes: ChangeSet(inserted: [film(3, year: .text("soon"))]),
      code: .invalidValue,
      message: "Film.year: \"soon\" is not a valid integer (record 3)"
    ),
    Refused(
      testDescription: "link to another entity",
      changes: ChangeSet(inserted: [film(3, director: .link(films.identifier(number: 1)))]),
      code: .invalidValue,
      message: "Film.director: links to Person records, not Film records (record 3)"
    ),
    Refused(
      testDescription: "link to an unsaved record",
      changes: ChangeSet(inserted: [
        film(3, director: .link(people.temporaryIdentifier(4, context: 1)))
      ]),
      code: .invalidValue,
      message: "Film.director: refers to record t4, which has not been saved (record 3)"
    ),
    Refused(
      testDescription: "already there",
      changes: ChangeSet(inserted: [film(2)]),
      code: .conflict,
      message: "Film 2: already exists"
    ),
    Refused(
      testDescription: "twice in the changes",
      changes: ChangeSet(inserted: [film(3), film(3)]),
      code: .invalidIdentifier,
      message: "Film 3: changed twice in one save"
    ),
    Refused(
      testDescription: "updated and deleted",
      changes: ChangeSet(
        updated: [RecordUpdate(before: first, after: film(1))],
        deleted: [first]
      ),
      code: .invalidIdentifier,
      message: "Film 1: changed twice in one save"
    ),
    Refused(
      testDescription: "of another store",
      changes: ChangeSet(inserted: [
        film(1).copy(persistentIdentifier: stranger.identifier(number: 7))
      ]),
      code: .invalidIdentifier,
      message: "Film 7: belongs to store other"
    ),
    Refused(
      testDescription: "update of an unknown record",
      changes: ChangeSet(updated: [RecordUpdate(before: film(9), after: film(9, .text("y")))]),
      code: .conflict,
      message: "Film record 9 no longer exists"
    ),
    Refused(
      testDescription: "deletion of an unknown record",
      changes: ChangeSet(deleted: [film(9)]),
      code: .conflict,
      message: "Film record 9 no longer exists"
    ),
    Refused(
      testDescription: "update of what somebody else changed",
      changes: ChangeSet(updated: [
        RecordUpdate(before: film(1, year: .integer(1999)), after: film(1, year: .integer(1998)))
      ]),
      code: .conflict,
      message: "Film.year: changed by another program to \"2001\" (record 1)"
    ),
    Refused(
      testDescription: "deletion of what somebody else changed",
      changes: ChangeSet(deleted: [film(2, code: .text("B"))]),
      code: .conflict,
      message: "Film.year: changed by another program to \"2002\" (record 2)"
    ),
    Refused(
      testDescription: "other fields",
      changes: ChangeSet(inserted: [
        DefaultSnapshot(
          persistentIdentifier: films.identifier(number: 3),
          layout: SnapshotLayout(["name"]),
          orderedValues: [.null]
        )
      ]),
      code: .invalidValue,
      message: "Film 3: fields do not match the schema (found name)"
    ),
    Refused(
      testDescription: "unknown entity",
      changes: ChangeSet(inserted: [
        film(3).copy(
          persistentIdentifier: IdentifierScope(store: "s", entity: "Book").identifier(number: 3)
        )
      ]),
      code: .unknownEntity,
      message: "unknown entity \"Book\"; available: Film, Person"
    ),
    Refused(
      testDescription: "not unique in the table",
      changes: ChangeSet(inserted: [film(3, code: .text("A"))]),
      code: .notUnique,
      message: "Film.code: must be unique; records 1 and 3 would both have \"A\""
    ),
    Refused(
      testDescription: "not unique after an update",
      changes: ChangeSet(updated: [
        RecordUpdate(before: second, after: film(2, code: .text("A"), year: .integer(2002)))
      ]),
      code: .notUnique,
      message: "Film.code: must be unique; records 1 and 2 would both have \"A\""
    ),
    Refused(
      testDescription: "not unique in the changes",
      changes: ChangeSet(inserted: [film(3, code: .text("C")), film(4, code: .text("C"))]),
      code: .notUnique,
      message: "Film.code: must be unique; records 3 and 4 would both have \"C\""
    ),
    Refused(
      testDescription: "not unique as a number",
      changes: ChangeSet(inserted: [
        film(3, rank: .decimal(Decimal(string: "1.00") ?? 0))
      ]),
      code: .notUnique,
      message: "Film.rank: must be unique; records 1 and 3 would both have \"1\""
    ),
  ]

  // Covers J01.
  @Test(arguments: refused)
  func whatCannotBeIsRefused(_ refused: Refused) throws {
    let error = #expect(throws: PersistenceError.self) {
      try Self.table().validate(refused.changes)
    }
    #expect(error?.code == refused.code)
    #expect(error?.message == refused.message)
  }

  @Test func uniqueValuesMayBeExchangedAndFreed() throws {
    var table = Self.table()
    let exchanged = ChangeSet(
      updated: [
        RecordUpdate(
          before: Self.first,
          after: Self.film(1, code: .text("B"), year: .integer(2001), rank: .decimal(1))
        ),
        RecordUpdate(
          before: Self.second,
          after: Self.film(2, code: .text("A"), year: .integer(2002))
        ),
      ]
    )
    try table.validate(exchanged)
    table.apply(exchanged)
    let freed = ChangeSet(
      inserted: [Self.film(3, code: .text("A")), Self.film(4), Self.film(5)],
      deleted: [exchanged.updated[1].after]
    )
    try table.validate(freed)
    table.apply(freed)
    #expect(throws: PersistenceError.self) {
      try table.validate(ChangeSet(inserted: [Self.film(6, code: .text("A"))]))
    }
    try table.validate(ChangeSet(inserted: [Self.film(6, code: .text("a"))]))
    table.checkInvariants()
  }

  @Test func changesOfDifferentFieldsDoNotConflict() throws {
    var table = Self.table()
    let stale = Self.film(2, code: .text("old"), year: .integer(2002))
    let update = RecordUpdate(
      before: stale,
      after: Self.film(2, code: .text("old"), year: .integer(2010))
    )
    try table.validate(ChangeSet(updated: [update]))
    table.apply(ChangeSet(updated: [update]))
    let row = try #require(table.row(of: Self.films.identifier(number: 2)))
    #expect(table.value(entity: "Film", row: row, slot: 1) == .text("B"))
    #expect(table.value(entity: "Film", row: row, slot: 2) == .integer(2010))
  }

  @Test func schemaChangesMoveTheColumns() throws {
    var table = Self.table()
    let seen = Schema.Attribute("seen", .boolean, defaultValue: .boolean(false))
    try table.apply(.addAttribute(entity: "Film", seen))
    try table.apply(.renameAttribute(entity: "Film", from: "year", to: "released"))
    try table.apply(.dropAttribute(entity: "Film", name: "title"))
    try table.apply(
      .createEntity(Schema.Entity("Book", attributes: [Schema.Attribute("name", .text)]))
    )
    table.checkInvariants()
    let films = try table.snapshots(
      matching: Query("Film", filter: .compare("seen", .equal, .boolean(false)))
    )
    #expect(films.map { $0["released"] } == [.integer(2001), .integer(2002)])
    #expect(films[0].layout.names == ["code", "released", "rating", "rank", "director", "seen"])
    #expect(try table.count(matching: Query("Book")) == 0)
    #expect(throws: PersistenceError.self) {
      try table.apply(.renameAttribute(entity: "Film", from: "year", to: "x"))
    }
    #expect(throws: PersistenceError.self) {
      try table.apply(.dropAttribute(entity: "X", name: "x"))
    }
    let unique = Schema.Attribute("key", .integer, isUnique: true, defaultValue: .integer(1))
    let error = #expect(throws: PersistenceError.self) {
      try table.apply(.addAttribute(entity: "Film", unique))
    }
    #expect(error?.code == .notUnique)
    #expect(table.schema.entities[0].fields.count == 6)
  }
}
