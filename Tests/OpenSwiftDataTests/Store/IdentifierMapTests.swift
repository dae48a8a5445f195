import OpenSwiftData
import Testing

@Suite struct IdentifierMapTests {
  private let temporary = (1...5).map { Fixtures.temporary(UInt64($0)) }
  private let permanent = (1...5).map { Fixtures.permanent($0) }
  private var map: IdentifierMap { IdentifierMap(temporary: temporary, permanent: permanent) }

  @Test func pairsComeInOrderAndCanBeLookedUp() {
    #expect(map.map(\.temporary) == temporary && map.map(\.permanent) == permanent)
    #expect(map[2] == (temporary[2], permanent[2]))
    #expect(map[temporary[3]] == permanent[3])
    #expect(map[permanent[3]] == nil && map[Fixtures.temporary(9)] == nil)
    #expect(IdentifierMap().isEmpty && IdentifierMap()[temporary[0]] == nil)
  }

  @Test func mapsAreEqualWhateverTheirOrder() {
    let reversed = IdentifierMap(temporary: temporary.reversed(), permanent: permanent.reversed())
    #expect(map == reversed && map.hashValue == reversed.hashValue)
    #expect(map == IdentifierMap(map.dictionary))
    #expect(map != IdentifierMap(temporary: temporary, permanent: permanent.reversed()))
    #expect(map != IdentifierMap())
  }

  @Test func mapsOfSeveralStoresAreJoined() {
    let parts = [0..<2, 2..<2, 2..<5].map {
      IdentifierMap(temporary: Array(temporary[$0]), permanent: Array(permanent[$0]))
    }
    #expect(IdentifierMap(joining: parts) == map && IdentifierMap(joining: [map]) == map)
    #expect(IdentifierMap(joining: []).isEmpty)
  }

  @Test func threadsShareOneTable() async {
    let (map, temporary) = (map, temporary)
    let found = await withTaskGroup(of: [PersistentIdentifier?].self) { group in
      for _ in 0..<8 { group.addTask { temporary.map { map[$0] } } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(found.count == 8 && found.allSatisfy { $0 == permanent })
  }
}
