import Foundation
import OpenSwiftData
import Testing

@Suite struct SchemaTests {
  private static let schema = Schema(
    [
      Schema.Entity(
        "Film",
        attributes: [
          .init("title", .text, isOptional: false, isUnique: true),
          .init("year", .integer, defaultValue: .integer(2000)),
          .init("director", .link("Person")), .init("cast", .links("Person")),
        ]
      ), Schema.Entity("Person", attributes: [.init("id", .text), .init("_id", .uuid)]),
    ],
    version: Schema.Version(2, 1, 0)
  )

  @Test func aSchemaIsCoded() throws {
    let data = try JSONEncoder().encode(Self.schema)
    #expect(try JSONDecoder().decode(Schema.self, from: data) == Self.schema)
  }

  @Test func theJSONFormIsShort() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let schema = Schema(Schema.Entity("A", attributes: [.init("b", .text, isOptional: false)]))
    #expect(
      String(decoding: try encoder.encode(schema), as: UTF8.self)
        == #"{"entities":[{"attributes":[{"name":"b","required":true,"type":"text"}],"name":"A"}]}"#
    )
    let text =
      #"{"entities":[{"name":"A","attributes":[{"name":"b","type":"text","required":true}]}]}"#
    #expect(try JSONDecoder().decode(Schema.self, from: Data(text.utf8)) == schema)
  }

  @Test func anUnknownTypeIsNamedWithThoseThereAre() {
    let text = #"{"name":"b","type":"string"}"#
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(Schema.Attribute.self, from: Data(text.utf8))
    }
    guard case .dataCorrupted(let context) = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(context.debugDescription.hasPrefix("unknown field type \"string\"; available: text,"))
  }

  @Test(arguments: [
    (
      Schema(Schema.Entity("A", attributes: []), Schema.Entity("A", attributes: [])),
      "duplicate entity \"A\""
    ),
    (
      Schema(Schema.Entity("A", attributes: [.init("b", .text), .init("b", .integer)])),
      "A: duplicate field \"b\""
    ),
    (
      Schema(Schema.Entity("A", attributes: [.init("b", .link("C"))])),
      "A.b: unknown entity \"C\""
    ),
    (
      Schema(Schema.Entity("A", attributes: [.init("b", .integer, defaultValue: .text("x"))])),
      "A.b: invalid default: not a valid integer"
    ),
    (
      Schema(Schema.Entity("", attributes: [])),
      "invalid entity name \"\": must be 1 to 255 bytes"
    ),
  ])
  func contradictorySchemasAreRejected(_ schema: Schema, _ message: String) {
    let error = #expect(throws: PersistenceError.self) { try schema.validate() }
    #expect(error?.code == .invalidSchema && error?.message == message)
  }

  @Test func changesMakeNewSchemas() throws {
    let added = try Self.schema.applying(.addAttribute(entity: "Film", .init("stars", .integer)))
    #expect(added.entitiesByName["Film"]?.layout.names.last == "stars")
    let renamed = try added.applying(.renameAttribute(entity: "Film", from: "year", to: "y"))
    let attribute = try #require(renamed.entitiesByName["Film"]?.fieldsByName["y"])
    #expect(attribute.originalName == "year" && attribute.defaultValue == .integer(2000))
    let dropped = try renamed.applying(.dropAttribute(entity: "Film", name: "y"))
    #expect(dropped.entitiesByName["Film"]?.layout.names == ["title", "director", "cast", "stars"])
    let created = try dropped.applying(.createEntity(.init("New", attributes: [])))
    #expect(created.entities.map(\.name) == ["Film", "Person", "New"])
    #expect(created.version == Self.schema.version)
    #expect(Self.schema.entities.count == 2)
  }

  @Test(
    arguments: [
      .createEntity(.init("A", attributes: [.init("b", .decimal, isOptional: false)])),
      .addAttribute(entity: "A", .init("c", .boolean, defaultValue: .boolean(false))),
      .renameAttribute(entity: "A", from: "b", to: "c"), .dropAttribute(entity: "A", name: "b"),
    ] as [SchemaChange]
  )
  func changesAreCoded(_ change: SchemaChange) throws {
    let data = try JSONEncoder().encode(change)
    #expect(try JSONDecoder().decode(SchemaChange.self, from: data) == change)
    #expect(change.entityName == "A")
  }

  @Test func changesOfFieldsKeepTheConstraintsOfSeveralFields() throws {
    let schema = Schema([Seat.self])
    func constraints(after change: SchemaChange) throws -> [[String]] {
      try schema.applying(change).entity(named: "Seat").uniquenessConstraints
    }
    #expect(try schema.entity(named: "Seat").uniquenessConstraints == [["row", "number"]])
    let added = SchemaChange.addAttribute(entity: "Seat", .init("color", .text))
    #expect(try constraints(after: added) == [["row", "number"]])
    let renamed = SchemaChange.renameAttribute(entity: "Seat", from: "row", to: "line")
    #expect(try constraints(after: renamed) == [["line", "number"]])
    let dropped = SchemaChange.dropAttribute(entity: "Seat", name: "guest")
    #expect(try constraints(after: dropped) == [["row", "number"]])
    #expect(try constraints(after: .dropAttribute(entity: "Seat", name: "number")).isEmpty)
  }

  @Test func theIdentifierKeyIsNeverAnAttribute() throws {
    #expect(Self.schema.entitiesByName["Film"]?.identifierKey == "id")
    #expect(Self.schema.entitiesByName["Person"]?.identifierKey == "__id")
  }

  @Test func oldSnapshotsAreArrangedByNameAndFormerName() throws {
    let old = Schema.Entity("A", attributes: [.init("a", .text), .init("b", .integer)])
    let schema = try Schema(old).applying(.renameAttribute(entity: "A", from: "a", to: "name"))
      .applying(.addAttribute(entity: "A", .init("a", .text, defaultValue: .text("new"))))
      .applying(.dropAttribute(entity: "A", name: "b"))
    let snapshot = DefaultSnapshot(
      persistentIdentifier: Fixtures.permanent(1),
      layout: old.layout,
      orderedValues: [.text("x"), .integer(1)]
    )
    let entity = try schema.entity(named: "A")
    let arranged = entity.arranged(snapshot)
    #expect(arranged.layout.names == ["name", "a"])
    #expect(arranged.orderedValues == [.text("x"), .text("new")])
    #expect(entity.arranged(arranged) == arranged)
  }

  @Test func aDefaultHasItsSwiftValueAndTheOneThatIsStored() throws {
    let plain = Schema.Attribute("year", .integer, defaultValue: .integer(2000))
    #expect(plain.defaultValue as? Int == 2000 && plain.defaultValue == .integer(2000))
    let enumeration = Schema.Attribute(name: "n", valueType: Mood.self, defaultValue: Mood.wild)
      .renamed(to: "m")
    #expect(enumeration.defaultValue as? Mood == .wild)
    #expect(enumeration.defaultValue == .text("wild"))
    let none = Schema.Attribute("none", .text)
    if let value = none.defaultValue { Issue.record("there is no default: \(value)") }
    #expect(none.defaultValue.isNull)
  }
}
