import OpenSwiftData
import Testing

@testable import Stores

/// The form of references to records in a JSON file.
struct JSONLinkTests {
  private static func text(_ references: String) -> String {
    #"""
    {"catalog": {"format": 1, "store": "s", "schema": {"entities": [
      {"name": "Trip", "attributes": [{"name": "name", "type": "text"}]},
      {"name": "Business", "attributes": [
        {"name": "name", "type": "text"}, {"name": "firm", "type": "text"}]},
      {"name": "Stop", "attributes": [
        {"name": "trip", "type": "link:Trip"}, {"name": "all", "type": "links:Trip"}]}]}},
     "Trip": [{"id": "a/b"}, {"id": "5"}, {"id": "Business/x"}],
     "Business": [{"id": "5"}, {"id": "a/b"}],
     "Stop": [{"id": "1", \#(references)}]}
    """#
  }

  private func record(_ entity: String, _ key: String) -> PersistentIdentifier {
    IdentifierScope(store: "s", entity: entity).identifier(parsing: key)
  }

  @Test(arguments: [
    ("5", "Trip", "5"), ("Business/5", "Business", "5"), ("Trip/5", "Trip", "5"),
    ("a/b", "Trip", "a/b"), ("Business/a/b", "Business", "a/b"),
    ("Trip/Business/x", "Trip", "Business/x"), ("Other/5", "Trip", "Other/5"),
    ("Business/", "Trip", "Business/"), ("/5", "Trip", "/5"),
  ])
  func aNameOfAnEntityInFrontSaysOfWhichTheRecordIs(
    written: String,
    entity: String,
    key: String
  ) throws {
    let fixture = try JSONFixture(Self.text(#""trip": "\#(written)", "all": ["5", "\#(written)"]"#))
    let stop = try #require(try fixture.open().records("Stop").first)
    let expected = record(entity, key)
    #expect(stop["trip"] == .link(expected))
    #expect(stop["all"] == .links([record("Trip", "5"), expected]))
  }

  @Test(arguments: [
    ("Trip", "5", "5"), ("Business", "5", "Business/5"), ("Trip", "a/b", "Trip/a/b"),
    ("Business", "a/b", "Business/a/b"), ("Trip", "Business/x", "Trip/Business/x"),
  ])
  func whatIsWrittenIsReadAgain(entity: String, key: String, written: String) throws {
    let fixture = try JSONFixture(Self.text(#""trip": null"#))
    let link = record(entity, key)
    let store = try fixture.open()
    try store.commit(
      [.set(0, "trip", .link(link)), .set(0, "all", .links([link, record("Trip", "5")]))],
      entity: "Stop"
    )
    try store.commit([.insert(["trip": .link(link)])], entity: "Stop")
    let text = try fixture.text
    #expect(text.contains(#""trip": "\#(written)", "all": ["\#(written)", "5"]"#))
    let stops = try fixture.open().records("Stop")
    #expect(stops.map { $0["trip"] } == [.link(link), .link(link)])
    #expect(stops[0]["all"] == .links([link, record("Trip", "5")]))
    #expect(try fixture.open().check().isEmpty)
  }

  // Covers G18.
  @Test func aReferenceToAMissingRecordOfASubclassIsReported() throws {
    let fixture = try JSONFixture(Self.text(#""trip": "Business/6""#))
    #expect(
      try fixture.open().check() == ["Stop.trip: links to 6, which does not exist (record 1)"]
    )
  }
}
