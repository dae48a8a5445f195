import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Files of separated values: what is read, and that edits change nothing else.
@Suite struct DelimitedStoreTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let before: String
    let edits: [JSONTestEdit]
    let after: String
    var name = "films.csv"
    var testDescription: String { "\(before.prefix(40).debugDescription) \(edits)" }
  }

  static let samples: [Sample] = [
    // Only the edited value is written; spelling, quotes and line ends of the rest stay.
    Sample(
      before: "id;name;price;code\r\n1;\"Anna; B\";12.50;007\r\n2;Bob;3;012\r\n",
      edits: [.set(1, "price", .decimal(4.25))],
      after: "id;name;price;code\r\n1;\"Anna; B\";12.50;007\r\n2;Bob;4.25;012\r\n"
    ),
    // A value keeps its quotes; one that needs them gets them.
    Sample(
      before: "a,b\n\"x\",y\n",
      edits: [.set(0, "a", .text("z")), .set(0, "b", .text("1, \"2\"\n3"))],
      after: "a,b\n\"z\",\"1, \"\"2\"\"\n3\"\n"
    ),
    // Missing and empty texts differ.
    Sample(
      before: "a,b\nx,y\nz,\"\"\n",
      edits: [.set(0, "a", .null), .set(0, "b", .text("")), .set(1, "b", .null)],
      after: "a,b\n,\"\"\nz,\n"
    ),
    // Records of one column without any byte.
    Sample(before: "a\nx\n\n", edits: [.insert(["a": .text("y")])], after: "a\nx\n\ny\n"),
    Sample(
      before: "a\r\n\r\n\r\n",
      edits: [.set(0, "a", .text("x")), .set(1, "a", .text("y")), .insert(["a": .text("z")])],
      after: "a\r\nx\r\ny\r\nz\r\n"
    ),
    Sample(
      before: "a\nx\n\nz\n",
      edits: [.delete(0), .delete(2), .insert(["a": .null]), .insert(["a": .text("y")])],
      after: "a\n\n\ny\n"
    ),
    // Records without a line end at the end, and a file with a byte order mark.
    Sample(
      before: "\u{FEFF}a,b\n1,2",
      edits: [.insert(["a": .integer(3)])],
      after: "\u{FEFF}a,b\n1,2\n3,"
    ),
    // A header alone.
    Sample(before: "a,b\n", edits: [.insert(["b": .text("x")])], after: "a,b\n,x\n"),
    Sample(before: "a,b", edits: [.insert(["b": .text("x")])], after: "a,b\n,x\n"),
    Sample(before: "a,b\n1,2\n", edits: [.delete(0)], after: "a,b\n"),
    Sample(before: "a,b\n1,2\n3,4\n", edits: [.delete(0)], after: "a,b\n3,4\n"),
    Sample(before: "a,b\n1,2\n3,4\n", edits: [.delete(1)], after: "a,b\n1,2\n"),
    Sample(
      before: "a,b\r\n1,2\r\n",
      edits: [.delete(0), .insert(["a": .integer(9)])],
      after: "a,b\r\n9,\r\n"
    ),
    // Rows with too few and too many values.
    Sample(
      before: "a,b,c\n1\n2,3,4,5\n",
      edits: [.set(0, "c", .integer(7)), .set(1, "a", .integer(8))],
      after: "a,b,c\n1,,7\n8,3,4,5\n"
    ),
    // Empty lines stay, and are no records.
    Sample(
      before: "a,b\n1,2\n\n3,4\n\n5,6\n",
      edits: [.delete(1)],
      after: "a,b\n1,2\n\n\n5,6\n"
    ),
    Sample(before: "a,b\n1,2\n\n3,4\n", edits: [.delete(1)], after: "a,b\n1,2\n\n"),
    Sample(before: "a,b\n1,2\n\n3,4", edits: [.delete(1)], after: "a,b\n1,2\n\n"),
    Sample(before: "a,b\n1,2\n\n3,4\n", edits: [.delete(0)], after: "a,b\n\n3,4\n"),
    Sample(
      before: "a,b\r\n1,2\r\n\r\n3,4\r\n5,6\r\n7,8\r\n",
      edits: [.delete(1), .delete(2)],
      after: "a,b\r\n1,2\r\n\r\n7,8\r\n"
    ),
    Sample(
      before: "a,b\n1,2\n3,4\n\n5,6\n\n7,8\n",
      edits: [.delete(1), .delete(2)],
      after: "a,b\n1,2\n\n\n7,8\n"
    ),
    Sample(before: "a,b\n\n1,2\n\n", edits: [.set(0, "a", .integer(5))], after: "a,b\n\n5,2\n\n"),
    // In a file with one column they are.
    Sample(before: "a\nx\n\ny\n", edits: [.set(1, "a", .text("n"))], after: "a\nx\nn\ny\n"),
    Sample(before: "a\nx", edits: [.insert([:])], after: "a\nx\n\n"),
    // Line ends of old computers.
    Sample(before: "a,b\rx,1\r", edits: [.insert(["b": .integer(2)])], after: "a,b\rx,1\r,2\r"),
    // Booleans as they are spelled.
    Sample(
      before: "a,b\nx,TRUE\ny,FALSE\n",
      edits: [.set(0, "b", .boolean(false))],
      after: "a,b\nx,FALSE\ny,FALSE\n"
    ),
    // All values in quotes.
    Sample(
      before: "\"a\",\"b\"\n\"x\",\"1\"\n\"y\",\"\"\n",
      edits: [.insert(["a": .text("z"), "b": .integer(3)])],
      after: "\"a\",\"b\"\n\"x\",\"1\"\n\"y\",\"\"\n\"z\",\"3\"\n"
    ),
    // A quote within a value that is not in quotes.
    Sample(
      before: "a,b\n5\" disk,1\n",
      edits: [.set(0, "b", .integer(2))],
      after: "a,b\n5\" disk,2\n"
    ),
    // Quotes that do not match are characters like others in TSV.
    Sample(
      before: "a\tb\n\"x\t1\ny\t2\n",
      edits: [.set(1, "a", .text("\"z\\"))],
      after: "a\tb\n\"x\t1\n\\\"z\\\\\t2\n",
      name: "films.tsv"
    ),
    // Without a header.
    Sample(
      before: "1,2.5\n3,4.5\n",
      edits: [.set(0, "column1", .integer(9))],
      after: "9,2.5\n3,4.5\n"
    ),
    // Tabs: with backslashes, or with quotes if the file has any.
    Sample(
      before: "a\tb\nx\\ty\t1\n",
      edits: [.set(0, "a", .text("p\tq\\"))],
      after: "a\tb\np\\tq\\\\\t1\n",
      name: "films.tsv"
    ),
    Sample(
      before: "a\tb\n\"x\ty\"\t1\n",
      edits: [.set(0, "a", .text("p\tq"))],
      after: "a\tb\n\"p\tq\"\t1\n",
      name: "films.tsv"
    ),
  ]

  @Test(arguments: samples)
  func onlyTheEditedPartsDiffer(sample: Sample) throws {
    let fixture = try JSONFixture(sample.before, name: sample.name)
    let store = try fixture.open()
    try store.commit(sample.edits)
    #expect(try fixture.text == sample.after)
    let again = try fixture.open()
    let held = try store.records().map { $0.orderedValues.map(\.text) }
    #expect(try again.records().map { $0.orderedValues.map(\.text) } == held)
    // The places are right: the same records are found by a second save.
    for place in held.indices.reversed() { try store.commit([.delete(place)]) }
    #expect(try fixture.open().records().isEmpty)
  }

  @Test(arguments: [
    ("a,b,c,d\n1,1.5,x,true\n-2,2,007,FALSE\n", "a:integer, b:decimal, c:text, d:boolean"),
    ("a,b,c\n2024-01-02,2024-01-02T10:00:00Z,1\n2024-02-03,,x\n", "a:date, b:datetime, c:text"),
    ("zip,phone,big\n02139,+4912,1e300\n10001,+4913,2\n", "zip:text, phone:text, big:number"),
    ("\"n\",\"m\"\n\"1\",\"\"\n\"\",\"2\"\n", "n:integer, m:integer"),
    ("a,,a,a_2\n1,2,3,4\n", "a:integer, column2:integer, a_2:integer, a_2_2:integer"),
    ("country,2019,2020\nX,1,2\n", "country:text, 2019:integer, 2020:integer"),
    ("a;b\n\"1,5\";2\n", "a:text, b:integer"),
    // A point before three digits can separate thousands where a comma is the decimal sign.
    ("a;b;c\n1,50;1.234;7\n-1.234,56 €;850;8\n", "a:text, b:text, c:integer"),
    ("a;b\n1,50;1.234\n2,5;2.5\n", "a:text, b:decimal"),
    ("a;b\n1,50;0.125\n", "a:text, b:decimal"), ("a;b\n1,234;1.234\n", "a:text, b:decimal"),
    ("a;b\n1,50 or 2;1.234\n", "a:text, b:decimal"), ("a;b\n1.50;1.234\n", "a:decimal, b:decimal"),
    (
      "a;b\n" + String(repeating: "1;1.234\n", count: 200_000) + "1,50;1\n", "a:text, b:text"
    ), ("a|b\n1|2\n", "a:integer, b:integer"),
    ("a\n1\n", "a:integer"), ("a,b\n", "a:text, b:text"), ("", ""),
    ("x\n" + String(repeating: "1\n", count: 200_000) + "n/a\n", "x:text"),
  ])
  func theTypesFollowFromTheValues(text: String, fields: String) throws {
    let store = try JSONFixture(text, name: "t.csv").open()
    #expect(store.schemaText == "t(\(fields))")
  }

  @Test(arguments: [
    (
      "a,b\n1,\"x\n2,3\n",
      "line 2, column 3: unclosed quote; if quotes are characters here: --read \"quote=none\""
    ),
    (
      "a,b\n\"1\"2,3\n",
      "line 2, column 4: text after the closing quote (values are divided by \",\"); "
        + "if quotes are characters here: --read \"quote=none\""
    ),
    (
      "a,b\n\"1,\"2,3\n",
      "line 2, column 5: text after the closing quote (values are divided by \",\")"
    ),
    ("a,b\n1,\u{0}\n", "line 2, column 3: NUL byte outside quotes: this is not a text file"),
  ])
  func damagedTextIsRefusedWithItsPlace(text: String, message: String) throws {
    let fixture = try JSONFixture(text, name: "t.csv")
    let error = #expect(throws: PersistenceError.self) { try fixture.open() }
    #expect(error?.message == "\(fixture.path): \(message)")
    #expect(try fixture.text == text)
  }

  @Test func notesNameTheLinesOfWhatIsOdd() throws {
    let fixture = try JSONFixture("a,a\n1,2\n3\n4,5,6\n7,8,9\n", name: "t.csv")
    let store = try fixture.open()
    let notes = [
      "line 1: duplicate column names: \"a\" is \"a_2\" here",
      "line 3: fewer values than columns, in 1 record; the others are missing values",
      "line 4: more values than columns, in 2 records; they are kept but not shown",
    ].map { "\(fixture.path): \($0)" }
    #expect(store.openingNotes == notes)
    #expect(try store.check() == notes)
    #expect(store.hiddenValues == "2 records have values after the last column")
    let identifiers = try store.identifiers(matching: Query("t"))
    #expect(try identifiers.map { try store.hasHiddenValues($0) } == [false, false, true, true])
    #expect(try JSONFixture("a\n1\n", name: "t.csv").open().hiddenValues == nil)
  }

  // MARK: Columns

  @Test func columnsAreAddedRenamedAndDropped() throws {
    let fixture = try JSONFixture("\"a\",b\n1,\"x\"\n2,y,extra\n", name: "t.csv")
    let store = try fixture.open()
    try store.apply(.addAttribute(entity: "t", Schema.Attribute("c d", .text)), author: nil)
    #expect(try fixture.text == "\"a\",b,c d\n1,\"x\",\n2,y,,extra\n")
    try store.apply(.renameAttribute(entity: "t", from: "b", to: "e"), author: nil)
    #expect(try fixture.text == "\"a\",e,c d\n1,\"x\",\n2,y,,extra\n")
    try store.commit([.set(0, "c d", .text("new"))])
    try store.apply(.dropAttribute(entity: "t", name: "a"), author: nil)
    #expect(try fixture.text == "e,c d\n\"x\",new\ny,,extra\n")
    #expect(try store.check().count == 1)
    #expect(store.schemaText == "t(e:text, c d:text)")
  }

  @Test func anEmptyFileAndANewOneGetAHeader() throws {
    for text in ["", nil] {
      let fixture = try JSONFixture(text, name: "t.csv")
      let schema = Schema(
        Schema.Entity(
          "t",
          attributes: [Schema.Attribute("a b", .text), Schema.Attribute("n", .integer)]
        )
      )
      let store = try fixture.open(schema: schema)
      try store.commit([.insert(["n": .integer(1)]), .insert(["a b": .text("x,y")])])
      #expect(try fixture.text == "a b,n\n,1\n\"x,y\",\n")
      try store.commit([.set(0, "n", .integer(5))])
      #expect(try fixture.text == "a b,n\n,5\n\"x,y\",\n")
    }
  }

  // MARK: Encodings

  @Test(arguments: [
    ("latin-1", [0x61, 0x2C, 0x62, 0x0A, 0x4D, 0xFC, 0x2C, 0x31, 0x0A] as [UInt8], "Mü"),
    (
      "utf-16",
      [0xFF, 0xFE, 0x61, 0, 0x2C, 0, 0x62, 0, 0x0A, 0, 0xFC, 0, 0x2C, 0, 0x31, 0, 0x0A, 0], "ü"
    ),
  ])
  func otherEncodingsAreKept(name: String, bytes: [UInt8], first: String) throws {
    let fixture = try JSONFixture(name: "t.csv")
    try Data(bytes).write(to: URL(filePath: fixture.path))
    let store = try fixture.open()
    #expect(try store.records().first?.orderedValues == [.text(first), .integer(1)])
    try store.commit([.set(0, "b", .integer(2))])
    var expected = bytes
    if let place = expected.lastIndex(of: 0x31) { expected[place] = 0x32 }
    #expect(try Array(Data(contentsOf: URL(filePath: fixture.path))) == expected)
    try store.commit([.insert(["a": .text("é€")])])
    #expect(try fixture.open().records().last?.orderedValues.first == .text("é€"))
    #expect(try store.check() == [])
    if name == "latin-1" {
      #expect(errorCode { try store.commit([.insert(["a": .text("日")])]) } == .invalidValue)
    }
  }

  @Test func twoEncodingsInOneFileAreRefused() throws {
    let fixture = try JSONFixture(name: "t.csv")
    try Data([0x61, 0x0A, 0xC3, 0xA9, 0x0A, 0xE9, 0x0A]).write(to: URL(filePath: fixture.path))
    let error = #expect(throws: PersistenceError.self) { try fixture.open() }
    #expect(error?.message.contains("line 3, column 1: invalid UTF-8") == true)
  }

  /// `Ü“` is a character in UTF-8, and so is `Ã©`.
  @Test func aTextThatWouldBeReadAsAnotherEncodingIsNotSaved() throws {
    let fixture = try JSONFixture(name: "t.csv")
    let bytes = Array("a,b\n1,caf".utf8) + [0xE9] + Array("\n2,x\n".utf8)
    try Data(bytes).write(to: URL(filePath: fixture.path))
    let store = try fixture.open()
    for (text, pair, reading) in [("MENÜ“", "Ü“", "ܓ"), ("caf\u{C3}\u{A9}", "\u{C3}\u{A9}", "é")] {
      let error = #expect(throws: PersistenceError.self) {
        try store.commit([.set(1, "b", .text(text))])
      }
      #expect(
        error?.message.hasPrefix(
          "t.b: \"\(text)\" cannot be written in Windows-1252 (Latin-1), the encoding of the file, because "
            + "\"\(pair)\" would be read as \"\(reading)\" in UTF-8"
        ) == true
      )
    }
    #expect(try Array(Data(contentsOf: URL(filePath: fixture.path))) == bytes)
    try store.commit([.set(1, "b", .text("MEN\u{DC} “"))])
    #expect(try fixture.open().records().last?.orderedValues.last == .text("MENÜ “"))
  }

  @Test func aPairThatHappensToBeUTF8IsReadAsTheRestOfTheFile() throws {
    let fixture = try JSONFixture(name: "t.csv")
    // É” is ɔ in UTF-8; two bytes are not UTF-8.
    let bytes =
      Array("a,b\n".utf8) + [0xC9, 0x94] + Array(",caf".utf8) + [0xE9, 0x0A, 0xE9, 0x2C, 0x78]
    try Data(bytes).write(to: URL(filePath: fixture.path))
    let store = try fixture.open()
    #expect(try store.records()[0].orderedValues == [.text("É”"), .text("café")])
    // The record with the pair can be edited, as long as enough other bytes remain.
    try store.commit([.set(0, "b", .text("caf\u{EA}")), .set(1, "b", .text("y"))])
    let error = #expect(throws: PersistenceError.self) {
      try store.commit([.set(0, "b", .text("cafe"))])
    }
    #expect(error?.message.contains("would then no longer be read as Windows-1252") == true)
    #expect(try fixture.open().records()[0].orderedValues == [.text("É”"), .text("cafê")])
  }

  // MARK: Other programs

  @Test func changesOfOtherProgramsAreMergedAndConflictsReported() throws {
    let fixture = try JSONFixture("a,b\n1,x\n2,y\n3,z\n", name: "t.csv")
    let store = try fixture.open()
    let records = try store.records()
    try fixture.folder.put("t.csv", "a,b\n0,w\n1,x\n2,other\n3,z\n")
    var after = records[2]
    after.orderedValues[1] = .text("mine")
    _ = try store.commit(
      ChangeSet(updated: [RecordUpdate(before: records[2], after: after)]),
      author: nil
    )
    #expect(try fixture.text == "a,b\n0,w\n1,x\n2,other\n3,mine\n")
    after = records[1]
    after.orderedValues[1] = .text("mine")
    let conflicting = ChangeSet(updated: [RecordUpdate(before: records[1], after: after)])
    #expect(errorCode { _ = try store.commit(conflicting, author: nil) } == .conflict)
    #expect(try fixture.text == "a,b\n0,w\n1,x\n2,other\n3,mine\n")
  }
}
