import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// A column of texts, numbers and booleans is text; each cell keeps its form in the file.
@Suite struct JSONMixedColumnTests {
  private static let text =
    #"[{"t":"Jaws","n":1},{"t":300,"n":2},{"t":true},{"t":"21"},{"t":null},{"t":1.50},{"n":7}]"#

  private func edit(_ store: JSONStore, _ row: Int, _ text: String?) throws {
    let record = try store.records()[row]
    var after = record
    after.orderedValues[0] = text.map { .text($0) } ?? .null
    _ = try store.commit(
      ChangeSet(updated: [RecordUpdate(before: record, after: after)]),
      author: nil
    )
  }

  @Test func numbersAmongTextsAreTextAndFoundAsSuch() throws {
    let fixture = try JSONFixture(Self.text)
    let store = try fixture.open()
    #expect(store.schemaText == "films(t:text, n:integer)")
    let values = try store.records().map { $0.orderedValues[0].text }
    #expect(values == ["Jaws", "300", "true", "21", "", "1.50", ""])
    for text in ["Jaws", "300", "true", "21", "1.50"] {
      let query = Query("films", filter: .compare("t", .equal, .text(text)))
      #expect(try store.count(matching: query) == 1)
    }
    #expect(try store.check() == [])
    #expect(try fixture.text == Self.text)
  }

  @Test func anEditedCellStaysTheKindItWas() throws {
    let fixture = try JSONFixture(Self.text)
    let store = try fixture.open()
    try edit(store, 1, "301")
    try edit(store, 3, "22")
    try edit(store, 2, "false")
    try edit(store, 6, "5")
    var expected = Self.text.replacing(":300,", with: ":301,").replacing("\"21\"", with: "\"22\"")
    expected = expected.replacing("true", with: "false")
      .replacing("{\"n\":7}", with: "{\"n\":7,\"t\":\"5\"}")
    #expect(try fixture.text == expected)
    // A number that is edited to text becomes a string, and a number again if its text spells one
    // again.
    for text in ["Jaws 2", "03", "1.", "+5", "0x1", "null", " 5", "", "5 "] {
      try edit(store, 1, text)
      #expect(try fixture.text.contains("{\"t\":\"\(text)\",\"n\":2}"))
    }
    try edit(store, 1, nil)
    #expect(try fixture.text.contains("{\"t\":null,\"n\":2}"))
    try edit(store, 1, "300")
    try edit(store, 2, "true")
    try edit(store, 3, "21")
    #expect(try fixture.text.hasPrefix(String(Self.text.prefix(60))))
    #expect(try store.check() == [])
  }

  @Test func aDeletedRecordComesBackAsItWas() throws {
    let fixture = try JSONFixture(Self.text)
    let store = try fixture.open()
    let record = try store.records()[5]
    _ = try store.commit(ChangeSet(deleted: [record]), author: nil)
    _ = try store.commit(ChangeSet(inserted: [record]), author: nil)
    #expect(try fixture.text == Self.text)
    let first = try store.records()[0]
    _ = try store.commit(ChangeSet(deleted: [first]), author: nil)
    _ = try store.commit(ChangeSet(inserted: [first]), author: nil)
    #expect(try fixture.text == Self.text)
  }

  @Test func aTextThatComesLateChangesTheColumn() throws {
    let numbers = (0..<60_000).map { "{\"a\":\($0)}" }.joined(separator: "\n")
    let fixture = try JSONFixture(numbers + "\n{\"a\":\"x\"}\n", name: "films.jsonl")
    let store = try fixture.open()
    #expect(store.schemaText == "films(a:text)")
    try store.commit([.set(59_999, "a", .text("5"))])
    #expect(try fixture.text.hasSuffix("{\"a\":5}\n{\"a\":\"x\"}\n"))
  }

  @Test func whatOthersWriteIsLookedAtAnew() throws {
    let fixture = try JSONFixture(Self.text)
    let store = try fixture.open()
    try fixture.folder.put(fixture.name, Self.text.replacing("300", with: "\"300\""))
    try store.refresh()
    try edit(store, 1, "301")
    #expect(try fixture.text == Self.text.replacing("300", with: "\"301\""))
  }

  @Test func otherMixturesStayJSON() throws {
    let fixture = try JSONFixture(#"[{"a":"x","b":1,"c":"x"},{"a":[1],"b":true,"c":{}}]"#)
    #expect(try fixture.open().schemaText == "films(a:json, b:json, c:json)")
  }
}
