import DataStoreTesting
import Testing

@testable import OpenSwiftData

/// Changes laid over a listing, compared with a list of all its records.
@Suite struct ListingOverlayTests {
  private static func record(_ number: Int) -> PersistentIdentifier {
    IdentifierScope(store: "s", entity: "Item").identifier(number: number)
  }

  @Test(arguments: Array(1...40) as [UInt64])
  func positionsAndRangesAreThoseOfTheWholeList(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...600, using: &random)
    let base = (0..<count).map(Self.record)
    let first = Int.random(in: 0...count, using: &random)
    let last = Int.random(in: first...count, using: &random)
    // A long gap, as a folded group leaves, and some records beside it.
    let removed = (0..<count).filter {
      (first..<last).contains($0) || Int.random(in: 0..<10, using: &random) == 0
    }
    let places = (0..<Int.random(in: 0...8, using: &random))
      .map { _ in Int.random(in: 0...count, using: &random) }.sorted()
    var overlay = ListingOverlay(
      removed: removed,
      added: places.enumerated().map { .init(identifier: Self.record(1000 + $0), place: $1) }
    )
    overlay.append([Self.record(2000), Self.record(2001)], after: count)
    var expected: [PersistentIdentifier] = []
    for place in 0...count {
      for (number, wanted) in places.enumerated() where wanted == place {
        expected.append(Self.record(1000 + number))
      }
      if place < count, !removed.contains(place) { expected.append(base[place]) }
    }
    expected += [Self.record(2000), Self.record(2001)]

    #expect(count + overlay.growth == expected.count)
    let start = Int.random(in: 0..<expected.count, using: &random)
    let range = start..<Int.random(in: start...expected.count, using: &random)
    var read = 0
    let found = overlay.merged(
      range,
      base: { part in
        read += part.count
        return Array(base[part])
      },
      added: { $0 }
    )
    #expect(found == Array(expected[range]))
    #expect(read <= 65 * max(1, range.count), "what is removed is not read")
    let positions = Dictionary(uniqueKeysWithValues: zip(expected, expected.indices))
    #expect(
      (0..<count).map(overlay.position(ofBase:)) == base.map { positions[$0] },
      "seed \(seed)"
    )
  }
}
