import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Another program changes the fields while there are unsaved changes here.
///
/// Covers J07.
@Suite struct SchemaOfOthersTests {
  private let folder: TemporaryFolder
  private let film = Schema.Entity(
    "Film",
    attributes: [Schema.Attribute("title", .text), Schema.Attribute("year", .integer)]
  )

  init() throws { folder = try TemporaryFolder() }

  private func open(_ name: String, schema: Schema? = nil) throws -> ModelContext {
    try folder.context(on: name, schema: schema)
  }

  private func titles(_ name: String) throws -> [Value?] {
    try open(name).fetchSnapshots(matching: Query("Film")).map { $0["title"] }
  }

  /// Two contexts of two containers on one file; the first has an unsaved change of its only
  /// record.
  private func openTwice(_ name: String) throws -> (ModelContext, ModelContext, Record) {
    let first = try open(name, schema: Schema(film))
    let record = Record(entity: film)
    try record.set(.text("Up"), for: "title")
    first.insert(record)
    try first.save()
    let second = try open(name)
    #expect(try second.fetchCount(matching: Query("Film")) == 1)
    try record.set(.integer(2009), for: "year")
    return (first, second, record)
  }

  @Test(arguments: ["films.json", "films.catlog"])
  func aFieldThatAnotherProgramAddedDoesNotStandAgainstASave(name: String) throws {
    let (context, other, record) = try openTwice(name)
    let stars = Schema.Attribute("stars", .integer, defaultValue: .integer(3))
    try other.apply(.addAttribute(entity: "Film", stars))
    try context.save()
    #expect(record[attribute: "stars"] == .integer(3))
    let found = try open(name).fetchSnapshots(matching: Query("Film"))
    #expect(found.map { $0["year"] } == [.integer(2009)])
    #expect(found.map { $0["stars"] } == [.integer(3)])
  }

  @Test(arguments: ["films.json", "films.catlog"])
  func anEditOfAFieldThatIsGoneIsAConflict(name: String) throws {
    let (context, other, record) = try openTwice(name)
    try record.set(.text("Upward"), for: "title")
    try other.apply(.renameAttribute(entity: "Film", from: "year", to: "released"))
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("Film.year") == true)
    #expect(try titles(name) == [.text("Up")])
    try context.save()
    #expect(try titles(name) == [.text("Upward")])
  }

  /// Reading adopts the new schema, in which the unsaved value has no place.
  @Test(arguments: ["films.json", "films.catlog"], [false, true])
  func aSaveDoesNotPassOverValuesWithoutAPlace(name: String, isNew: Bool) throws {
    let (context, other, record) = try openTwice(name)
    if isNew {
      let new = Record(entity: film)
      try new.set(.integer(1999), for: "year")
      try new.set(.text("Toy"), for: "title")
      context.insert(new)
      try record.set(.null, for: "year")
    }
    try other.apply(.dropAttribute(entity: "Film", name: "year"))
    #expect(try context.fetchCount(matching: Query("Film")) == (isNew ? 2 : 1))
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.message.hasPrefix("Film.year: removed by another program; ") == true)
    #expect(try titles(name) == [.text("Up")])
    try context.save()
    #expect(try titles(name) == (isNew ? [.text("Up"), .text("Toy")] : [.text("Up")]))
  }

  @Test func aValueThatNoLongerFitsItsFieldIsAConflict() throws {
    let (context, other, record) = try openTwice("films.catlog")
    try record.set(.text("Upward"), for: "title")
    try other.apply(.dropAttribute(entity: "Film", name: "title"))
    try other.apply(.addAttribute(entity: "Film", Schema.Attribute("title", .integer)))
    #expect(try context.fetchCount(matching: Query("Film")) == 1)
    let error = #expect(throws: PersistenceError.self) { try context.save() }
    #expect(error?.code == .conflict)
    #expect(error?.message.hasPrefix("Film.title: changed to integer by another program") == true)
    #expect(try titles("films.catlog") == [.null])
  }
}
