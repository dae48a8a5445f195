import Foundation
import SwiftData
import Testing

@testable import OpenSwiftData

/// Fields of a snapshot that the model lacks, from a fetch to the next save.
@Suite struct OriginalSnapshotTests {
  private let folder: TestFolder
  private let here: ModelContext
  private let server: RevisionStore

  init() throws {
    folder = try TestFolder()
    let container = try Self.container(folder)
    server = try #require(container.stores.first as? RevisionStore)
    here = ModelContext(container)
    here.insert(Journey("Alps", days: 3))
    try here.save()
  }

  private static func container(_ folder: TestFolder, returnsRevisions: Bool = false) throws
    -> ModelContainer
  {
    let url = folder.file("server.json")
    return try ModelContainer(
      for: Schema([Journey.self]),
      configurations: RevisionConfiguration(fileURL: url, returnsRevisions: returnsRevisions)
    )
  }

  private func journey(_ context: ModelContext) throws -> Journey {
    try #require(try context.fetch(FetchDescriptor<Journey>()).first)
  }

  /// A change by another container.
  private func changeElsewhere(_ change: (Journey) -> Void) throws {
    let context = ModelContext(try Self.container(folder))
    change(try journey(context))
    try context.save()
  }

  @Test func theStoreGetsTheRevisionBackThatItReturned() throws {
    let context = ModelContext(try Self.container(folder))
    let store = try #require(context.container.stores.first as? RevisionStore)
    let journey = try journey(context)
    for days in 4...6 {
      journey.days = days
      try context.save()
    }
    context.delete(journey)
    try context.save()
    #expect(store.receivedRevisions == [[1], [2], [3], [4]])
    #expect(store.records.isEmpty)
  }

  @Test func aRecordIsReadAgainOnlyIfTheSaveDidNotReturnIt() throws {
    for returnsRevisions in [false, true] {
      let container = try Self.container(folder, returnsRevisions: returnsRevisions)
      let context = ModelContext(container)
      let store = try #require(container.stores.first as? RevisionStore)
      let journey = try journey(context)
      let before = store.fetchCount
      for days in 10...12 {
        journey.days = days + (returnsRevisions ? 10 : 0)
        try context.save()
      }
      #expect(store.fetchCount - before == (returnsRevisions ? 0 : 2))
    }
  }

  @Test func changesOfDifferentValuesAreMerged() throws {
    let journey = try journey(here)
    try changeElsewhere { $0.days = 9 }
    journey.note = "mine"
    try here.save()
    #expect(journey.days == 9)
    let stored = try self.journey(ModelContext(try Self.container(folder)))
    #expect(stored.days == 9 && stored.note == "mine")
    #expect(server.receivedRevisions.suffix(2) == [[1], [2]])
  }

  @Test func aChangeOfTheSameValueIsAConflictThatCanBeResolved() throws {
    let journey = try journey(here)
    try changeElsewhere { $0.days = 9 }
    journey.days = 5
    let error = #expect(throws: PersistenceError.self) { try here.save() }
    #expect(error?.code == .conflict && error?.conflicts.count == 1)
    try here.resolveConflict(of: journey.persistentModelID, keeping: .mine)
    try here.save()
    #expect(try self.journey(ModelContext(try Self.container(folder))).days == 5)
  }

  @Test func aFetchOverUnsavedChangesHidesNoConflict() throws {
    let journey = try journey(here)
    journey.days = 5
    try changeElsewhere { $0.days = 9 }
    #expect(try self.journey(here).days == 5)
    #expect(throws: PersistenceError.self) { try here.save() }
  }

  @Test func aFetchAfterASaveHidesNoConflict() throws {
    let journey = try journey(here)
    journey.days = 4
    try here.save()
    journey.days = 5
    try changeElsewhere { $0.days = 9 }
    #expect(try self.journey(here).days == 5)
    #expect(throws: PersistenceError.self) { try here.save() }
  }

  @Test func siblingContextsAreNotInConflict() throws {
    let sibling = ModelContext(here.container)
    let mine = try journey(here)
    let theirs = try journey(sibling)
    theirs.days = 9
    try sibling.save()
    mine.note = "mine"
    try here.save()
    theirs.name = "Rome"
    try sibling.save()
    #expect(server.records.first?.serverRevision == 4)
    #expect(mine.days == 9)
  }

  @Test func aNewRevisionOfTheSameValuesIsNoConflict() throws {
    let journey = try journey(here)
    try changeElsewhere { $0.days = 9 }
    try changeElsewhere { $0.days = 3 }
    journey.note = "mine"
    try here.save()
    #expect(server.receivedRevisions.suffix(2) == [[1], [3]])
  }

