import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// A record that is deleted by one program and restored by two.
@Suite struct ReturnedRecordTests {
  private let folder: TemporaryFolder
  private let entity = Schema.Entity(
    "E",
    attributes: [Schema.Attribute("a", .text), Schema.Attribute("c", .text)]
  )

  init() throws { folder = try TemporaryFolder() }

  private func context(_ name: String) throws -> ModelContext {
    try folder.context(on: name, schema: Schema(entity))
  }

  private func record(_ context: ModelContext) throws -> Record {
    let identifiers = try context.fetchIdentifiers(matching: Query("E"))
    return try #require(try context.records(for: identifiers).first)
  }

  /// Two contexts on one store: the second has deleted the record, saved, and undone that; the
  /// first has restored the record with another value.
  private func returned(_ name: String, _ value: String) throws -> (ModelContext, ModelContext) {
    let first = try context(name)
    let new = Record(entity: entity)
    try new.set(.text("1"), for: "a")
    try new.set(.text("0"), for: "c")
    first.insert(new)
    try first.save()
    let second = try context(name)
    first.closeUndoStep(named: "insert")
    try record(first).set(.text(value), for: "c")
    second.delete(try record(second))
    second.closeUndoStep(named: "delete")
    try second.save()
    try second.undo()
    #expect(throws: PersistenceError.self) { try first.save() }
    for conflict in try first.conflicts() {
      try first.resolveConflict(of: conflict.persistentIdentifier, keeping: .mine)
    }
    try first.save()
    return (first, second)
  }

  @Test(arguments: ["e.json", "e.catlog"], [RecordConflict.Side.mine, .theirs])
  func otherValuesAreAConflictThatCanBeSettled(name: String, side: RecordConflict.Side) throws {
    let (_, second) = try returned(name, "A")
    let error = #expect(throws: PersistenceError.self) { try second.save() }
    #expect(error?.conflicts.count == 1)
    let conflict = try #require(try second.conflicts().first)
    #expect(conflict.differences.map(\.name) == ["c"])
    #expect(try second.resolveConflict(of: conflict.persistentIdentifier, keeping: side))
    try second.save()
    let stored = try context(name).fetchSnapshots(matching: Query("E"))
    #expect(stored.map { $0["c"] } == [.text(side == .mine ? "0" : "A")])
  }

  @Test(arguments: ["e.json", "e.catlog"])
  func theSameValuesAreNoConflict(name: String) throws {
    let (first, second) = try returned(name, "A")
    try record(first).set(.text("0"), for: "c")
    try first.save()
    try second.save()
    #expect(!second.hasChanges)
    #expect(try context(name).fetchCount(matching: Query("E")) == 1)
  }
}
