import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// The records at a path of a JSON file: edits change nothing around them.
@Suite struct JSONPartTests {
  private static let text = """
    \u{FEFF}{"type" : "FeatureCollection", "n.x": 1.50,
     "features":[ {"type":"Feature","id":1} ,
       {"type":"Feature","id":2} ], "data" : {"items": [{"a":1}], "more": {"list": [{"b":"x"}]}},
     "rest": [ 1, 2 ] }

    """

  private func open(_ fixture: JSONFixture, _ path: String) throws -> JSONStore {
    try JSONStore(JSONStoreConfiguration(path: fixture.path, fragment: path))
  }

  @Test(arguments: [
    (
      "features", "features(type:text, id:integer)", 2, "type", #"{"type":"Feature","id":1}"#,
      #"{"type":"new","id":1}"#
    ),
    ("data.items", "items(a:integer)", 1, "a", #"{"a":1}"#, #"{"a":7}"#),
    ("data.more.list", "list(b:text)", 1, "b", #"{"b":"x"}"#, #"{"b":"new"}"#),
    // An object of arrays.
    ("data.more", "list(b:text)", 1, "b", #"{"b":"x"}"#, #"{"b":"new"}"#),
  ])
  func onlyTheRecordsChange(
    path: String,
    schema: String,
    count: Int,
    field: String,
    before: String,
    after: String
  ) throws {
    let fixture = try JSONFixture(Self.text, name: "data.json")
    let store = try open(fixture, path)
    #expect(store.schemaText == schema)
    #expect(try store.records().count == count)
    let isInteger = try store.records()[0].value(named: field).isInteger
    try store.commit([.set(0, field, isInteger ? .integer(7) : .text("new"))])
    var expected = Self.text.replacing(before, with: after)
    #expect(try fixture.text == expected)
    // The places are still right, and so are those that another program moves.
    expected = expected.replacing("1.50", with: "1000.50")
    try fixture.folder.put("data.json", expected)
    try store.commit([.set(0, field, isInteger ? .integer(8) : .text("newer"))])
    expected = expected.replacing(
      after,
      with: after.replacing("7", with: "8").replacing("new", with: "newer")
    )
    #expect(try fixture.text == expected)
    #expect(try store.check() == [])
  }

  @Test(arguments: [
    (
      "nothing",
      "line 1, column 2: no \"nothing\" in the document; it has \"type\", \"n.x\", \"features\", \"data\", \"rest\""
    ),
    ("data.nothing", "line 3, column 42: no \"nothing\" in \"data\"; it has \"items\", \"more\""),
    ("type.x", "line 1, column 12: no \"x\": \"type\" is not an object"),
    ("rest", "line 4, column 12: expected an object (a record), found a number"),
  ])
  func aWrongPathIsNamedWithWhatThereIs(path: String, message: String) throws {
    let fixture = try JSONFixture(Self.text, name: "data.json")
    let error = #expect(throws: PersistenceError.self) { try open(fixture, path) }
    #expect(error?.message == "\(fixture.path): \(message)")
  }
}

extension DefaultSnapshot {
  fileprivate func value(named name: String) -> Value {
    layout.slot(of: name).map { orderedValues[$0] } ?? .null
  }
}

extension Value {
  fileprivate var isInteger: Bool { if case .integer = self { true } else { false } }
}
