import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Repeated queries of the same kind build an index.
///
/// The tests count the rows that are examined, not the time.
@Suite struct LookupTests {
  private static let rowCount = 600

  private static func filled(_ seed: UInt64) -> (RecordTable, ReferenceRecords) {
    var random = SeededGenerator(seed: seed)
    var table = RecordTable(schema: TableFixture.everything, storeIdentifier: TableFixture.store)
    var reference = ReferenceRecords()
    let changes = ChangeSet(
      inserted: (0..<rowCount).map {
        TableFixture.snapshot(
          TableFixture.key(UInt64($0)),
          TableFixture.values(using: &random)
        )
      }
    )
    table.apply(changes)
    reference.apply(changes)
    return (table, reference)
  }

  @Test(arguments: TableFixture.entity().fields.map(\.name))
  func equalValuesAreFoundByAnIndexAsWithoutOne(name: String) throws {
    let seed = SeededGenerator.testSeed
    print("equalValuesAreFoundByAnIndexAsWithoutOne seed \(seed)")
    let (table, reference) = Self.filled(seed)
    var values = reference.snapshots.prefix(25).compactMap { $0[name] }
    values += [.integer(1), .number(1), .decimal(1), .number(-0.0), .text(""), .null]
    values += values.compactMap { $0.asDouble.map { .number($0) } }
    values += values.compactMap { $0.asDecimal.map { .decimal($0) } }
    for value in values where value.brokenRule == nil {
      let query = Query("Thing", filter: .compare(name, .equal, value))
      let expected = try query.run(over: reference.snapshots, of: TableFixture.entity())
      #expect(try table.snapshots(matching: query) == expected, "seed \(seed): \(query.filter)")
    }
    // Four scans of all rows, and one to index them.
    #expect(table.lookupWork(of: "Thing") <= 5 * Self.rowCount)
  }

  @Test func manyQuestionsCostNoMoreThanAFewScans() throws {
    let (table, reference) = Self.filled(3)
    for round in 0..<3000 {
      let snapshot = reference.snapshots[round % Self.rowCount]
      let query = Query("Thing", filter: .compare("name", .equal, snapshot["name"] ?? .null))
      _ = try table.identifiers(matching: query)
    }
    #expect(table.lookupWork(of: "Thing") <= 5 * Self.rowCount)
  }

  @Test func beginningsOfIdentifiersAreFoundByTheirOrder() throws {
    let (table, reference) = Self.filled(5)
    let all = reference.snapshots.map(\.persistentIdentifier)
    for snapshot in reference.snapshots.prefix(60) {
      let text = snapshot.persistentIdentifier.description
      for count in [4, 6, 16] {
        let prefix = String(text.prefix(count))
        let expected = all.filter { $0.hasPrefix(prefix) }
        let found = table.identifiers(withPrefix: prefix, entityName: "Thing", limit: 1000)
        #expect(found == expected)
      }
    }
    #expect(table.identifiers(withPrefix: "zzzzzzzz", entityName: nil, limit: 2).isEmpty)
    #expect(table.lookupWork(of: "Thing") <= 5 * Self.rowCount)
  }

  @Test func whatChangesIsFoundAndNotFoundAtOnce() throws {
    var (table, reference) = Self.filled(9)
    func check(_ note: String) throws {
      for _ in 0..<8 {
        for name in ["name", "count"] {
          for value in reference.snapshots.prefix(30).compactMap({ $0[name] }) {
            let query = Query("Thing", filter: .compare(name, .equal, value))
            let expected = try query.run(over: reference.snapshots, of: TableFixture.entity())
            #expect(try table.snapshots(matching: query) == expected, "\(note)")
          }
        }
      }
    }
    try check("at first")
    let copy = table
    let before = reference.snapshots[3]
    var after = before
    after.orderedValues[0] = .text("another name")
    let changes = ChangeSet(
      updated: [RecordUpdate(before: before, after: after)],
      deleted: [reference.snapshots[5]]
    )
    table.apply(changes)
    let former = reference
    reference.apply(changes)
    try check("after a change")
    // The copy has not changed, and neither have its results.
    let query = Query("Thing", filter: .compare("name", .equal, .text("another name")))
    #expect(try table.count(matching: query) == 1)
    #expect(try copy.count(matching: query) == 0)
    #expect(try copy.count(matching: Query("Thing")) == former.snapshots.count)
  }
}
