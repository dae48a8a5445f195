import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Fields that are renamed, or get the name of another field, and are changed in the same save.
@Suite struct RenamedFieldTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Creates a file with one record of the json fields c and d, changes it, and reads the result.
  private func values(after change: (ModelContext) throws -> Void) throws -> [String: Value] {
    try? FileManager.default.removeItem(atPath: folder.file("e.json"))
    let entity = Schema.Entity(
      "E",
      attributes: ["c", "d"].map { Schema.Attribute($0, .json) }
    )
    let context = try folder.context(on: "e.json", schema: Schema(entity))
    let record = Record(entity: entity)
    try record.set(.json("\"C\""), for: "c")
    try record.set(.json("\"D\""), for: "d")
    context.insert(record)
    try context.save()
    try change(context)
    try context.save()
    let again = try folder.context(on: "e.json")
    return try #require(again.fetchSnapshots(matching: Query("E")).first).values
  }

  private func clear(_ field: String, in context: ModelContext) throws {
    let identifiers = try context.fetchIdentifiers(matching: Query("E"))
    try #require(try context.records(for: identifiers).first).set(.null, for: field)
  }

  @Test func aRenamedFieldThatIsEmptiedIsEmpty() throws {
    let values = try values { context in
      try context.stage(.renameAttribute(entity: "E", from: "c", to: "f"))
      try clear("f", in: context)
    }
    #expect(values == ["f": .null, "d": .json("\"D\"")])
  }

  @Test func emptyingAFieldSparesTheOneThatHadItsName() throws {
    let values = try values { context in
      try context.stage(.renameAttribute(entity: "E", from: "c", to: "t"))
      try context.stage(.renameAttribute(entity: "E", from: "d", to: "c"))
      try context.stage(.renameAttribute(entity: "E", from: "t", to: "d"))
      try clear("c", in: context)
    }
    #expect(values == ["c": .null, "d": .json("\"C\"")])
  }

  @Test func aFieldThatTakesTheNameOfADroppedOneIsEmptied() throws {
    let values = try values { context in
      try context.stage(.dropAttribute(entity: "E", name: "c"))
      try context.stage(.renameAttribute(entity: "E", from: "d", to: "c"))
      try clear("c", in: context)
    }
    #expect(values == ["c": .null])
  }
}
