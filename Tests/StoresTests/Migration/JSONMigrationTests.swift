import OpenSwiftData
import Testing

@testable import Stores

/// The effect of a migration on the text of a catalog.
@Suite struct JSONMigrationTests {
  static let header =
    #""catalog": {"format": 1, "store": "s", "schema": {"entities": [{"name": "Film", "attributes": ["#
    + #"{"name": "title", "type": "text"}, {"name": "year", "type": "integer", "default": 7}]}, "#
    + #"{"name": "Star", "attributes": [{"name": "name", "type": "text"}]}]}}"#

  static let film = Schema.Entity(
    "Film",
    attributes: [
      .init("name", .text, originalName: "title"), .init("year", .text, defaultValue: .text("8")),
    ]
  )

  /// The file before and after, apart from the header, which is shown as `H`.
  static let files: [(String, String)] = [
    (
      #"{ H, "Film" : [ {"id":"a1","note":"kept" , "title":"\u0055p"}, {"year": 1, "id": "a2"} ], "Star": [{"id": "b1"}], "more": {"a": 1}}"#,
      #"{ H, "Film" : [ {"id":"a1","note":"kept" , "name":"\u0055p" , "year":"7"}, {"year": "1", "id": "a2"} ], "more": {"a": 1}}"#
    ),
    (
      "{\"Star\": [],\n\"Film\": [\n{\"id\": \"a1\", \"year\": null}\n],\n H}\n",
      "{\"Film\": [\n{\"id\": \"a1\", \"year\": null}\n],\n H}\n"
    ),
    ("{H , \"Film\": [] , \"Star\" : [ ] }", "{H , \"Film\": []  }"),
  ]

  @Test(arguments: files.indices) func onlyWhatChangesIsWritten(place: Int) throws {
    let (before, after) = Self.files[place]
    let fixture = try JSONFixture(before.replacing("H", with: Self.header))
    let schema = Schema([Self.film], version: Schema.Version(2, 0, 0))
    _ = try JSONStore(
      JSONStoreConfiguration(path: fixture.path, schema: schema),
      migrationPlan: nil
    )
    let header =
      "\"catalog\": " + String(decoding: JSONHeader.text(store: "s", schema: schema), as: UTF8.self)
    #expect(try fixture.text == after.replacing("H", with: header))
    let store = try fixture.open()
    #expect(store.schema == schema)
    #expect(try store.check().allSatisfy { $0.contains("kept as they are") })
    try store.commit([.insert(["name": .text("Cars")])])
    #expect(try fixture.open().records().last?["name"] == .text("Cars"))
  }

  @Test func aMemberThatIsNoFieldIsNotTakenOver() throws {
    let text =
      "{\(Self.header), \"Film\": [{\"id\": \"a\", \"note\": 1}], \"Star\": [], \"Extra\": 1}"
    let fixture = try JSONFixture(text)
    for entity in [
      Schema.Entity("Film", attributes: [.init("note", .text), .init("size", .text)]),
      Schema.Entity("Extra", attributes: []),
    ] {
      let schema = Schema([entity], version: Schema.Version(2, 0, 0))
      let configuration = JSONStoreConfiguration(path: fixture.path, schema: schema)
      #expect(
        errorCode { _ = try JSONStore(configuration, migrationPlan: nil) } == .invalidSchema
      )
      #expect(try fixture.text == text)
    }
  }

  @Test func filesOfOtherPeopleAreNeverMigrated() throws {
    let text = #"[{"title": "Up", "year": 2009}]"#
    let fixture = try JSONFixture(text)
    let schema = Schema([Self.film], version: Schema.Version(2, 0, 0))
    let store = try JSONStore(
      JSONStoreConfiguration(path: fixture.path, schema: schema),
      migrationPlan: nil
    )
    #expect(store.schema.entities.map(\.name) == ["films"])
    #expect(try fixture.text == text)
  }
}
