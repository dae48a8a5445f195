import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Changes, order, identifiers and schema changes.
@Suite struct RecordTableChangeTests {
  private static func table(_ count: Int = 0) -> RecordTable {
    var table = RecordTable(schema: TableFixture.everything, storeIdentifier: TableFixture.store)
    table.apply(
      ChangeSet(inserted: (0..<count).map { record(TableFixture.key(UInt64($0)), "r\($0)") })
    )
    return table
  }

  private static func record(_ identifier: PersistentIdentifier, _ name: String) -> DefaultSnapshot
  {
    var values = [Value](repeating: .null, count: TableFixture.entity().fields.count)
    values[0] = .text(name)
    return TableFixture.snapshot(identifier, values)
  }

  private static func names(_ table: RecordTable) throws -> [String] {
    try table.snapshots(matching: Query("Thing")).map { $0["name"]?.text ?? "" }
  }

  /// The links that updates add to records that are neither stored nor among the changes.
  private static func newLinksToNothing(_ changes: ChangeSet, in reference: ReferenceRecords)
    -> [PersistentIdentifier]
  {
    let own = Set((changes.inserted + changes.deleted).map(\.persistentIdentifier))
    return changes.updated.flatMap { update in
      update.changedSlots.flatMap { slot -> [PersistentIdentifier] in
        let former = update.before.orderedValues[slot].linkedIdentifiers
        return update.after.orderedValues[slot].linkedIdentifiers.filter {
          !former.contains($0) && !own.contains($0) && reference.place(of: $0) == nil
        }
      }
    }
  }