  @Test func recordsThatTheContextNoLongerUsesAreDropped() throws {
    func record(_ number: Int, _ days: Int) -> PlainRecord<RowSnapshot> {
      var related: [PersistentIdentifier: any BackingData] = [:]
      let journey = Journey("Alps", days: days)
      let row = RowSnapshot(from: journey.persistentBackingData, relatedBackingDatas: &related)
      let identifier = IdentifierScope(store: "s", entity: "Journey").identifier(number: number)
      return PlainRecord(
        original: row,
        snapshot: journey.persistentState.snapshot.copy(persistentIdentifier: identifier)
      )
    }
    let used = record(7, 1)
    let originals = PlainOriginals<RowSnapshot> { $0 == used.snapshot.persistentIdentifier }
    originals.note((1...2000).map { record($0, 1) })
    #expect(originals.count == 2000)
    originals.note([record(3000, 1)])
    #expect(originals.count == 2)
    originals.remove(used.snapshot.persistentIdentifier)
    #expect(originals.count == 1)
  }

  @Test func fieldsOfTheStoreAreKeptAndThoseOfTheModelReplaced() throws {
    let journey = Journey("Alps", days: 3, note: "old")
    func row() -> RowSnapshot {
      var related: [PersistentIdentifier: any BackingData] = [:]
      return RowSnapshot(from: journey.persistentBackingData, relatedBackingDatas: &related)
    }
    var original = row()
    original.revision = 8
    journey.days = 4
    journey.note = nil
    journey.ticket = .open
    let names = Set(journey.persistentState.entity.layout.names)
    let merged = row().withOwnFields(of: original, modelNames: names)
    var expected = row()
    expected.revision = 8
    #expect(merged == expected)
  }

  /// A snapshot with a nested container and explicit nulls.
  private struct NestedSnapshot: DataStoreSnapshot {
    var values: DefaultSnapshot
    var revision: Int
    var comment: String?
    var persistentIdentifier: PersistentIdentifier { values.persistentIdentifier }

    enum Key: String, CodingKey { case values, meta, revision, comment }

    init(_ values: DefaultSnapshot, revision: Int, comment: String?) {
      (self.values, self.revision, self.comment) = (values, revision, comment)
    }

    init(
      from backingData: any BackingData,
      relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
      self.init(backingData.state.snapshot, revision: 0, comment: nil)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: Key.self)
      values = try container.decode(DefaultSnapshot.self, forKey: .values)
      let meta = try container.nestedContainer(keyedBy: Key.self, forKey: .meta)
      revision = try meta.decode(Int.self, forKey: .revision)
      comment = try meta.decodeIfPresent(String.self, forKey: .comment)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(values, forKey: .values)
      var meta = container.nestedContainer(keyedBy: Key.self, forKey: .meta)
      try meta.encode(revision, forKey: .revision)
      try meta.encode(comment, forKey: .comment)
    }

    func copy(
      persistentIdentifier: PersistentIdentifier,
      remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> NestedSnapshot { self }
  }

  @Test(arguments: [nil, "seen"]) func nestedFieldsAreKept(_ comment: String?) throws {
    let journey = Journey("Alps", days: 3)
    let old = journey.persistentState.snapshot
    journey.days = 4
    let new = journey.persistentState.snapshot
    let merged = NestedSnapshot(new, revision: 0, comment: nil).withOwnFields(
      of: NestedSnapshot(old, revision: 8, comment: comment),
      modelNames: Set(new.layout.names + ["persistentIdentifier"])
    )
    #expect(merged.revision == 8 && merged.comment == comment && merged.values == new)
  }

  /// A snapshot that encodes its own field among the values of the model.
  private struct FlatSnapshot: DataStoreSnapshot {
    var values: DefaultSnapshot
    var tag: String
    var persistentIdentifier: PersistentIdentifier { values.persistentIdentifier }

    enum Key: String, CodingKey { case tag }

    init(_ values: DefaultSnapshot, tag: String) { (self.values, self.tag) = (values, tag) }

    init(
      from backingData: any BackingData,
      relatedBackingDatas: inout [PersistentIdentifier: any BackingData]
    ) {
      self.init(backingData.state.snapshot, tag: "")
    }

    init(from decoder: any Decoder) throws {
      values = try DefaultSnapshot(from: decoder)
      tag = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .tag)
    }

    func encode(to encoder: any Encoder) throws {
      try values.encode(to: encoder)
      var container = encoder.container(keyedBy: Key.self)
      try container.encode(tag, forKey: .tag)
    }

    func copy(
      persistentIdentifier: PersistentIdentifier,
      remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
    ) -> FlatSnapshot { self }
  }

  @Test func fieldsAmongTheValuesAreKept() throws {
    let journey = Journey("Alps", days: 3)
    let old = FlatSnapshot(journey.persistentState.snapshot, tag: "a")
    journey.days = 4
    let new = FlatSnapshot(journey.persistentState.snapshot, tag: "")
    let names = Set(new.values.layout.names + ["persistentIdentifier"])
    let merged = new.withOwnFields(of: old, modelNames: names)
    #expect(merged.tag == "a")
    #expect(merged.values["days"] == .integer(4) && merged.values["name"] == .text("Alps"))
  }
}
