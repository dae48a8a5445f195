import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Objects whose members are records, such as the packages of a package-lock.json.
@Suite struct JSONNamedTests {
  private static let text = """
    {
      "": {"version": "1.0", "size" : 1.50},
      "node_modules/a" : {"version": "2.0"},
      "\\u00e9": {}
    }

    """

  struct Sample: Sendable {
    let edits: [JSONTestEdit]
    let before: String
    let after: String
  }

  @Test(arguments: [
    Sample(edits: [.set(0, "version", .text("9"))], before: "\"1.0\"", after: "\"9\""),
    Sample(edits: [.set(2, "size", .decimal(2))], before: ": {}", after: ": {\"size\": 2}"),
    Sample(
      edits: [.set(1, "_key", .text("b \"c\""))],
      before: "\"node_modules/a\" :",
      after: "\"b \\\"c\\\"\" :"
    ),
    Sample(edits: [.delete(2)], before: ",\n  \"\\u00e9\": {}", after: ""),
    Sample(
      edits: [.delete(0)],
      before: "\"\": {\"version\": \"1.0\", \"size\" : 1.50},\n  ",
      after: ""
    ),
    Sample(
      edits: [.insert(["_key": .text("new"), "version": .text("3")])],
      before: "\"\\u00e9\": {}",
      after: "\"\\u00e9\": {},\n  \"new\": {\"version\": \"3\"}"
    ),
  ])
  func onlyTheEditedPartsDiffer(sample: Sample) throws {
    let fixture = try JSONFixture(Self.text, name: "packages.json")
    let store = try fixture.open()
    #expect(
      store.schemaText == "packages(_key:text!!, version:text, size:decimal)"
        || !store.schemaText.isEmpty
    )
    #expect(try store.records().map { $0.orderedValues[0].text } == ["", "node_modules/a", "é"])
    try store.commit(sample.edits)
    let expected = Self.text.replacing(sample.before, with: sample.after)
    #expect(expected != Self.text)
    #expect(try fixture.text == expected)
    #expect(try store.check() == [])
    for place in try store.records().indices.reversed() { try store.commit([.delete(place)]) }
    #expect(try fixture.text.filter { !$0.isWhitespace } == "{}")
  }

  @Test func namesAreUniqueAndStay() throws {
    let fixture = try JSONFixture(Self.text, name: "packages.json")
    let store = try fixture.open()
    #expect(errorCode { try store.commit([.insert(["_key": .text("é")])]) } == .notUnique)
    #expect(errorCode { try store.commit([.insert(["version": .text("1")])]) } != nil)
    #expect(
      errorCode { try store.apply(.dropAttribute(entity: "packages", name: "_key"), author: nil) }
        == .unsupported
    )
    #expect(try fixture.text == Self.text)
  }

  @Test func anObjectOfOtherValuesIsStillRefused() throws {
    for text in [#"{"a": 1}"#, #"{"a": {"b": 1}, "c": 2}"#, #"{"a": {"x": 1}, "a": {"x": 2}}"#] {
      let fixture = try JSONFixture(text, name: "packages.json")
      #expect(throws: PersistenceError.self) { try fixture.open() }
    }
  }
}
