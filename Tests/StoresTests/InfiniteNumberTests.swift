import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Infinite numbers and NaN in files.
///
/// Covers G04.
@Suite struct InfiniteNumberTests {
  private static let schema = Schema(
    Schema.Entity("films", attributes: [Schema.Attribute("r", .number)])
  )

  private func insert(_ value: Double, into store: JSONStore) throws {
    let scope = IdentifierScope(store: store.identifier, entity: "films")
    let entity = try #require(store.schema.entitiesByName["films"])
    let record = DefaultSnapshot(
      persistentIdentifier: scope.temporaryIdentifier(1, context: 1),
      layout: entity.layout,
      orderedValues: [.number(value)]
    )
    _ = try store.commit(ChangeSet(inserted: [record]), author: nil)
  }

  @Test(arguments: [(Double.infinity, "Infinity"), (-.infinity, "-Infinity"), (.nan, "NaN")])
  func aCatalogWritesThemAsTexts(value: Double, text: String) throws {
    let fixture = try JSONFixture()
    let store = try fixture.open(schema: Self.schema)
    try insert(value, into: store)
    #expect(try fixture.text.contains("\"r\": \"\(text)\""))
    #expect(try fixture.open().records().map { $0.orderedValues } == [[.number(value)]])
  }

  @Test(arguments: [("films.json", "[{\"r\":1.5e300}]"), ("films.jsonl", "{\"r\":1.5e300}\n")])
  func plainFilesRefuseThemWithTheFieldAndStayAsTheyAre(name: String, text: String) throws {
    let fixture = try JSONFixture(text, name: name)
    let store = try fixture.open()
    let error = try #require(throws: PersistenceError.self) {
      try insert(.infinity, into: store)
    }
    #expect(error.code == .invalidValue)
    #expect(error.message.hasPrefix("films.r: Infinity cannot be stored in "), "\(error.message)")
    #expect(try fixture.text == text)
  }

  @Test func otherTextsAreNoNumbersInACatalog() throws {
    for word in ["inf", "nan", "infinity", "1", "+Infinity", ""] {
      let fixture = try JSONFixture()
      let store = try fixture.open(schema: Self.schema)
      try insert(.infinity, into: store)
      let text = try fixture.text.replacing("\"Infinity\"", with: "\"\(word)\"")
      try fixture.folder.put(fixture.name, text)
      #expect(throws: PersistenceError.self) { try fixture.open() }
    }
  }
}