  @Test func randomChangesLeaveWhatTheReferenceHas() throws {
    let seed = SeededGenerator.testSeed
    print("randomChangesLeaveWhatTheReferenceHas seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var table = Self.table()
    var reference = ReferenceRecords()
    for round in 0..<300 {
      var changes = ChangeSet()
      var touched: Set<PersistentIdentifier> = []
      for _ in 0..<Int.random(in: 1..<8, using: &random) {
        let identifier = TableFixture.key(UInt64.random(in: 0..<60, using: &random))
        guard touched.insert(identifier).inserted else { continue }
        let after = TableFixture.snapshot(identifier, TableFixture.values(using: &random))
        guard let place = reference.place(of: identifier) else {
          changes.inserted.append(after)
          continue
        }
        let before = reference.snapshots[place]
        if Bool.random(using: &random) {
          changes.updated.append(RecordUpdate(before: before, after: after))
        } else {
          changes.deleted.append(before)
        }
      }
      let dangling = Self.newLinksToNothing(changes, in: reference)
      do {
        try table.validate(changes)
        #expect(dangling.isEmpty, "seed \(seed) round \(round)")
      } catch let error as PersistenceError where error.code == .conflict {
        #expect(!dangling.isEmpty, "seed \(seed) round \(round): \(error.message)")
        // The table takes them nevertheless, as from a file.
      }
      table.apply(changes)
      reference.apply(changes)
      if Int.random(in: 0..<20, using: &random) == 0 { _ = table.compactRows() }
      table.checkInvariants()
      let found = try table.snapshots(matching: Query("Thing"))
      #expect(found == reference.snapshots, "seed \(seed) round \(round)")
      #expect(table.count(of: "Thing") == reference.snapshots.count)
      if found != reference.snapshots { return }
    }
    let all = (0..<60).map { TableFixture.key($0) }
    let found = table.snapshots(for: all)
    #expect(found.count == reference.snapshots.count)
    #expect(reference.snapshots.allSatisfy { found[$0.persistentIdentifier] == $0 })
  }

  @Test(arguments: [false, true])
  func aDeletedRecordComesBackToItsPlace(compacts: Bool) throws {
    var table = Self.table(5)
    let deleted = ChangeSet(deleted: (0..<4).map { Self.record(TableFixture.key($0), "r\($0)") })
    table.apply(deleted)
    if compacts { #expect(table.compactRows() == ["Thing": [-1, -1, -1, -1, 0]]) }
    let back = ChangeSet(inserted: [2, 0].map { Self.record(TableFixture.key($0), "r\($0)") })
    try table.validate(back)
    table.apply(back)
    #expect(try Self.names(table) == ["r0", "r2", "r4"])
    let sorted = Query("Thing", sort: [SortKey("count")])
    #expect(try table.snapshots(matching: sorted).map { $0["name"]?.text } == ["r0", "r2", "r4"])
    table.apply(ChangeSet(inserted: [Self.record(TableFixture.key(9), "r9")]))
    #expect(try Self.names(table) == ["r0", "r2", "r4", "r9"])
    table.checkInvariants()
  }

  @Test func theOrderOfAFileIsKept() throws {
    var table = Self.table()
    try table.withAppender(entity: "Thing", reserving: 3) { appender in
      for number in [5, 3, 9, -2] {
        _ = try appender.beginRow(key: TableFixture.scope.identifier(number: number))
        appender.append(.text("r\(number)"), slot: 0)
        appender.endRow()
      }
    }
    #expect(try Self.names(table) == ["r5", "r3", "r9", "r-2"])
    let temporary = TableFixture.scope.temporaryIdentifier(1, context: 1)
    var generator = RecordKeyGenerator(milliseconds: { 1 }, random: { 1 })
    let (changes, permanent) = table.assigningIdentifiers(
      to: ChangeSet(inserted: [Self.record(temporary, "new")]),
      using: &generator
    )
    #expect(permanent.first?.numberKey == 10)
    try table.validate(changes)
    table.apply(changes)
    #expect(try Self.names(table) == ["r5", "r3", "r9", "r-2", "new"])
    let nine = TableFixture.scope.identifier(number: 9)
    table.apply(ChangeSet(deleted: [Self.record(nine, "r9")]))
    table.apply(ChangeSet(inserted: [Self.record(nine, "again")]))
    #expect(try Self.names(table) == ["r5", "r3", "again", "r-2", "new"])
  }

  @Test func anAppenderByKeyOrdersAsChangesDo() throws {
    var table = Self.table()
    try table.withAppender(entity: "Thing", order: .byKey) { appender in
      for number in [4, 1, 3, 7] as [UInt64] {
        _ = try appender.beginRow(key: TableFixture.key(number))
        appender.append(.text("r\(number)"), slot: 0)
        appender.endRow()
      }
    }
    #expect(try Self.names(table) == ["r1", "r3", "r4", "r7"])
  }

  @Test func keysOfAllKindsAreFound() throws {
    let scope = TableFixture.scope
    let identifiers = [
      scope.identifier(number: 5), scope.identifier(text: "tt0111161"),
      scope.identifier(uuid: UUID(high: 1, low: 2)), TableFixture.key(8),
      scope.identifier(number: 1),
    ]
    for first in identifiers.indices {
      var table = Self.table()
      let rotated = identifiers[first...] + identifiers[..<first]
      let changes = ChangeSet(inserted: rotated.map { Self.record($0, $0.description) })
      try table.validate(changes)
      table.apply(changes)
      #expect(try table.identifiers(matching: Query("Thing")) == Array(rotated))
      #expect(identifiers.allSatisfy { table.row(of: $0) != nil })
      #expect(table.row(of: scope.identifier(number: 2)) == nil)
      #expect(
        table.row(of: IdentifierScope(store: "x", entity: "Thing").identifier(number: 5)) == nil
      )
      #expect(table.identifiers(withPrefix: "tt01", entityName: nil, limit: 2) == [identifiers[1]])
    }
  }

  @Test func anAppenderRefusesDuplicatesAndTakesBackOpenRows() throws {
    var table = Self.table(2)
    struct Stop: Error {}
    #expect(throws: Stop.self) {
      try table.withAppender(entity: "Thing") { appender in
        #expect(throws: DuplicateKey(identifier: TableFixture.key(1))) {
          _ = try appender.beginRow(key: TableFixture.key(1))
        }
        _ = try appender.beginRow(key: TableFixture.key(2))
        appender.append(integer: 4, slot: 1)
        appender.append(integer: 5, slot: 1)
        appender.append(.text("r2"), slot: 0)
        appender.append(.text("twice"), slot: 0)
        appender.endRow()
        _ = try appender.beginRow(key: TableFixture.key(3))
        appender.append(.text("lost"), slot: 0)
        throw Stop()
      }
    }
    table.checkInvariants()
    #expect(try Self.names(table) == ["r0", "r1", "twice"])
    #expect(table.value(entity: "Thing", row: 2, slot: 1) == .integer(5))
    #expect(table.row(of: TableFixture.key(3)) == nil)
  }

  @Test func everyAppenderFunctionPutsWhatAValueWould() throws {
    var random = SeededGenerator(seed: 3)
    let values = TableFixture.entity().fields.map {
      TableFixture.value(of: $0.type, nullOneIn: .max, using: &random)
    }
    var table = Self.table()
    try table.withAppender(entity: "Thing") { appender in
      _ = try appender.beginRow(key: TableFixture.key(1))
      for (slot, value) in values.enumerated() {
        switch value {
        case .integer(let value): appender.append(integer: value, slot: slot)
        case .number(let value): appender.append(number: value, slot: slot)
        case .decimal(let value): appender.append(decimal: value, slot: slot)
        case .boolean(let value): appender.append(boolean: value, slot: slot)
        case .date(let value): appender.append(date: value, slot: slot)
        case .datetime(let value):
          appender.append(number: value.timeIntervalSinceReferenceDate, slot: slot)
        case .uuid(let value): appender.append(uuid: value, slot: slot)
        case .link(let value): appender.append(link: value, slot: slot)
        case .links(let value): appender.append(links: value, slot: slot)
        case .text(var text), .json(var text):
          text.withUTF8 { appender.append(utf8: $0, slot: slot) }
        case .null: appender.append(.null, slot: slot)
        }
      }
      appender.endRow()
    }
    #expect(table.snapshot(entity: "Thing", row: 0).orderedValues == values)
  }

  @Test func temporaryIdentifiersAreReplacedInValuesToo() throws {
    let table = Self.table(3)
    let first = TableFixture.scope.temporaryIdentifier(1, context: 1)
    let second = TableFixture.scope.temporaryIdentifier(2, context: 1)
    var child = Self.record(second, "child")
    child.orderedValues[9] = .link(first)
    child.orderedValues[10] = .links([second, first, TableFixture.key(0)])
    var generator = RecordKeyGenerator(milliseconds: { 0 }, random: { 0 })
    let (changes, permanent) = table.assigningIdentifiers(
      to: ChangeSet(inserted: [Self.record(first, "parent"), child]),
      using: &generator
    )
    let parent = try #require(permanent.first)
    let own = try #require(permanent.last)
    #expect(parent > TableFixture.key(2) && own > parent)
    #expect(changes.inserted[1].orderedValues[9] == .link(parent))
    #expect(changes.inserted[1].orderedValues[10] == .links([own, parent, TableFixture.key(0)]))
    try table.validate(changes)
  }
}
