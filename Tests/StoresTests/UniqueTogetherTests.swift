import DataStoreTesting
import Foundation
import Observation
import OpenSwiftData
import Testing

@testable import Stores

/// Values that are unique in combination, checked by the stores: a context checks before it saves,
/// but another context or program may save in between.
///
/// Covers J01.
@Suite struct UniqueTogetherTests {
  private static let schema = Schema([Chair.self])

  private static func chair(_ number: Int, _ row: Int?, _ place: Int) throws -> DefaultSnapshot {
    let entity = try schema.entity(named: "Chair")
    return DefaultSnapshot(
      persistentIdentifier: IdentifierScope(store: nil, entity: "Chair")
        .temporaryIdentifier(UInt64(number), context: 7),
      layout: entity.layout,
      orderedValues: [row.map { .integer(Int64($0)) } ?? .null, .integer(Int64(place))]
    )
  }

  @Test func twoStoresOnOneLogKeepThemApart() throws {
    let fixture = try LogFixture()
    let first = try fixture.open(schema: Self.schema)
    _ = try first.commit(ChangeSet(inserted: [Self.chair(1, 1, 1)]), author: nil)
    let second = try fixture.open(schema: Self.schema)
    _ = try first.commit(ChangeSet(inserted: [Self.chair(2, 1, 2)]), author: nil)
    for place in [1, 2] {
      let repeated = try ChangeSet(inserted: [Self.chair(3, 1, place)])
      #expect(errorCode { _ = try second.commit(repeated, author: nil) } == .notUnique)
    }
    _ = try second.commit(ChangeSet(inserted: [Self.chair(4, 1, 3)]), author: nil)
    let repeated = try ChangeSet(inserted: [Self.chair(5, 1, 3)])
    #expect(errorCode { _ = try first.commit(repeated, author: nil) } == .notUnique)
    #expect(try fixture.open(schema: nil).snapshots(matching: Query("Chair")).count == 3)
  }

  @Test func twoContextsThatSaveAtTheSameMomentDoNotStoreAPairTwice() throws {
    for round in 0..<20 {
      let container = try ModelContainer(
        for: Self.schema,
        configurations: [MemoryStoreConfiguration(schema: Self.schema)]
      )
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        let context = ModelContext(container)
        context.insert(Chair(row: 1, place: round))
        // One is stored; the others get an error that names it.
        do { try context.save() } catch {}
      }
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Chair>()) == 1)
    }
  }

  @Test(arguments: 1...4 as ClosedRange<UInt64>)
  func theTableAgreesWithASetOfPairs(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var table = RecordTable(schema: Self.schema, storeIdentifier: "s")
    let scope = IdentifierScope(store: "s", entity: "Chair")
    var pairs: [PersistentIdentifier: [Value]] = [:]
    for step in 0..<600 {
      var changes = ChangeSet()
      let known = pairs.keys.sorted()
      if step % 3 == 0 || known.isEmpty {
        let row = random.next() % 5 == 0 ? nil : Int(random.next() % 12)
        let new = try Self.chair(step, row, Int(random.next() % 12))
        changes.inserted = [new.copy(persistentIdentifier: scope.identifier(number: step))]
      } else if let victim = known.randomElement(using: &random),
        let before = table.snapshots(for: [victim])[victim]
      {
        if step % 7 == 0 {
          changes.deleted = [before]
        } else {
          var after = before
          after.orderedValues[1] = .integer(Int64(random.next() % 12))
          changes.updated = [RecordUpdate(before: before, after: after)]
        }
      }
      var expected = pairs
      for snapshot in changes.inserted + changes.updated.map(\.after) {
        expected[snapshot.persistentIdentifier] = snapshot.orderedValues
      }
      for snapshot in changes.deleted { expected[snapshot.persistentIdentifier] = nil }
      let whole = expected.values.filter { !$0[0].isNull }
      let code = errorCode {
        table.takeConstraints(of: Self.schema)
        try table.validate(changes)
      }
      #expect(code == (Set(whole).count == whole.count ? nil : .notUnique), "seed \(seed) \(step)")
      if code == nil {
        table.apply(changes)
        pairs = expected
      }
      if step % 100 == 99 { _ = table.compactRows() }
    }
  }
}

private final class Chair: PersistentModel {
  var persistentState: ModelState

  init(persistentState: ModelState) {
    self.persistentState = persistentState
    persistentState.attach(self)
  }

  init(row: Int?, place: Int) {
    persistentState = ModelState(for: Chair.self)
    persistentState.initialize(0, row)
    persistentState.initialize(1, place)
    persistentState.attach(self)
  }

  var row: Int? { persistentState.get(0) }
  var place: Int { persistentState.get(1) }

  static var schemaMetadata: [Schema.PropertyMetadata] {
    [
      .init(name: "row", keypath: \Chair.row), .init(name: "place", keypath: \Chair.place),
      .init(
        name: "SwiftData.Schema.Unique",
        keypath: \Chair.self,
        defaultValue: Schema.Unique<Chair>([\.row, \.place], policy: .reject)
      ),
    ]
  }
}
