import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Files from other programs after edits: only the edited parts differ.
@Suite struct JSONPatchingTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let before: String
    let edits: [JSONTestEdit]
    let after: String
    var name = "films.json"
    var testDescription: String { "\(before.prefix(40)) \(edits)" }
  }

  static let indented = "[\n  {\n    \"a\": 1,\n    \"b\": \"x\"\n  },\n  {\n    \"a\": 2\n  }\n]\n"

  static let nested =
    "[\n  {\n    \"a\": 1\n  },\n  {\n    \"a\": 2,\n    \"j\": {\n      \"x\": 1\n    }\n  }\n]\n"

  static let samples: [Sample] = [
    // Values are replaced in place; spelling and white space of the rest stay.
    Sample(
      before: "[ {\"a\" : 1.50, \"b\":1e3 },{\"a\":2,\"b\":-0.0}]",
      edits: [.set(0, "a", .decimal(2.25))],
      after: "[ {\"a\" : 2.25, \"b\":1e3 },{\"a\":2,\"b\":-0.0}]"
    ),
    Sample(
      before: "[{\"a\":\"\\u00e9\",\"b\":\"é\"},\n {\"a\":\"z\"}]",
      edits: [.set(0, "b", .text("\u{202E}\"\n")), .set(1, "b", .text("new"))],
      after: "[{\"a\":\"\\u00e9\",\"b\":\"\\u202e\\\"\\n\"},\n {\"a\":\"z\",\"b\":\"new\"}]"
    ),
    Sample(
      before: indented,
      edits: [.set(1, "b", .text("y")), .set(0, "a", .null)],
      after:
        "[\n  {\n    \"a\": null,\n    \"b\": \"x\"\n  },\n  {\n    \"a\": 2,\n    \"b\": \"y\"\n  }\n]\n"
    ),
    // Absent members stay absent; an object without members gets the style of the others.
    Sample(
      before: "[{\"a\":1},{}]",
      edits: [.set(1, "a", .integer(7))],
      after: "[{\"a\":1},{\"a\":7}]"
    ),
    Sample(
      before: "[{\"a\":1,\"b\":2},{\"b\":3}]",
      edits: [.set(0, "b", .null)],
      after: "[{\"a\":1,\"b\":null},{\"b\":3}]"
    ),
    Sample(
      before: "[{\"a\":{\"x\" : [1, 2]},\"b\":2}]",
      edits: [.set(0, "b", .integer(3))],
      after: "[{\"a\":{\"x\" : [1, 2]},\"b\":3}]"
    ),
    Sample(
      before: "[{\"\\u0061\":1,\"b\":2}]",
      edits: [.set(0, "a", .integer(3))],
      after: "[{\"\\u0061\":3,\"b\":2}]"
    ),
    // A value with parts has lines of its own where others have.
    Sample(
      before: nested,
      edits: [.set(0, "j", .json("{\"x\":[1,\"{,\"],\"e\":{}}"))],
      after: nested.replacing(
        "\"a\": 1\n",
        with:
          "\"a\": 1,\n    \"j\": {\n      \"x\": [\n        1,\n        \"{,\"\n      ],\n      "
          + "\"e\": {}\n    }\n"
      )
    ),
    Sample(
      before: nested,
      edits: [.set(1, "j", .json("{\"x\":1,\"y\":{\"z\":null}}"))],
      after: nested.replacing(
        "\"x\": 1\n",
        with: "\"x\": 1,\n      \"y\": {\n        \"z\": null\n      }\n"
      )
    ),
    Sample(
      before: nested,
      edits: [.insert(["a": .integer(3), "j": .json("[1,{\"b\":2}]")])],
      after: nested.replacing(
        "  }\n]",
        with:
          "  },\n  {\n    \"a\": 3,\n    \"j\": [\n      1,\n      {\n        \"b\": 2\n      }\n    ]\n  }\n]"
      )
    ),
    // Where others are on one line, it is, too.
    Sample(
      before: "[\n  {\n    \"a\": {\"x\": 1},\n    \"b\": 2\n  }\n]\n",
      edits: [.set(0, "b", .null), .insert(["a": .json("{\"x\":[2]}")])],
      after:
        "[\n  {\n    \"a\": {\"x\": 1},\n    \"b\": null\n  },\n  {\n    \"a\": {\"x\":[2]}\n  }\n]\n"
    ),
    // Inside a value, only what differs is written again.
    Sample(
      before: "[{\"a\":{\"x\" : [1,  2.50],\n  \"y\" : \"\\u00e9 :\"}}]",
      edits: [.set(0, "a", .json("{\"x\":[1,3],\"y\":\"\\u00e9 :\"}"))],
      after: "[{\"a\":{\"x\" : [1,  3],\n  \"y\" : \"\\u00e9 :\"}}]"
    ),
    Sample(
      before: "[{\"a\":{\n  \"x\": 1,\n  \"y\": {\"z\": [ ]}\n}}]",
      edits: [.set(0, "a", .json("{\"y\":{\"z\":[]},\"n\":[1,2]}"))],
      after: "[{\"a\":{\n  \"y\": {\"z\": [ ]},\n  \"n\": [1,2]\n}}]"
    ),
    Sample(
      before: "[{\"a\":[\n  {\"k\": 1},\n  {\"k\": 2},\n  {\"k\": 3}\n]}]",
      edits: [.set(0, "a", .json("[{\"k\":1},{\"k\":3},{\"k\":4}]"))],
      after: "[{\"a\":[\n  {\"k\": 1},\n  {\"k\": 3},\n  {\"k\": 4}\n]}]"
    ),
    Sample(
      before: "[{\"a\":[\n  {\"k\": 1},\n  {\"k\": 2},\n  {\"k\": 3}\n]}]",
      edits: [.set(0, "a", .json("[{\"k\":1},{\"k\":3}]"))],
      after: "[{\"a\":[\n  {\"k\": 1},\n  {\"k\": 3}\n]}]"
    ),
    Sample(
      before: "[{\"a\":[\n  1\n]}]",
      edits: [.set(0, "a", .json("[0,1,2]"))],
      after: "[{\"a\":[\n  0,\n  1,\n  2\n]}]"
    ),
    // Members in another order are written as they are, and so are empty and other values.
    Sample(
      before: "[{\"a\":{\"x\" : 1, \"y\" : 2}},{\"a\":{ }},{\"a\":[ 1 ]}]",
      edits: [
        .set(0, "a", .json("{\"y\":2,\"x\":1}")), .set(1, "a", .json("{\"x\":1}")),
        .set(2, "a", .json("{\"x\":1}")),
      ],
      after: "[{\"a\":{\"y\":2,\"x\":1}},{\"a\":{\"x\":1}},{\"a\":{\"x\":1}}]"
    ),
    // A deleted record is removed with one separator.
    Sample(before: "[{\"a\":1},\n {\"a\":2}]", edits: [.delete(0)], after: "[{\"a\":2}]"),
    Sample(before: "[{\"a\":1},\n {\"a\":2}]", edits: [.delete(1)], after: "[{\"a\":1}]"),
    Sample(
      before: "[\n{\"a\":1},\n{\"a\":2},\n{\"a\":3},\n{\"a\":4}\n]",
      edits: [.delete(1), .delete(2)],
      after: "[\n{\"a\":1},\n{\"a\":4}\n]"
    ),
    Sample(before: "[\n {\"a\":1}\n]\n", edits: [.delete(0)], after: "[]\n"),
    // New records get the style of the last one.
    Sample(
      before: indented,
      edits: [.insert(["a": .integer(3), "b": .text("z")])],
      after: indented.dropLast(6)
        + "  },\n  {\n    \"a\": 3,\n    \"b\": \"z\"\n  }\n]\n"
    ),
    Sample(
      before: "[{\"a\":1}]",
      edits: [.insert(["a": .integer(2)])],
      after: "[{\"a\":1},{\"a\":2}]"
    ),
    Sample(
      before: "[{\"a\": 1}]\n",
      edits: [.insert(["a": .integer(2)])],
      after: "[{\"a\": 1}, {\"a\": 2}]\n"
    ),
    Sample(
      before: "[\r\n\t{\"a\":1}\r\n]",
      edits: [.insert(["a": .integer(2)])],
      after: "[\r\n\t{\"a\":1},\r\n\t{\"a\":2}\r\n]"
    ),
    Sample(
      before: "[{\"a\":1,\"b\":null}]",
      edits: [.insert(["a": .integer(2)])],
      after: "[{\"a\":1,\"b\":null},{\"a\":2,\"b\":null}]"
    ),
    Sample(
      before: "[{\"a\":1},{\"a\":2}]",
      edits: [.delete(0), .delete(1), .insert(["a": .integer(3)])],
      after: "[{\"a\":3}]"
    ),
    Sample(
      before: "[\n  {\"a\": 1},\n  {\"a\": 2}\n]",
      edits: [.set(0, "a", .integer(9)), .delete(1), .insert(["a": .integer(3)])],
      after: "[\n  {\"a\": 9},\n  {\"a\": 3}\n]"
    ),
    // Objects of arrays keep their other members.
    Sample(
      before: "{\"v\": [1, 2],\n \"films\": [\n  {\"a\": 1}\n ], \"w\": {\"x\":1}}\n",
      edits: [.insert(["a": .integer(2)]), .set(0, "a", .integer(5))],
      after: "{\"v\": [1, 2],\n \"films\": [\n  {\"a\": 5},\n  {\"a\": 2}\n ], \"w\": {\"x\":1}}\n"
    ),
    // Lines.
    Sample(
      before: "{\"a\":1}\n{\"a\":2}\n",
      edits: [.insert(["a": .integer(3)])],
      after: "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n",
      name: "films.jsonl"
    ),
    Sample(
      before: "{\"a\":1}\r\n{\"a\":2}",
      edits: [.insert(["a": .integer(3)]), .delete(0)],
      after: "{\"a\":2}\r\n{\"a\":3}",
      name: "films.jsonl"
    ),
    Sample(
      before: "{\"a\":1}\n{\"a\":2}\n",
      edits: [.delete(0), .delete(1)],
      after: "",
      name: "films.jsonl"
    ),
    Sample(
      before: "\u{FEFF}[{\"a\":1}]",
      edits: [.set(0, "a", .integer(2))],
      after: "\u{FEFF}[{\"a\":2}]"
    ),
  ]

  // Covers G11.
  @Test(arguments: samples) func editsChangeOnlyWhatWasEdited(sample: Sample) throws {
    let fixture = try JSONFixture(sample.before, name: sample.name)
    let store = try fixture.open()
    try store.commit(sample.edits)
    #expect(try fixture.text == sample.after)
    #expect(try store.check() == [])
    // The recorded places are correct: another edit of each record changes only its value.
    let records = try store.records()
    guard let slot = records.first?.layout.slot(of: "a"),
      store.schema.entities[0].fields[slot].type == .integer
    else { return }
    try store.commit(records.indices.map { .set($0, "a", .integer(Int64($0) + 100)) })
    #expect(try store.check() == [])
    #expect(
      try fixture.open().records().map { $0.orderedValues[slot] }
        == records.indices.map { .integer(Int64($0) + 100) }
    )
  }

  @Test func insertingIntoEmptyFilesGivesTheUsualStyle() throws {
    for (name, before, after) in [
      ("films.json", "[]", "[\n  {\"a\": 1},\n  {\"a\": 2}\n]"),
      ("films.jsonl", "", "{\"a\": 1}\n{\"a\": 2}\n"),
      ("x.json", "{\"films\": []}\n", "{\"films\": [\n    {\"a\": 1},\n    {\"a\": 2}\n  ]}\n"),
      ("x.json", "{}", "{\n  \"films\": [\n    {\"a\": 1},\n    {\"a\": 2}\n  ]\n}"),
    ] {
      let fixture = try JSONFixture(before, name: name)
      let store = try fixture.open()
      let attribute = Schema.Attribute("a", .integer)
      if store.schema.entities.isEmpty {
        try store.apply(.createEntity(Schema.Entity("films", attributes: [attribute])), author: nil)
      } else {
        try store.apply(.addAttribute(entity: "films", attribute), author: nil)
      }
      #expect(try fixture.text == before)
      try store.commit([.insert(["a": .integer(1)]), .insert(["a": .integer(2)])])
      #expect(try fixture.text == after)
      #expect(try store.records().map(\.persistentIdentifier.numberKey) == [1, 2])
      #expect(try store.check() == [])
    }
  }

  @Test func fieldsAreRenamedAndDroppedInEveryRecord() throws {
    let fixture = try JSONFixture("[{\"a\":1, \"b\":2, \"c\":3},\n{\"c\":4},\n{\"b\":5}]")
    let store = try fixture.open()
    try store.apply(.renameAttribute(entity: "films", from: "c", to: "d"), author: nil)
    #expect(try fixture.text == "[{\"a\":1, \"b\":2, \"d\":3},\n{\"d\":4},\n{\"b\":5}]")
    try store.apply(.dropAttribute(entity: "films", name: "b"), author: nil)
    #expect(try fixture.text == "[{\"a\":1, \"d\":3},\n{\"d\":4},\n{}]")
    let year = Schema.Attribute("year", .integer, defaultValue: .integer(7))
    try store.apply(.addAttribute(entity: "films", year), author: nil)
    #expect(
      try fixture.text == "[{\"a\":1, \"d\":3, \"year\":7},\n{\"d\":4,\"year\":7},\n{\"year\":7}]"
    )
    #expect(try store.check() == [])
  }
}
