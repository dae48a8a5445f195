import Foundation
import Testing

@testable import OpenSwiftData

/// The hash values that dictionaries and sets of identifiers use.
@Suite struct IdentifierHashTests {
  private static let scope = IdentifierScope(store: "hash-test", entity: "Film")

  /// Numbers, neighboring record keys, random UUIDs and temporary identifiers.
  private static let kinds: [(name: String, identifiers: [PersistentIdentifier])] = [
    ("numbers", (0..<4096).map { scope.identifier(number: $0) }),
    ("multiples", (0..<4096).map { scope.identifier(number: $0 << 20) }),
    ("UUIDs", (0..<4096).map { _ in scope.identifier(uuid: UUID()) }),
    ("short texts", (0..<4096).map { scope.identifier(text: "k\($0)") }),
    (
      "temporary",
      (UInt64(0)..<4096).map {
        IdentifierScope(store: nil, entity: "Film").temporaryIdentifier($0, context: 7)
      }
    ),
  ]

  @Test func equalIdentifiersHaveEqualHashes() {
    for (_, identifiers) in Self.kinds {
      let copies = identifiers.map {
        PersistentIdentifier(high: $0.high, low: $0.low, scope: $0.scope, kind: $0.kind)
      }
      #expect(
        zip(identifiers, copies).allSatisfy {
          $0._rawHashValue(seed: 5) == $1._rawHashValue(seed: 5)
        }
      )
      #expect(Set(identifiers).intersection(copies).count == identifiers.count)
    }
  }

  /// Random values would fill 63 % of as many places; a regular pattern leaves many of them empty.
  @Test(arguments: [0, 12, -1]) func hashesSpreadOverAllPlaces(seed: Int) {
    for (name, identifiers) in Self.kinds {
      let lowest = Set(identifiers.map { $0._rawHashValue(seed: seed) & 4095 }).count
      let highest = Set(identifiers.map { $0._rawHashValue(seed: seed) >> 52 }).count
      #expect((2400...2800).contains(lowest), "\(name)")
      #expect((2400...2800).contains(highest), "\(name)")
    }
  }

  @Test func theOtherWordsCountToo() {
    let other = IdentifierScope(store: "hash-test", entity: "Person")
    let hashes = Set([
      Self.scope.identifier(number: 1)._rawHashValue(seed: 0),
      other.identifier(number: 1)._rawHashValue(seed: 0),
      Self.scope.identifier(text: "1")._rawHashValue(seed: 0),
      Self.scope.identifier(number: 1)._rawHashValue(seed: 1),
    ])
    #expect(hashes.count == 4)
  }
}
