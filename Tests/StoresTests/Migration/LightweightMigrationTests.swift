import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Migrations that follow from two schemas, in every store.
@Suite struct LightweightMigrationTests {
  typealias Kind = MigrationFixture.Kind

  /// A schema change, its description, and the resulting contents of the store.
  struct Example: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schema: Schema
    let steps: [String]
    let content: String
  }

  static let rome = "name=Rome days=5 code=7 rating=3"
  static let oslo = "name=Oslo start=1970-01-10 code=12 rating=3"
  static let stop = "Stop[place=Bergen trip=+]"

  /// The schema of the fixture with another version, and with fields replaced or removed.
  static func changed(
    _ fields: [String: Schema.Attribute?] = [:],
    adding more: [Schema.Attribute] = [],
    entities: [Schema.Entity]? = nil,
    version: Schema.Version = Schema.Version(2, 0, 0)
  ) -> Schema {
    let old = MigrationFixture.schema.entities
    let trip = Schema.Entity(
      "Trip",
      attributes: old[0].fields.compactMap { fields[$0.name] ?? $0 } + more
    )
    return Schema(
      [trip] + (entities ?? [Schema.Entity("Stop", attributes: old[1].fields)]),
      version: version
    )
  }

  static let version = "change version from 1.0.0 to 2.0.0"

  static let examples: [Example] = [
    Example(
      testDescription: "nothing but the version",
      schema: changed(),
      steps: [version],
      content: "Trip[\(rome) | \(oslo)] \(stop)"
    ),
    Example(
      testDescription: "a new field",
      schema: changed(adding: [.init("note", .text, defaultValue: .text("none"))]),
      steps: [version, "Trip: add note (text), 2 records get \"none\""],
      content: "Trip[\(rome) note=none | \(oslo) note=none] \(stop)"
    ),
    Example(
      testDescription: "a dropped field",
      schema: changed(["code": nil]),
      steps: [version, "Trip: drop code (text)"],
      content: "Trip[name=Rome days=5 rating=3 | name=Oslo start=1970-01-10 rating=3] \(stop)"
    ),
    Example(
      testDescription: "a renamed field",
      schema: changed(["start": .init("startDate", .date, originalName: "start")]),
      steps: [version, "Trip: rename start to startDate"],
      content: "Trip[\(rome) | name=Oslo startDate=1970-01-10 code=12 rating=3] \(stop)"
    ),
    Example(
      testDescription: "a field that takes the name of a dropped one",
      schema: changed(["code": nil, "name": .init("code", .text, originalName: "name")]),
      steps: [
        version, "Trip: rename name to code", "Trip: make code optional",
        "Trip: drop code (text)",
      ],
      content: "Trip[code=Rome days=5 rating=3 | code=Oslo start=1970-01-10 rating=3] \(stop)"
    ),
    Example(
      testDescription: "two fields that change their names",
      schema: changed([
        "code": .init("label", .text, originalName: "code"),
        "days": .init("code", .integer, originalName: "days"),
      ]),
      steps: [version, "Trip: rename days to code", "Trip: rename code to label"],
      content:
        "Trip[name=Rome code=5 label=7 rating=3 | name=Oslo start=1970-01-10 label=12 rating=3] \(stop)"
    ),
    Example(
      testDescription: "an optional field that is required with a default",
      schema: changed([
        "days": .init("days", .integer, isOptional: false, defaultValue: .integer(1))
      ]),
      steps: [
        version, "Trip: make days required; set missing values to 1",
        "Trip: change the default of days to 1", "Trip: 1 record changed",
      ],
      content: "Trip[\(rome) | name=Oslo start=1970-01-10 days=1 code=12 rating=3] \(stop)"
    ),
    Example(
      testDescription: "an optional field that is required and has all its values",
      schema: changed(["code": .init("code", .text, isOptional: false, isUnique: true)]),
      steps: [version, "Trip: make code required", "Trip: make code unique"],
      content: "Trip[\(rome) | \(oslo)] \(stop)"
    ),
    Example(
      testDescription: "another default",
      schema: changed(["rating": .init("rating", .number, defaultValue: .number(4))]),
      steps: [version, "Trip: change the default of rating to 4"],
      content: "Trip[\(rome) | \(oslo)] \(stop)"
    ),
    Example(
      testDescription: "text that becomes whole numbers, whole numbers that become text",
      schema: changed(["code": .init("code", .integer), "days": .init("days", .text)]),
      steps: [
        version, "Trip: change days from integer to text", "Trip: change code from text to integer",
        "Trip: 2 records changed",
      ],
      content: "Trip[\(rome) | \(oslo)] \(stop)"
    ),
    Example(
      testDescription: "a field that is renamed and becomes decimal",
      schema: changed(["days": .init("nights", .decimal, originalName: "days")]),
      steps: [
        version, "Trip: rename days to nights", "Trip: change nights from integer to decimal",
        "Trip: 1 record changed",
      ],
      content: "Trip[name=Rome nights=5 code=7 rating=3 | \(oslo)] \(stop)"
    ),
    Example(
      testDescription: "a new and a dropped entity",
      schema: changed(entities: [Schema.Entity("Guest", attributes: [.init("name", .text)])]),
      steps: [version, "Guest: create entity", "Stop: drop entity and its 1 record"],
      content: "Trip[\(rome) | \(oslo)] Guest[]"
    ),
    Example(
      testDescription: "a relationship that becomes one to many",
      schema: changed(entities: [
        Schema.Entity("Stop", attributes: [.init("trips", .links("Trip"), originalName: "trip")])
      ]),
      steps: [
        version, "Stop: rename trip to trips", "Stop: change trips from link:Trip to links:Trip",
        "Stop: drop place (text)", "Stop: 1 record changed",
      ],
      content: "Trip[\(rome) | \(oslo)] Stop[trips=+]"
    ),
    Example(
      testDescription: "the same version keeps what the program does not know",
      schema: Schema(
        Schema.Entity(
          "Trip",
          attributes: [.init("days", .integer), .init("note", .text), .init("size", .text)]
        )
      ),
      steps: [
        "Trip: add note (text), 2 records get nothing",
        "Trip: add size (text), 2 records get nothing",
        "Trip: keep name as optional (not in the new schema)",
      ],
      content:
        "Trip[days=5 name=Rome code=7 rating=3 | name=Oslo start=1970-01-10 code=12 rating=3] \(stop)"
    ),
  ]

  // Covers F08.
  @Test(arguments: Kind.allCases, examples)
  func everyStoreFollows(_ kind: Kind, _ example: Example) throws {
    let fixture = try MigrationFixture(kind)
    try fixture.fill()
    let before = try fixture.bytes
    let identifiers = Set(try fixture.open().everyRecord().map(\.persistentIdentifier))
    let steps = try fixture.open().migrationSteps(to: example.schema, runningStages: true)
    #expect(steps.map(\.description) == example.steps)
    #expect(try fixture.bytes == before, "a preview changes nothing")
    _ = try fixture.open(example.schema)
    let store = try fixture.open()
    #expect(try store.contentText() == example.content)
    #expect(store.schema.version == example.schema.version)
    #expect(Set(try store.everyRecord().map(\.persistentIdentifier)).isSubset(of: identifiers))
    #expect(try (store as? any MaintainableStore)?.check() == [])
    #expect(try store.migrationSteps(to: example.schema) == [], "it is done")
    // Records are still saved.
    let trip = try MigrationFixture.new(
      "Trip",
      9,
      ["name": .text("Bonn"), "code": example.code],
      store
    )
    _ = try store.commit(ChangeSet(inserted: [trip]), author: nil)
    #expect(try fixture.open().count(matching: Query("Trip")) == 3)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schema: Schema
    let code: PersistenceError.Code
    let words: [String]
  }

  static let refusals: [Refusal] = [
    Refusal(
      testDescription: "a required field without default",
      schema: changed(adding: [.init("size", .integer, isOptional: false)]),
      code: .invalidSchema,
      words: ["Trip.size: now required, but record ", "has no value"]
    ),
    Refusal(
      testDescription: "a field that becomes required and has no value somewhere",
      schema: changed(["days": .init("days", .integer, isOptional: false)]),
      code: .invalidSchema,
      words: ["Trip.days: now required, but record "]
    ),
    Refusal(
      testDescription: "values that would be lost",
      schema: changed(["name": .init("name", .integer)]),
      code: .invalidSchema,
      words: ["Trip.name: \"Rome\" (text) cannot be converted to integer (record "]
    ),
    Refusal(
      testDescription: "values that are not unique",
      schema: changed(["rating": .init("rating", .number, isUnique: true)]),
      code: .notUnique,
      words: ["Trip.rating: must be unique; records ", "both have 3"]
    ),
    Refusal(
      testDescription: "a unique default",
      schema: changed(adding: [
        .init("size", .integer, isUnique: true, defaultValue: .integer(1))
      ]),
      code: .notUnique,
      words: ["Trip.size: cannot be unique: 2 records would get the same default 1"]
    ),
    Refusal(
      testDescription: "a store that is newer",
      schema: changed(["code": nil], version: Schema.Version(0, 9, 0)),
      code: .backwardMigration,
      words: ["schema version 1.0.0 is newer than this program's 0.9.0"]
    ),
    Refusal(
      testDescription: "a link to no entity",
      schema: changed(adding: [.init("boss", .link("Boss"))]),
      code: .invalidSchema,
      words: ["Trip.boss: unknown entity \"Boss\""]
    ),
  ]

  @Test(arguments: Kind.allCases, refusals)
  func whatCannotFollowIsRefusedByName(_ kind: Kind, _ refusal: Refusal) throws {
    let fixture = try MigrationFixture(kind)
    try fixture.fill()
    let (before, content) = (try fixture.bytes, try fixture.open().everyRecord())
    let error = #expect(throws: PersistenceError.self) { _ = try fixture.open(refusal.schema) }
    #expect(error?.code == refusal.code)
    for words in refusal.words {
      #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    }
    #expect(try fixture.bytes == before)
    let store = try fixture.open()
    #expect(store.schema == MigrationFixture.schema)
    #expect(try store.everyRecord() == content)
  }

  @Test(arguments: Kind.allCases)
  func aRequiredFieldIsFineWhereThereAreNoRecords(_ kind: Kind) throws {
    let fixture = try MigrationFixture(kind)
    let new = Self.changed(adding: [.init("size", .integer, isOptional: false)])
    let store = try fixture.open(MigrationFixture.schema)
    let stop = try MigrationFixture.new("Stop", 1, [:], store)
    _ = try store.commit(ChangeSet(inserted: [stop]), author: nil)
    #expect(try fixture.open(new).schema.entities[0].fieldsByName["size"] != nil)
  }

  @Test(arguments: [Kind.json, .log])
  func aReadOnlyStoreIsReadWhereNamesAreAllThatDiffers(_ kind: Kind) throws {
    let fixture = try MigrationFixture(kind)
    try fixture.fill()
    let before = try fixture.bytes
    let renamed = Self.changed(["start": .init("begin", .date, originalName: "start")])
    #expect(try fixture.open(renamed, isReadOnly: true).schema == MigrationFixture.schema)
    let wider = Self.changed(entities: [Schema.Entity("Guest")])
    #expect(errorCode { _ = try fixture.open(wider, isReadOnly: true) } == .readOnly)
    #expect(try fixture.bytes == before)
  }
}

extension LightweightMigrationTests.Example {
  /// A code of the type of the field.
  fileprivate var code: Value {
    schema.entities[0].fieldsByName["code"]?.type == .integer ? .integer(99) : .text("99")
  }
}
