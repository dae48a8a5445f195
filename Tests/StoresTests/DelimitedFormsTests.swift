import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// Words for missing values, commas in numbers and orders of dates: what is read, and what an edit writes.
@Suite struct DelimitedFormsTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let reading: String
    let before: String
    let fields: String
    let edits: [JSONTestEdit]
    let after: String
    var testDescription: String { "\(reading) \(before.prefix(40).debugDescription) \(edits)" }
  }

  private static let march = CalendarDate(daysSince1970: 19_791)

  static let samples: [Sample] = [
    // Spellings of numbers that other programs write.
    Sample(
      reading: "",
      before: "a,b,c,d,e\n.5,1.,+5, 5 ,-.25\n2,3,4,6,1e5\n",
      fields: "a:decimal, b:integer, c:integer, d:integer, e:number",
      edits: [.set(0, "b", .integer(7)), .set(1, "a", .decimal(0.75))],
      after: "a,b,c,d,e\n.5,7,+5, 5 ,-.25\n0.75,3,4,6,1e5\n"
    ),
    // Codes, telephone numbers and units stay texts.
    Sample(
      reading: "",
      before: "a,b,c,d,e,f\n007,+4930,0x1F,1_000,5 kg,inf\n",
      fields: "a:text, b:text, c:text, d:text, e:text, f:text",
      edits: [.set(0, "a", .text("008"))],
      after: "a,b,c,d,e,f\n008,+4930,0x1F,1_000,5 kg,inf\n"
    ),
    // A text column keeps the spelling of its numbers.
    Sample(
      reading: "",
      before: "a,b\n.5,1\nx,2\n",
      fields: "a:text, b:integer",
      edits: [.set(1, "b", .integer(3))],
      after: "a,b\n.5,1\nx,3\n"
    ),
    // A cleared cell gets its own word, or the most frequent one of its column.
    Sample(
      reading: "missing=NA,-",
      before: "a,b\n1,NA\n-,x\nNA,-\nNA,z\n,y\n",
      fields: "a:integer, b:text",
      edits: [.set(0, "a", .null), .set(1, "b", .null), .set(1, "a", .integer(5))],
      after: "a,b\nNA,NA\n5,NA\nNA,-\nNA,z\n,y\n"
    ),
    Sample(
      reading: "missing=NA missing.note=none",
      before: "age,note\n1,NA\nNA,x\n",
      fields: "age:integer, note:text",
      edits: [.set(0, "note", .null), .insert(["age": .integer(2)])],
      after: "age,note\n1,\nNA,x\n2,\n"
    ),
    // Empty text and quoted words.
    Sample(
      reading: "missing=NA",
      before: "a,b\n\"NA\",\"\"\n1,\"x\"\n",
      fields: "a:integer, b:text",
      edits: [.set(0, "a", .integer(3))],
      after: "a,b\n\"3\",\"\"\n1,\"x\"\n"
    ),
    // Commas, and groups where the replaced cell had them.
    Sample(
      reading: "decimal=comma thousands=.",
      before: "a;b;c\n1.234,50;12,5;2.5\n2,25;-3;x\n",
      fields: "a:decimal, b:decimal, c:text",
      edits: [
        .set(0, "a", .decimal(1_234_567.5)), .set(1, "a", .decimal(4321.5)),
        .set(1, "b", .decimal(0.125)), .insert(["a": .decimal(1.5)]),
      ],
      after: "a;b;c\n1.234.567,50;12,5;2.5\n4321,50;0,125;x\n1,50;;\n"
    ),
    Sample(
      reading: "thousands=,",
      before: "a;b\n1,234;1,23\n999;2\n",
      fields: "a:integer, b:text",
      edits: [.set(0, "a", .integer(5_000_000)), .set(1, "a", .integer(1000))],
      after: "a;b\n5,000,000;1,23\n1000;2\n"
    ),
    // Dates in the spelling of the replaced cell, or of the first one.
    Sample(
      reading: "dates=dmy",
      before: "d,e\n22.01.2020,1/2/2021\n,3/12/2021\n",
      fields: "d:date, e:date",
      edits: [
        .set(0, "d", .date(march)),
        .set(1, "d", .date(march)),
        .set(0, "e", .date(march)),
      ],
      after: "d,e\n09.03.2024,9/3/2024\n09.03.2024,3/12/2021\n"
    ),
    Sample(
      reading: "dates=mdy",
      before: "d\n01/22/2020\n13/01/2020\n",
      fields: "d:text",
      edits: [.set(0, "d", .text("x"))],
      after: "d\nx\n13/01/2020\n"
    ),
  ]

  private func open(_ fixture: JSONFixture, _ reading: String) throws -> JSONStore {
    var configuration = JSONStoreConfiguration(path: fixture.path, form: .delimited)
    configuration.reading = try ReadingOptions(reading)
    return try JSONStore(configuration)
  }

  @Test(arguments: samples)
  func valuesAreReadAndWrittenAsOptionsSay(sample: Sample) throws {
    let fixture = try JSONFixture(sample.before, name: "t.csv")
    let store = try open(fixture, sample.reading)
    #expect(store.schemaText == "t(\(sample.fields))")
    try store.commit(sample.edits)
    #expect(try fixture.text == sample.after)
    let held = try store.records().map(\.orderedValues)
    #expect(try open(fixture, sample.reading).records().map(\.orderedValues) == held)
  }

  @Test func aTextThatWouldBeMissingIsRefused() throws {
    let fixture = try JSONFixture("a\nx\n", name: "t.csv")
    let store = try open(fixture, "missing=NA")
    let error = #expect(throws: PersistenceError.self) {
      try store.commit([.set(0, "a", .text("NA"))])
    }
    let reason = "\"NA\" would be read as missing; say other words with --read missing=…"
    #expect(error?.message == "t.a: \(reason)")
    #expect(try fixture.text == "a\nx\n")
  }

  @Test(arguments: [
    (
      "age,n\n1,x\n2,x\n3,x\n4,x\n5,x\n6,x\n7,x\n8,x\n9,x\nNA,x\n",
      [
        """
        column "age" holds numbers or dates except "NA" in 1 record; --read missing=NA
        """
      ]
    ),
    ("age\n1\n2\nNA\n", []), ("age\n1\n2\n3\nabc\n", []), ("age\n1\n2\n3\n4\n", []),
    (
      "p;q\n12,50;1\n3,25;2\n",
      ["column \"p\" holds numbers with a decimal comma; --read decimal=comma"]
    ),
  ])
  func columnsThatAreNumbersButForAWordAreNamed(text: String, hints: [String]) throws {
    let fixture = try JSONFixture(text, name: "t.csv")
    #expect(try open(fixture, "").openingNotes == hints.map { "\(fixture.path): \($0)" })
    #expect(try open(fixture, "missing=NA decimal=comma").openingNotes == [])
  }

  @Test func theReadingTellsWhatWasFoundOut() throws {
    let fixture = try JSONFixture("a;b\r\nx;1\r\n", name: "t.csv")
    let reading = try #require(open(fixture, "missing=NA").reading)
    #expect(reading.words("kept 2026-11-28") == "\";\" missing=NA (kept 2026-11-28), crlf, utf-8")
    #expect(reading.columns == ["a", "b"])
    #expect(try JSONFixture("[{\"a\":1}]").open().reading == nil)
  }
}
