import Foundation
import OpenSwiftData

extension StoreConformance {
  /// Values that must be read back exactly, by attribute.
  private static let extremes: [(String, [Value])] = [
    ("year", [.integer(.min), .integer(.max), .integer(-1), .integer(1 << 53 + 1), .null]),
    (
      "rating",
      [
        .number(.leastNonzeroMagnitude),
        .number(1.7976931348623157e308), .number(-1.7976931348623157e308),
        .number(0.1), .number(-0.0), .number(1.0 / 3), .number(1e23), .number(123_456_789_012),
      ]
    ),
    (
      "gross",
      [
        "0", "-0.00000000000000000000000000000000000001", "12345678901234567890123456789012345678",
        "-99999999999999999999999999999999999999", "0.1", "1234567890.0123456789", "1e100",
      ]
      .map(Fixture.decimal)
    ),
    ("seen", [.boolean(true), .boolean(false), .null]),
    (
      "released",
      ["0000-01-01", "0001-01-01", "1600-02-29", "1969-12-31", "9999-12-31"].map(Fixture.date)
    ),
    (
      "added",
      [
        "0001-01-01T00:00:00Z", "1969-12-31T23:59:59.999Z", "2009-05-29T18:30:00.123456Z",
        "2000-12-31T23:59:59.125Z", "9999-12-31T23:59:59Z",
      ]
      .map(Fixture.moment)
    ),
    (
      "code",
      [
        .uuid(UUID(high: 0, low: 0)), .uuid(UUID(high: .max, low: .max)),
        .uuid(UUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210)),
      ]
    ),
    (
      "notes",
      ["null", "0", "\"\"", "{}", "[[[[]]]]", "{\"a\":{\"b\":[1.50,\"é\\u0000\"]},\"a b\":null}"]
        .map { .json($0) }
    ),
  ]

  private static let texts = [
    "", " ", "\u{0}", "a\u{0}b", "null", "\n\r\t", "\"\\/", "é", "e\u{301}", "👩‍👩‍👧‍👦", "\u{202E}x",
    "\u{FEFF}", "\u{2028}", "ﬁ", "\u{10FFFF}", "<a>&amp;", "'; drop table", "\u{7F}\u{1B}[31m",
    String(repeating: "long ", count: 20_000),
  ]

  static let valueCases: [Case] = [
    Case("extremeValuesComeBackExactly") { trial in
      let store = try trial.makeStore()
      for (name, values) in extremes where name != "added" || trial.promises(.exactMoments) {
        let films = try Fixture.fill(
          store,
          films: values.map { Fixture.title(name, [name: $0]) }
        )
        for opened in [store, try trial.reopened(store)] {
          let found = try opened.snapshots(for: films)
          for (film, value) in zip(films, values) {
            trial.expectEqual(found[film]?[name], value, "the \(name)")
          }
        }
      }
    },
    Case("infiniteNumbersComeBackAreFoundAndSorted", needs: .infiniteNumbers) { trial in
      let store = try trial.makeStore()
      let values: [Value] = [
        .number(.nan), .number(1), .null, .number(.infinity), .number(-1e300), .number(-.infinity),
        .number(-.nan), .number(0), .number(.infinity), .number(1e300),
      ]
      // Enough records for every sorting algorithm.
      let many = (0..<60).map { values[$0 % values.count] }
      let films = try Fixture.fill(store, films: many.map { Fixture.title("x", ["rating": $0]) })
      for opened in [store, try trial.reopened(store)] {
        let found = try opened.snapshots(for: films)
        for (film, value) in zip(films, many) {
          trial.expectEqual(found[film]?["rating"], value, "the rating")
        }
      }
      for key in SortKey.allForms(of: "rating") {
        try trial.compare(store, Query(Fixture.film, sort: [key]))
      }
      for value in values {
        for comparison in Filter.Comparison.allCases {
          try trial.compare(store, filter: .compare("rating", comparison, value))
          try trial.compare(store, filter: .compare("year", comparison, value))
          try trial.compare(store, filter: .compareAttributes("rating", comparison, "rating"))
        }
        try trial.compare(store, filter: .isIn("rating", [value, .number(1)]))
        try trial.compare(store, filter: .between("rating", .number(0), value))
      }
      let film = try store.all().first { $0["rating"] == .number(.nan) }
      if let film { try store.update(film.persistentIdentifier, ["rating": .number(2)]) }
    },
    Case("everyTextComesBackByteByByte") { trial in
      let store = try trial.makeStore()
      let films = try Fixture.fill(store, films: texts.map { Fixture.title($0) })
      for opened in [store, try trial.reopened(store)] {
        let found = try opened.snapshots(for: films)
        for (film, text) in zip(films, texts) {
          trial.expectEqual(found[film]?["title"] ?? .null, .text(text), "a title")
        }
      }
      for text in texts.prefix(14) {
        let filter = Filter.compare("title", .equal, .text(text))
        let found = try store.count(matching: Query(Fixture.film, filter: filter))
        trial.expectEqual(found, 1, "the number of films called \(Value.quoted(text))")
      }
    },
    Case("emptyTextAndNoLinksAreNotNull", needs: .untypedRecords) { trial in
      let schema = Schema(
        Schema.Entity("Note", attributes: [.init("text", .text), .init("see", .links("Note"))])
      )
      let notes = try trial.makeStore(schema)
      let inserted = [
        Fixture.new("Note", 1, ["text": .text(""), "see": .links([])], in: schema),
        Fixture.new("Note", 2, in: schema),
      ]
      try notes.commit(ChangeSet(inserted: inserted), author: nil).check()
      for opened in [notes, try trial.reopened(notes)] {
        let found = try opened.all("Note").map(\.orderedValues)
        trial.expectEqual(found, [[.text(""), .links([])], [.null, .null]], "the values")
      }
    },
    Case("namesMayBeAnyText", needs: .untypedRecords) { trial in
      let names = ["a b", "é", "order", "\"quoted\"", "a.b", "select", "_id", "日本", "a\nb"]
      let schema = Schema(
        Schema.Entity("Some Entity", attributes: names.map { .init($0, .text) })
      )
      let store = try trial.makeStore(schema)
      let values = Dictionary(uniqueKeysWithValues: names.map { ($0, Value.text($0)) })
      let new = Fixture.new("Some Entity", 1, values, in: schema)
      try store.commit(ChangeSet(inserted: [new]), author: nil).check()
      for opened in [store, try trial.reopened(store)] {
        trial.expectEqual(opened.schema, schema, "the schema")
        trial.expectEqual(
          try opened.all("Some Entity").first?.orderedValues,
          names.map { .text($0) },
          "the values"
        )
      }
      for name in names {
        let query = Query("Some Entity", filter: .compare(name, .equal, .text(name)))
        trial.expectEqual(try store.count(matching: query), 1, "records by \(name)")
      }
    },
  ]
}
