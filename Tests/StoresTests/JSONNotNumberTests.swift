import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// NaN and Infinity, as Python writes them, and JSON that is arranged in another way.
@Suite struct JSONNotNumberTests {
  @Test(arguments: ["films.json", "films.jsonl"])
  func notNumbersAreMissingAndKeptAsWritten(name: String) throws {
    let isLines = name.hasSuffix("jsonl")
    func file(_ records: [String]) -> String {
      isLines
        ? records.map { $0 + "\n" }.joined() : "[" + records.joined(separator: ",\n") + "]\n"
    }
    let records = ["{\"a\": 1.5, \"b\": NaN}", "{\"a\": -Infinity, \"b\": 2}"]
    let fixture = try JSONFixture(file(records), name: name)
    let store = try fixture.open()
    #expect(store.schemaText == "films(a:decimal, b:integer)")
    #expect(
      store.openingNotes == [
        "\(fixture.path): NaN or Infinity in 2 values: read as missing, and kept as written"
      ]
    )
    try store.commit([.set(0, "a", .decimal(2.5))])
    #expect(try fixture.text == file(["{\"a\": 2.5, \"b\": NaN}", records[1]]))
    try store.commit([.set(1, "a", .decimal(3))])
    #expect(
      try fixture.text == file(["{\"a\": 2.5, \"b\": NaN}", "{\"a\": 3, \"b\": 2}"])
    )
  }

  @Test(arguments: [
    ("[{\"a\": [NaN]}]", "a.json", "expected a value, found NaN"),
    (
      "{\"a\":1}\n{\"a\":2}\n", "a.json",
      "expected the end, found an object; for an object a line use jsonl:PATH"
    ),
    (
      "{\"a\":1} {\"a\":2}\n", "a.json",
      "expected the end, found an object; put each object on a line of its own, as jq -c . does"
    ),
    (
      "{\"a\":1} {\"a\":2}\n", "a.jsonl",
      "expected a new line, found an object; put each object on a line of its own, as jq -c . does"
    ),
    (
      "[[1,2],[3,4]]", "a.json",
      "expected an object (a record), found an array; rows without names; make separated values of "
        + "them, as jq -r '.[] | @csv' does"
    ),
    (
      "[\"a\",2]\n[\"b\",4]\n", "a.json",
      "rows without names; make separated values of them, as jq -r @csv does"
    ),
  ])
  func otherArrangementsNameTheWay(text: String, name: String, message: String) throws {
    let fixture = try JSONFixture(text, name: name)
    let error = #expect(throws: PersistenceError.self) { try fixture.open() }
    let expected = message.replacing("PATH", with: fixture.path)
    #expect(error?.message.hasSuffix(expected) == true, "\(error?.message ?? "")")
  }
}
