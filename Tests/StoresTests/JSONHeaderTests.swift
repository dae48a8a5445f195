import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Headers of other versions are rejected, and unknown members are kept.
@Suite struct JSONHeaderTests {
  private static func catalog(format: String) -> String {
    #"{"catalog":{"format":\#(format),"store":"s","schema":{"entities":[{"name":"films","#
      + #""attributes":[{"name":"title","type":"text"}]}]}},"films":[{"id":1,"title":"Up"}]}"#
  }

  @Test(
    arguments: [
      "2", "0", "-1", "\"1\"", "null", "1.5", "1.0000000000000000001", "1e300", "true", "[1]", "{}",
      "99999999999999999999", "\"\"",
    ]
  )
  func anotherFormatIsRefusedAndNotWrittenTo(format: String) throws {
    let text = Self.catalog(format: format)
    let fixture = try JSONFixture(text)
    let error = try #require(throws: PersistenceError.self) { try fixture.open() }
    #expect(error.code == .notAStore)
    #expect(error.message.contains("catalog format \(format) is not supported"), "\(error.message)")
    #expect(try fixture.text == text)
    // The header may also come last.
    let records = (0..<3000).map { #"{"id":\#($0 + 1),"title":"Up"}"# }.joined(separator: ",\n")
    let last = #"{"films":[\#(records)],"catalog":{"format":\#(format),"schema":{"entities":[]}}}"#
    let other = try JSONFixture(last)
    #expect(throws: PersistenceError.self) { try other.open() }
    #expect(try other.text == last)
  }

  /// Other spellings of 1 are not accepted: the format must be the integer 1.
  @Test(arguments: ["1.0", "1e0", "10e-1", "1.00"])
  func aFormatInAnotherSpellingIsRefused(format: String) throws {
    let text = Self.catalog(format: format)
    let fixture = try JSONFixture(text)
    let error = try #require(throws: PersistenceError.self) { try fixture.open() }
    #expect(error.code == .notAStore)
    #expect(
      error.message.contains("catalog format: expected 1, found \(format)"),
      "\(error.message)"
    )
    #expect(try fixture.text == text)
  }

  @Test func objectsWithoutFormatAreNotHeaders() throws {
    let fixture = try JSONFixture(#"{"catalog":{"title":"of books"},"books":[{"a":1}]}"#)
    #expect(try fixture.open().schemaText == "books(a:integer)")
  }

  @Test func membersThatNobodyKnowsSurviveEverySave() throws {
    let text =
      #"{"catalog":{"format":1,"note":"mine","schema":{"comment":[1.50,null],"entities":[{"name":"films","#
      + #""icon":"🎬","attributes":[{"name":"title","type":"text","width":20},"#
      + #"{"name":"year","type":"integer"}]}]}},"films":[{"title":"Up"}]}"#
    let fixture = try JSONFixture(text)
    let store = try fixture.open()
    // The header is rewritten, because the catalog gets an identifier.
    let film = try store.records()[0]
    let after = film.with("year", .integer(2009))
    _ = try store.commit(
      ChangeSet(updated: [RecordUpdate(before: film, after: after)]),
      author: nil
    )
    try expectMembers(fixture)
    // The same with every change of the schema.
    try store.apply(
      .addAttribute(entity: "films", Schema.Attribute("seen", .boolean)),
      author: nil
    )
    try expectMembers(fixture)
    #expect(try fixture.open().schemaText == "films(title:text, year:integer, seen:boolean)")
  }

  private func expectMembers(_ fixture: JSONFixture) throws {
    let text = try fixture.text
    for member in [
      #""note": "mine""#, #""comment": [1.50,null]"#, #""icon": "🎬""#, #""width": 20"#,
      #""store": ""#,
    ] {
      #expect(text.contains(member), "\(member) in \(text)")
    }
  }
}

extension DefaultSnapshot {
  fileprivate func with(_ name: String, _ value: Value) -> DefaultSnapshot {
    var copy = self
    for (slot, other) in layout.names.enumerated() where other == name {
      copy.orderedValues[slot] = value
    }
    return copy
  }
}
