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
    try context.container.refresh()
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

  /// Neither an empty value here nor one there is taken for the common ancestor.
  @Test(arguments: ["e.json", "e.catlog"], [RecordConflict.Side.mine, .theirs])
  func emptyValuesAreAConflict(name: String, side: RecordConflict.Side) throws {
    for isMineEmpty in [true, false] {
      let name = "\(isMineEmpty)-\(name)"
      let (first, second) = try returned(name, "A")
      if isMineEmpty {
        try record(second).set(.null, for: "c")
      } else {
        try record(first).set(.null, for: "c")
        try first.save()
      }
      for _ in 1...2 {
        let error = #expect(throws: PersistenceError.self) { try second.save() }
        #expect(error?.conflicts.first?.differences.map(\.name) == ["c"])
      }
      #expect(try second.saveWithoutConflicts().count == 1)
      let conflict = try #require(try second.conflicts().first)
      #expect(try second.resolveConflict(of: conflict.persistentIdentifier, keeping: side))
      try second.save()
      let stored = try context(name).fetchSnapshots(matching: Query("E"))
      let expected: Value =
        side == .mine ? (isMineEmpty ? .null : .text("0")) : .text("A")
      let wanted = !isMineEmpty && side == .theirs ? .null : expected
      #expect(stored.map { $0["c"] } == [wanted])
    }
  }

  /// Redoing a deletion removes what its undo restored, and nothing that another program has saved since.
  @Test(arguments: ["e.json", "e.catlog"], ["unseen", "seen", "refused"])
  func redoingTheDeletionKeepsTheRecordOfTheOther(name: String, when: String) throws {
    let (first, second) = try returned(name, "A")
    switch when {
    case "seen": try second.container.refresh()
    case "refused": #expect(throws: PersistenceError.self) { try second.save() }
    default: break
    }
    try second.redo()
    #expect(!second.hasChanges)
    #expect(try record(second)[attribute: "c"] == .text("A"))
    _ = try second.saveWithoutConflicts()
    #expect(try record(first)[attribute: "c"] == .text("A"))
    #expect(try context(name).fetchCount(matching: Query("E")) == 1)
    try second.undo()
    #expect(throws: PersistenceError.self) { try second.save() }
    #expect(try second.conflicts().count == 1)
  }

  /// A record that the user deletes while it is in conflict is deleted only when the version of the other was seen.
  @Test func deletingTheRecordInConflictIsAConflict() throws {
    let (first, second) = try returned("e.json", "A")
    #expect(throws: PersistenceError.self) { try second.save() }
    second.delete(try record(second))
    second.closeUndoStep(named: "delete")
    let error = #expect(throws: PersistenceError.self) { try second.save() }
    #expect(error?.conflicts.map(\.kind) == [.deletedHere])
    try second.undo()
    #expect(try second.conflicts().map(\.kind) == [.changed])
    second.rollback()
    #expect(try record(second)[attribute: "c"] == .text("A"))
    #expect(try record(first)[attribute: "c"] == .text("A"))
  }

  /// Undoing an insertion that overwrote the record of another program brings back theirs.
  @Test func undoingRestoresTheOverwrittenRecord() throws {
    let (first, second) = try returned("e.json", "A")
    try second.redo()
    first.delete(try record(first))
    try first.save()
    let new = Record(entity: entity)
    try new.set(.text("mine"), for: "c")
    second.insert(new)
    second.closeUndoStep(named: "insert")
    try second.save()
    try second.undo()
    try second.save()
    try second.redo()
    // The other program restores the record with a value of its own.
    try first.insertAgain(
      new.persistentModelID,
      [.null, .text("theirs")],
      in: first.schema.entity(named: "E")
    )
    try first.save()
    #expect(throws: PersistenceError.self) { try second.save() }
    let conflict = try #require(try second.conflicts().first)
    #expect(try second.resolveConflict(of: conflict.persistentIdentifier, keeping: .mine))
    try second.save()
    #expect(try record(first)[attribute: "c"] == .text("mine"))
    try second.undo()
    try second.save()
    #expect(try record(first)[attribute: "c"] == .text("theirs"))
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
