import DataStoreTesting
import Testing

@testable import OpenSwiftData

/// The first records of an order, without sorting all.
@Suite struct FirstSnapshotsTests {
  private static let layout = SnapshotLayout(["key", "place"])

  private static func snapshots(_ keys: [Int]) -> [DefaultSnapshot] {
    keys.enumerated().map { place, key in
      DefaultSnapshot(
        persistentIdentifier: IdentifierScope(store: "s", entity: "Item").identifier(
          number: place + 1
        ),
        layout: layout,
        orderedValues: [.integer(Int64(key)), .integer(Int64(place))]
      )
    }
  }

  /// How many keys there are, their order, and how many different ones.
  @Test(arguments: [(0, 1), (1, 1), (300, 1), (300, 7), (1000, 1_000_000)])
  func theyAreTheBeginningOfTheSortedRecords(count: Int, distinct: Int) throws {
    let seed = SeededGenerator.testSeed
    var random = SeededGenerator(seed: seed)
    let keys = (0..<count).map { _ in Int.random(in: 0..<distinct, using: &random) }
    for keys in [keys, keys.sorted(), keys.sorted(by: >)] {
      for sort in [[SortKey("key")], [SortKey("key", isDescending: true)], []] {
        let order = try SnapshotOrder(sort, layout: Self.layout)
        var all = Self.snapshots(keys)
        let unsorted = all
        try order.sort(&all)
        for most in [nil, 0, 1, 2, 10, count, count + 1, Int.max] {
          var first = FirstSnapshots(most, in: order)
          for snapshot in unsorted { try first.add(snapshot) }
          let expected = Array(all.prefix(most ?? .max))
          #expect(try first.sorted() == expected, "seed \(seed), \(String(describing: most))")
        }
      }
    }
  }
}
