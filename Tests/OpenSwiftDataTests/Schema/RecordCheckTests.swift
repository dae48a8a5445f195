import Foundation
import OpenSwiftData
import SwiftData
import Testing

/// The checks of stores before they save a record.
@Suite struct RecordCheckTests {
  private static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        .init("title", .text, isOptional: false), .init("rating", .number),
        .init("added", .datetime), .init("code", .uuid, isUnique: true),
        .init("director", .link("Person")), .init("cast", .links("Person")),
      ]
    ),
    Schema.Entity("Person", attributes: [.init("name", .text)])
  )

  private static func film(_ values: [String: Value], number: Int = 1) throws -> DefaultSnapshot {
    let entity = try schema.entity(named: "Film")
    return DefaultSnapshot(
      persistentIdentifier: try .identifier(for: "s", entityName: "Film", primaryKey: number),
      layout: entity.layout,
      orderedValues: entity.fields.map { values[$0.name] ?? $0.defaultValue }
    )
  }

  private static func message(_ body: () throws -> Void) -> (PersistenceError.Code?, String) {
    do {
      try body()
      return (nil, "")
    } catch let error as PersistenceError {
      return (error.code, error.message)
    } catch {
      return (nil, "\(error)")
    }
  }

  @Test func whatCanBeKeptPasses() throws {
    let person = try PersistentIdentifier.identifier(for: "s", entityName: "Person", primaryKey: 1)
    let values: [[String: Value]] = [
      ["title": .text("")],
      [
        "title": .text("Up"), "rating": .number(8.5), "added": .datetime(.now),
        "code": .uuid(UUID()), "director": .link(person), "cast": .links([person, person]),
      ],
    ]
    for values in values { try Self.schema.validate(Self.film(values)) }
  }

  @Test(
    arguments: [
      (["rating": .number(1)], "Film.title: a value is required"),
      (["title": .integer(7)], "Film.title: \"7\" is not a valid text"),
      (
        ["title": .text("Up"), "rating": .integer(1 << 53 + 1)],
        "Film.rating: "
      ),
      (
        ["title": .text("Up"), "added": .datetime(.distantPast - 86_400 * 367)],
        "Film.added: must be between the years 0000 and 9999, not"
      ),
    ] as [([String: Value], String)]
  )
  func aFaultNamesEntityFieldValueAndRecord(_ values: [String: Value], _ expected: String) {
    let (code, message) = Self.message { try Self.schema.validate(Self.film(values, number: 42)) }
    #expect(code == .invalidValue)
    #expect(message.hasPrefix(expected), "\(message)")
    #expect(message.hasSuffix("(record 42)"), "\(message)")
  }

  @Test func linksLeadToRecordsOfTheirEntity() throws {
    let other = try Self.film([:]).persistentIdentifier
    for value in [("director", Value.link(other)), ("cast", .links([other]))] {
      let film = try Self.film(["title": .text("Up"), value.0: value.1])
      let (code, message) = Self.message { try Self.schema.validate(film) }
      #expect(code == .invalidValue)
      #expect(message.hasPrefix("Film.\(value.0): links to Person records, not"), "\(message)")
    }
    let new = Person("Pete").persistentModelID
    let film = try Self.film(["title": .text("Up"), "director": .link(new)])
    let (_, message) = Self.message { try Self.schema.validate(film) }
    #expect(message.contains("which has not been saved"), "\(message)")
  }

  @Test func anUnknownEntityAndOtherFieldsAreRefused() throws {
    let identifier = try Self.film([:]).persistentIdentifier
    let bare = DefaultSnapshot(persistentIdentifier: identifier, values: ["title": .text("Up")])
    let (code, message) = Self.message { try Self.schema.validate(bare) }
    #expect(code == .invalidValue)
    #expect(message.contains("fields do not match the schema (found title)"), "\(message)")
    let ghost = DefaultSnapshot(
      persistentIdentifier: try .identifier(for: "s", entityName: "Ghost", primaryKey: 1),
      values: [:]
    )
    #expect(Self.message { try Self.schema.validate(ghost) }.0 == .unknownEntity)
  }

  @Test func uniqueValuesStandOnceAndMissingOnesOften() throws {
    let code = Value.uuid(UUID())
    let entity = try Self.schema.entity(named: "Film")
    let different = try [
      Self.film([:], number: 1), Self.film([:], number: 2), Self.film(["code": code], number: 3),
    ]
    try entity.validateUniqueness(of: different)
    let same = try different + [Self.film(["code": code], number: 4)]
    let (failure, message) = Self.message { try entity.validateUniqueness(of: same) }
    #expect(failure == .notUnique)
    #expect(
      message == "Film.code: must be unique; records 3 and 4 would both have "
        + "\"\(code.text)\""
    )
  }

  @Test func valuesThatAreUniqueTogetherStandOnce() throws {
    let entity = try Schema([Ticket.self]).entity(named: "Ticket")
    func ticket(_ number: Int, _ row: Int?, _ place: Int) throws -> DefaultSnapshot {
      DefaultSnapshot(
        persistentIdentifier: try .identifier(for: "s", entityName: "Ticket", primaryKey: number),
        values: [
          "row": row.map { .integer(Int64($0)) } ?? .null, "place": .integer(Int64(place)),
        ]
      )
    }
    let different = try [
      ticket(1, 1, 1), ticket(2, 1, 2), ticket(3, 2, 1), ticket(4, nil, 1), ticket(5, nil, 1),
    ]
    try entity.validateUniqueness(of: different)
    let (failure, message) = Self.message {
      try entity.validateUniqueness(of: different + [ticket(6, 2, 1)])
    }
    #expect(failure == .notUnique)
    #expect(
      message == "Ticket.row and Ticket.place: must be unique in combination; records 3 and 6 "
        + "would both have \"2\", \"1\""
    )
  }

  @Model fileprivate final class Person {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model fileprivate final class Ticket {
    #Unique<Ticket>([\.row, \.place])
    var row: Int?
    var place: Int

    init(row: Int?, place: Int) {
      self.row = row
      self.place = place
    }
  }
}
