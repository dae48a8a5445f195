import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Reading files from other programs, and rejecting invalid ones.
@Suite struct JSONReadingTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let text: String
    let schema: String
    /// The values of all records of the first entity, in their text form, `-` for null.
    let values: [String]
    var name = "films.json"
    var testDescription: String { "\(name): \(text.prefix(60))" }
  }

  static let samples: [Sample] = [
    Sample(text: "[]", schema: "films()", values: []),
    Sample(text: " [ \n ] \n", schema: "films()", values: []),
    Sample(text: "{}", schema: "", values: []),
    Sample(text: "", schema: "films()", values: [], name: "films.jsonl"),
    Sample(text: "[{}]", schema: "films()", values: [""]),
    Sample(
      text: #"[{"title":"Up","year":2009},{"year":null,"x":true},{"title":"Coco"}]"#,
      schema: "films(title:text, year:integer, x:boolean)",
      values: ["Up|2009|-", "-|-|true", "Coco|-|-"]
    ),
    Sample(
      text: #"{"a":[{"n":1}],"version":3,"b":[{"s":"x"}],"tags":[1,2],"c":[]}"#,
      schema: "a(n:integer) b(s:text) c()",
      values: ["1"]
    ),
    Sample(
      text: "{\"t\":\"a\"}\n\n{\"t\":\"b\",\"u\":1}\r\n",
      schema: "films(t:text, u:integer)",
      values: ["a|-", "b|1"],
      name: "films.ndjson"
    ),
    Sample(text: "\u{FEFF}[{\"a\":1}]", schema: "films(a:integer)", values: ["1"]),
    Sample(
      text: #"[{"a":373.55,"b":1298681097.80,"c":1e3,"d":-0.0,"e":0.1234567,"f":-0}]"#,
      schema: "films(a:decimal, b:decimal, c:number, d:number, e:number, f:number)",
      values: ["373.55|1298681097.8|1000|-0|0.1234567|-0"]
    ),
    Sample(
      text: #"[{"a":9007199254740993},{"a":0.5}]"#,
      schema: "films(a:decimal)",
      values: ["9007199254740993", "0.5"]
    ),
    Sample(
      text: #"[{"a":9223372036854775807,"b":-9223372036854775808,"c":9223372036854775808}]"#,
      schema: "films(a:integer, b:integer, c:decimal)",
      values: ["9223372036854775807|-9223372036854775808|9223372036854775808"]
    ),
    Sample(
      text: #"[{"a":1e400,"b":0.1234567890123456789012345678901234567890123,"c":0e1}]"#,
      schema: "films(a:json, b:json, c:number)",
      values: ["1e400|0.1234567890123456789012345678901234567890123|0"]
    ),
    Sample(
      text: #"[{"a":0.30000000000000004,"b":5e-324,"c":0.1000000000000000055511151231257827}]"#,
      schema: "films(a:number, b:number, c:decimal)",
      values: ["0.30000000000000004|5e-324|0.1000000000000000055511151231257827"]
    ),
    Sample(
      text: #"[{"d":"2009-05-29","e":"2009-02-30","f":"2009-05-29T18:30:00Z","#
        + #""g":"2009-05-29T18:30:00+00:00","h":"2009-05-29T18:30:00.125Z"}]"#,
      schema: "films(d:date, e:text, f:datetime, g:datetime, h:datetime)",
      values: [
        "2009-05-29|2009-02-30|2009-05-29T18:30:00Z|2009-05-29T18:30:00Z"
          + "|2009-05-29T18:30:00.125Z"
      ]
    ),
    Sample(
      text: #"[{"a":1,"b":[ 1 , {"x" : "\u00e9"} ]},{"a":"x","b":null},{"a":false}]"#,
      schema: "films(a:text, b:json)",
      values: [#"1|[1,{"x":"\u00e9"}]"#, "x|-", "false|-"]
    ),
    Sample(
      text: #"[{"a":"\u0000\ud83d\ude00\n\/","\u0062":1}]"#,
      schema: "films(a:text, b:integer)",
      values: ["\u{0}😀\n/|1"]
    ),
    Sample(
      text: #"[{"a":null},{"a":null}]"#,
      schema: "films(a:text)",
      values: ["-", "-"]
    ),
  ]

  @Test func aRecordMayHaveManyAttributes() throws {
    let members = (0..<70_000).map { "\"a\($0)\":\($0)" }
    let fixture = try JSONFixture("{" + members.joined(separator: ",") + "}\n", name: "wide.jsonl")
    let record = try #require(try fixture.open().records().first)
    #expect(record.orderedValues.count == 70_000 && record["a69999"] == .integer(69_999))
  }

  @Test func aByteOrderMarkBeforeALargeTextIsReadAndKept() throws {
    let records = (0..<20_000).map { #"{"number": \#($0), "title": "film number \#($0)"}"# }
    let text = "\u{FEFF}[" + records.joined(separator: ",\n") + "]"
    let fixture = try JSONFixture(text)
    let store = try fixture.open()
    #expect(try store.count(matching: Query("films")) == 20_000)
    try store.commit([.set(19_999, "number", .integer(7))])
    let after = text.replacingOccurrences(of: "{\"number\": 19999,", with: "{\"number\": 7,")
    #expect(try fixture.text.utf8.elementsEqual(after.utf8))
  }

  // Covers G09, G11, G14.
  @Test(arguments: samples) func filesOfOthersAreRead(sample: Sample) throws {
    let fixture = try JSONFixture(sample.text, name: sample.name)
    let store = try fixture.open()
    #expect(store.schemaText == sample.schema)
    guard !store.schema.entities.isEmpty else { return }
    let values = try store.records().map { record in
      record.orderedValues.map { $0.isNull ? "-" : $0.text }.joined(separator: "|")
    }
    #expect(values == sample.values)
    let numbers = try store.records().map(\.persistentIdentifier.numberKey)
    #expect(numbers == Array(1..<(values.count + 1)))
    #expect(try fixture.text == sample.text)
    #expect(try store.check() == [])
  }

  static let refused: [(text: String, message: String)] = [
    ("", "empty file; to create a catalog, use a name that does not exist"),
    ("  \n", "line 2, column 1: expected a value, found the end of the file"),
    (
      "3",
      "line 1, column 1: expected an array of objects, or an object of such arrays, found a number"
    ),
    ("[1]", "line 1, column 2: expected an object (a record), found a number"),
    ("[[{}]]", "line 1, column 2: expected an object (a record), found an array"),
    ("[\n  {},\n  \"é\", 3]", "line 3, column 3: expected an object (a record), found a string"),
    (
      "{\"a\": 1}",
      "line 1, column 7: no records found: expected a key with an array of objects"
    ),
    (
      "{\"n\": 1, \"d\": {\"items\": [{\"x\": 1}, {}], \"x\": [{}]}}",
      "with an array of objects; to open the records inside, use "
    ),
    ("{\"n\": 1, \"d\": {\"items\": [{\"x\": 1}, {}], \"x\": [{}]}}", ".json#d.items"),
    ("{\"n\": 1, \"p\": {\"a\": {}, \"b\": {\"c\": 1}}, \"q\": {\"a\": {}}}", ".json#p"),
    ("{\"n\": 1, \"p\": {\"a\": {\"b\": {}, \"c\": {}}}}", ".json#p.a"),
    (
      "{\"n\": 1, \"p\": {\"a\": [1]}}", "no records found: expected a key with an array of objects"
    ),
    ("a;b\n1;2\n", "found a; if it has separated values, use csv:"),
    ("[{\"é\":1,\"a\":2,\"é\":3}]", "line 1, column 15: duplicate key"),
    ("[{\"a\":{\"b\":1,\"\\u0062\":2}}]", "line 1, column 14: duplicate key"),
    ("{\"a\":[],\"a\":[]}", "line 1, column 9: duplicate key"),
    ("[{\"a\":1},]", "column 10: expected an object (a record), found \"]\""),
    ("[{\"a\":1,}]", "column 9: expected a key in double quotes, found \"}\""),
    ("[{\"a\":1}] []", "column 11: expected the end, found an array"),
    ("[{\"a\":1}", "expected more: the text ends too early, found the end of the file"),
    ("[{\"a\":01}]", "column 8"), ("[{\"a\":+1}]", "column 7"), ("[{\"a\":0x1}]", "column 8"),
    ("[{\"a\":[NaN]}]", "expected a value, found NaN"), ("[{\"a\":[-Infinity]}]", "column 9"),
    ("[{\"a\":1.}]", "column 9"), ("[{\"a\":1e}]", "column 9"), ("[{\"a\":.5}]", "column 7"),
    ("[{'a':1}]", "expected a key in double quotes"), ("[{\"a\":tru}]", "found tru"),
    ("[{\"a\":1 /* no */}]", "column 9"), ("[{\"a\" 1}]", "expected a colon"),
    (
      "[{\"a\":\"\\ud800\"}]",
      "column 8: expected a valid escape sequence, with surrogates in pairs"
    ),
    ("[{\"a\":\"\\udc00\\ud800\"}]", "surrogates in pairs"), ("[{\"a\":\"\\x41\"}]", "escape"),
    ("[{\"a\":\"x\ty\"}]", "an escape sequence for the control character"),
    ("[{\"a\":\"x]", "expected the closing quote of this string"),
    ("[{\"a\":" + String(repeating: "[", count: 65), "column 71: expected at most 64 levels"),
    ("[{\"a\":" + String(repeating: "[", count: 1_000_000), "expected at most 64 levels"),
    (
      "[{\"\u{E9}\":1,\"e\u{301}\":2}]",
      "column 2: key \"\u{E9}\" occurs in two Unicode normalization forms"
    ),
    (
      "[{\"\u{E9}\":1},{\"e\u{301}\":2}]", "occurs in two Unicode normalization forms"
    ),
    ("{\"\u{E9}\":[{}],\"e\u{301}\":[{}]}", "occurs in two Unicode normalization forms"),
    ("{\"\u{E9}\":[{}],\"e\u{301}\":3}", "occurs in two Unicode normalization forms"),
    (catalog(#""F":[{"id":"1","e\#u{301}":"x"}]"#), "occurs in two Unicode normalization forms"),
    (catalog(#""E\#u{301}":[]"#, entity: "\u{C9}"), "occurs in two Unicode normalization forms"),
    (catalog(#""F":{"a":1}"#), "expected an array of F records"),
    (catalog(#""F":null"#), "expected an array of F records"),
    (catalog(#""F":[3]"#), "expected an array of F records"),
    (#"{"catalog":{"format":1},"F":[]}"#, "unreadable schema: the value: missing \"schema\""),
  ]

  /// A JSON catalog with an entity of one text field, and the given text after its header.
  private static func catalog(_ members: String, entity: String = "F") -> String {
    #"{"catalog":{"format":1,"store":"s","schema":{"entities":[{"name":"\#(entity)","#
      + #""attributes":[{"name":"é","type":"text"}]}]}},\#(members)}"#
  }

  // Covers G01, G02, G10, G13, G17.
  @Test(arguments: refused.indices) func filesWithoutRecordsAreRejected(place: Int) throws {
    let (text, message) = Self.refused[place]
    let fixture = try JSONFixture(text)
    let error = #expect(throws: PersistenceError.self) { try fixture.open() }
    #expect(error.map { $0.message.contains(message) } == true, "\(error?.message ?? "")")
    #expect(error.map { $0.message.contains("films.json") } == true)
    #expect([.damaged, .notAStore].contains(error?.code))
    #expect(try fixture.text == text)
    #expect(try fixture.folder.names() == ["films.json"])
  }

  static let invalidUTF8: [(bytes: [UInt8], offset: Int)] = [
    ([0xC3, 0x28], 8), ([0xC0, 0x80], 8), ([0xED, 0xA0, 0x80], 8), ([0xF4, 0x90, 0x80, 0x80], 8),
    ([0xF0, 0x9F], 8), ([0x61, 0xFF], 9),
  ]

  // Covers G12.
  @Test(arguments: invalidUTF8.indices) func invalidUTF8IsRefusedWithItsOffset(place: Int) throws {
    let (bytes, offset) = Self.invalidUTF8[place]
    let fixture = try JSONFixture()
    let text = Array("[{\"a\":\"é".utf8).dropLast(2) + bytes + Array("\"}]".utf8)
    try fixture.folder.put("films.json", Array(text))
    let error = #expect(throws: PersistenceError.self) { try fixture.open() }
    #expect(
      error?.message.contains("column \(offset): invalid UTF-8") == true,
      "\(error?.message ?? "")"
    )
    #expect(try fixture.folder.bytes("films.json") == Array(text))
  }

  @Test func linesAreRefusedWithTheirNumber() throws {
    for (text, message) in [
      ("{\"a\":1}\n{\"a\":}\n", "line 2, column 6: expected a value"),
      ("{\"a\":1}\n3\n", "line 2, column 1: expected an object (a record), found a number"),
      ("{\"a\":1} {\"a\":2}\n", "line 1, column 9: expected a new line"),
      ("[{\"a\":1}]", "line 1, column 1: expected an object (a record), found an array"),
      (
        "{\"a\":1}\n{\"a\":\n{\"a\":3}\n",
        "line 2, column 6: expected the rest of the record, found the end of the line"
      ),
      (
        "{\"a\":1}\n\n{\"a\":{\"b\":1} \r\n{\"a\":3}\n",
        "line 3, column 13: expected the rest of the record, found the end of the line"
      ),
      // A record before has several lines.
      ("{\"a\":1,\n\"b\":2}\n{\"a\":1,\n\"b\":}\n", "line 4, column 5: expected a value"),
    ] {
      let fixture = try JSONFixture(text, name: "films.jsonl")
      let error = #expect(throws: PersistenceError.self) { try fixture.open() }
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }
  }

  @Test func otherEncodingsAreRefused() throws {
    for bytes: [UInt8] in [
      [0xFF, 0xFE, 0x5B, 0x00], [0x00, 0x5B, 0x00, 0x5D], [0x89, 0x50, 0x4E],
    ] {
      let fixture = try JSONFixture()
      try fixture.folder.put("films.json", bytes)
      #expect(throws: PersistenceError.self) { try fixture.open() }
    }
  }

  /// Types are inferred from the first window; the file is larger than that.
  @Test func aValueFarBehindChangesTheTypeOfItsColumn() throws {
    var text = "["
    for number in 0..<40_000 { text += "{\"a\":\(number),\"b\":null},\n" }
    text += "{\"a\":0.5,\"b\":true,\"c\":\"x\"}]"
    let store = try JSONFixture(text).open()
    #expect(store.schemaText == "films(a:decimal, b:boolean, c:text)")
    #expect(try store.count(matching: Query("films")) == 40_001)
    #expect(try store.records().last?.orderedValues.map(\.text) == ["0.5", "true", "x"])
  }

  /// Windows can only end outside of strings, and records may be larger than a window.
  ///
  /// Covers G15.
  @Test func oneLongLineAndOneLongTextAreRead() throws {
    let long = String(repeating: "x\\\"{,", count: 300_000)
    var text = "[{\"a\":\"\(long)\"}"
    for number in 0..<30_000 { text += ",{\"a\":\"{\\\"},[\(number)\"}" }
    let fixture = try JSONFixture(text + "]")
    let store = try fixture.open()
    let records = try store.records()
    #expect(records.count == 30_001)
    #expect(records[0].orderedValues[0].text.utf8.count == 300_000 * 4)
    #expect(records[30_000].orderedValues[0].text == "{\"},[29999")
    #expect(try store.check() == [])
  }

  /// The text is read in windows of 512 KiB; a line break may be the last byte of a window.
  @Test(arguments: ["\n", "\r\n", " \n\n"])
  func linesOfMoreThanAWindowAreRead(separator: String) throws {
    let note = String(repeating: "x", count: 200)
    var text = (0..<8000).map { "{\"a\":\($0),\"note\":\"\(note)\"}\(separator)" }.joined()
    let fixture = try JSONFixture(text, name: "films.jsonl")
    let store = try fixture.open()
    #expect(try store.count(matching: Query("films")) == 8000)
    #expect(try store.check() == [])
    text += "{\"a\":1}{\"a\":2}"
    #expect(errorCode { _ = try JSONFixture(text, name: "films.jsonl").open() } == .damaged)
  }
}
