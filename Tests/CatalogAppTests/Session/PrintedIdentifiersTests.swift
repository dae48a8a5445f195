import OpenSwiftData
import Testing

@testable import CatalogApp

/// What a script is told of the identifiers that a save has replaced.
@Suite struct PrintedIdentifiersTests {
  /// A database may return them in any order.
  @Test func theyAreToldInTheOrderInWhichTheRecordsWereMade() {
    let scope = IdentifierScope(store: "s", entity: "Film")
    let made = (1...12).map { scope.temporaryIdentifier(UInt64($0), context: 1) }
    let places = [7, 2, 11, 0, 5, 10, 1, 9, 3, 8, 6, 4]
    var identifiers = PrintedIdentifiers()
    identifiers.note(Array(made.prefix(6)), inLine: 1)
    for identifier in made.dropFirst(6) { identifiers.noteAnswered(identifier) }
    let saved = IdentifierMap(
      temporary: places.map { made[$0] },
      permanent: places.map { scope.identifier(number: $0) }
    )
    let told = identifiers.replace(saved)
    #expect(told.printed.map(\.temporary) == Array(made.prefix(6)))
    #expect(told.answered.map(\.temporary) == made)
    #expect(told.answered.map(\.permanent) == (0..<12).map { scope.identifier(number: $0) })
  }
}
