import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// JSON catalogs, and properties of every JSON file.
@Suite struct JSONStoreTests {
  static let schema = Schema(
    Schema.Entity(
      "Film",
      attributes: [
        Schema.Attribute("title", .text, isOptional: false), Schema.Attribute("year", .integer),
        Schema.Attribute("gross", .decimal), Schema.Attribute("rating", .number),
        Schema.Attribute("released", .date), Schema.Attribute("seen", .datetime),
        Schema.Attribute("favourite", .boolean, defaultValue: .boolean(false)),
        Schema.Attribute("extra", .json), Schema.Attribute("sequel", .link("Film")),
      ]
    )
  )

  @Test func aNewCatalogIsWrittenOneRecordALine() throws {
    let fixture = try JSONFixture(name: "new.json")
    let store = try fixture.open(schema: Self.schema)
    #expect(try fixture.folder.names() == [])
    try store.commit([
      .insert([
        "title": .text("Toy Story"), "year": .integer(1995),
        "gross": .decimal(Decimal(string: "373.55") ?? 0), "rating": .number(8.25),
        "released": .date(CalendarDate(daysSince1970: 9456)),
        "seen": .datetime(Date(timeIntervalSince1970: 0)), "favourite": .boolean(true),
        "extra": .json("{\"a\":[1]}"),
      ]),
      .insert(["title": .text("Up")]),
    ])
    let ids = try store.records().map(\.persistentIdentifier.description)
    let text = try fixture.text
    #expect(
      text.hasPrefix(
        "{\n  \"catalog\": {\"format\": 1, \"store\": \"\(store.identifier)\", \"schema\": "
          + "{\"entities\": [{\"name\": \"Film\", \"attributes\": [{\"name\": \"title\", "
          + "\"type\": \"text\", \"required\": true}, "
      )
    )
    #expect(
      text.hasSuffix(
        """
        ,
          "Film": [
            {"id": "\(ids[0])", "title": "Toy Story", "year": 1995, "gross": 373.55, \
        "rating": 8.25, "released": "1995-11-22", "seen": "1970-01-01T00:00:00Z", \
        "favourite": true, "extra": {"a":[1]}},
            {"id": "\(ids[1])", "title": "Up", "favourite": null}
          ]
        }

        """
      )
    )
    let again = try fixture.open()
    #expect(again.identifier == store.identifier)
    #expect(again.schema == Self.schema)
    #expect(try again.records() == store.records())
    #expect(try store.check() == [])
  }

  @Test func recordsWithoutIdentifierGetOneWithTheFirstSave() throws {
    let before = """
      {"catalog": {"format": 1, "schema": {"entities": [{"name": "Film", "attributes":
        [{"name": "title", "type": "text"}, {"name": "good", "type": "boolean", "default": true}]}]}},
       "Film": [{"title": "Up"},
                {"title": "Coco", "good": false}]}
      """
    let fixture = try JSONFixture(before)
    let store = try fixture.open()
    #expect(try store.records().map { $0["good"] } == [.boolean(true), .boolean(false)])
    #expect(try fixture.text == before)
    try store.commit([.set(1, "title", .text("Coco!"))])
    let ids = try store.records().map(\.persistentIdentifier.description)
    #expect(
      try fixture.text.hasSuffix(
        """
         "Film": [{"id": "\(ids[0])", "title": "Up"},
                  {"id": "\(ids[1])", "title": "Coco!", "good": false}]}
        """
      )
    )
    #expect(try fixture.open().records() == store.records())
  }

  @Test func theHeaderMayComeBehindTheRecords() throws {
    let fixture = try JSONFixture(
      """
      {"Film": [{"id": 5, "title": "Up"}], "notes": [{"kept": 1}],
       "catalog": {"format": 1, "store": "s", "schema": {"entities": [{"name": "Film",
       "attributes": [{"name": "title", "type": "text"}]}]}}}
      """
    )
    let store = try fixture.open()
    #expect(store.schemaText == "Film(title:text)")
    #expect(try store.records().map(\.persistentIdentifier.description) == ["5"])
    let before = try fixture.text
    try store.commit([.set(0, "title", .text("UP"))])
    #expect(try fixture.text == before.replacingOccurrences(of: "Up", with: "UP"))
  }

  static let damaged: [(records: String, message: String)] = [
    ("{\"title\": 3}", "line 2, column 20: Film.title: 3 is not a valid text"),
    ("{\"title\": \"x\", \"year\": 1.0}", "Film.year: 1.0 is not a valid integer"),
    (
      "{\"title\": \"x\", \"year\": 9223372036854775808}",
      "Film.year: 9223372036854775808 is not a valid integer"
    ),
    ("{\"title\": \"x\", \"rating\": 1e400}", "Film.rating: 1e400 is not a valid number"),
    (
      "{\"title\": \"x\", \"rating\": 9007199254740993}",
      "Film.rating: 9007199254740993 is not a valid number"
    ),
    (
      "{\"title\": \"x\", \"gross\": 0.123456789012345678901234567890123456789}",
      "… is not a valid decimal"
    ),
    (
      "{\"title\": \"x\", \"year\": -9223372036854775809}",
      "Film.year: -9223372036854775809 is not a valid integer"
    ),
    (
      "{\"title\": \"x\", \"year\": 18446744073709551615}",
      "Film.year: 18446744073709551615 is not a valid integer"
    ),
    ("{\"title\": \"x\", \"year\": -0}", "Film.year: -0 is not a valid integer"),
    ("{\"title\": \"x\", \"year\": 1e2}", "Film.year: 1e2 is not a valid integer"),
    ("{\"title\": \"x\", \"rating\": -1e400}", "Film.rating: -1e400 is not a valid number"),
    ("{\"title\": \"x\", \"rating\": 1e-400}", "Film.rating: 1e-400 is not a valid number"),
    (
      "{\"title\": \"x\", \"rating\": 1.7976931348623159e308}",
      "Film.rating: 1.7976931348623159e308 is not a valid number"
    ),
    (
      "{\"title\": \"x\", \"gross\": 123456789012345678901234567890123456789}",
      "is not a valid decimal"
    ),
    ("{\"title\": \"x\", \"gross\": 1e128}", "Film.gross: 1e128 is not a valid decimal"),
    (
      "{\"title\": \"x\", \"released\": \"2009-02-29\"}",
      "Film.released: \"2009-02-29\" is not a valid date"
    ),
    ("{\"year\": 3}", "line 2, column 10: Film.title: a value is required"),
    ("{\"title\": null}", "Film.title: a value is required"),
    (
      "{\"id\": \"a\", \"title\": \"x\"}, {\"id\": \"a\", \"title\": \"x\"}",
      "column 37: duplicate Film record a, first in line 2"
    ),
    ("{\"id\": \"\", \"title\": \"x\"}", "expected the identifier of Film"),
  ]

  // Covers G03, G05, G06, G07, G08, G17.
  @Test(arguments: damaged.indices) func recordsThatDoNotFitTheSchemaAreRefused(place: Int) throws {
    let (records, message) = Self.damaged[place]
    let header = String(
      decoding: JSONHeader.text(store: "s", schema: Self.schema),
      as: UTF8.self
    )
    let fixture = try JSONFixture("{\"catalog\": \(header),\n\"Film\": [\(records)]}")
    let error = #expect(throws: PersistenceError.self) { try fixture.open() }
    #expect(error?.code == .damaged)
    #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
  }

  // Covers G06, G07, G08.
  @Test func numbersAtTheirLimitsAreExact() throws {
    let header = String(
      decoding: JSONHeader.text(store: "s", schema: Self.schema),
      as: UTF8.self
    )
    let records = [
      #"{"id":"1","title":"a","year":9223372036854775807,"rating":5e-324}"#,
      #"{"id":"2","title":"b","year":-9223372036854775808,"rating":1.7976931348623157e308}"#,
      #"{"id":"3","title":"c","year":9007199254740993,"gross":1e127}"#,
      #"{"id":"4","title":"d","year":0,"gross":0.00000000000000000000000000000000000001}"#,
    ]
    let text = "{\"catalog\": \(header),\n\"Film\": [\(records.joined(separator: ","))]}"
    let fixture = try JSONFixture(text)
    let store = try fixture.open()
    let films = try store.records()
    #expect(
      films.map { $0["year"] } == [
        .integer(.max), .integer(.min), .integer(9_007_199_254_740_993), .integer(0),
      ]
    )
    #expect(films[0]["rating"] == .number(.leastNonzeroMagnitude))
    #expect(films[1]["rating"] == .number(.greatestFiniteMagnitude))
    // Edited values are exact; other values stay as they were written.
    try store.commit([.set(3, "year", .integer(9_007_199_254_740_991))])
    #expect(
      try fixture.text
        == text.replacingOccurrences(of: "\"year\":0", with: "\"year\":9007199254740991")
    )
  }

  // Covers G17.
  @Test func membersThatAreNoFieldsStayThroughAnEdit() throws {
    let header = String(
      decoding: JSONHeader.text(store: "s", schema: Self.schema),
      as: UTF8.self
    )
    let text =
      "{\"catalog\": \(header),\n\"Film\": [{\"x\":[1, 2],\"id\":\"1\",\"title\":\"a\",\"y\":null}]}"
    let fixture = try JSONFixture(text)
    try fixture.open().commit([.set(0, "title", .text("b"))])
    #expect(try fixture.text == text.replacingOccurrences(of: "\"a\"", with: "\"b\""))
  }

  @Test func aNewerFormatIsRefused() throws {
    let fixture = try JSONFixture(
      "{\"catalog\": {\"format\": 2, \"schema\": {\"entities\": []}}, \"Film\": []}"
    )
    let error = #expect(throws: PersistenceError.self) { try fixture.open() }
    #expect(error?.code == .notAStore)
    #expect(error?.message.contains("use a newer version") == true)
  }

  @Test func aFileChangedByOthersIsNotOverwritten() throws {
    let fixture = try JSONFixture("[{\"id\":7,\"a\":1}]")
    let store = try fixture.open()
    try fixture.folder.put("films.json", "[{\"id\":7,\"a\":2}]")
    let error = #expect(throws: PersistenceError.self) {
      try store.commit([.set(0, "a", .integer(3))])
    }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("changed by another program to \"2\"") == true)
    #expect(try fixture.text == "[{\"id\":7,\"a\":2}]")
    #expect(try store.records()[0].orderedValues == [.integer(7), .integer(2)])
    #expect(try store.check().isEmpty)
    try store.commit([.set(0, "a", .integer(3))])
    #expect(try fixture.text == "[{\"id\":7,\"a\":3}]")
  }

  @Test func anEntityCannotHaveTheKeyOfTheHeader() throws {
    let fixture = try JSONFixture(name: "new.json")
    let entity = Schema.Entity("catalog", attributes: [Schema.Attribute("t", .text)])
    let error = #expect(throws: PersistenceError.self) { try fixture.open(schema: Schema(entity)) }
    #expect(error?.code == .invalidSchema)
    #expect(error?.message.contains("\"catalog\" is reserved") == true)
    let store = try fixture.open(schema: Self.schema)
    let refused = #expect(throws: PersistenceError.self) {
      try store.apply(.createEntity(Schema.Entity("catalog")), author: nil)
    }
    #expect(refused?.code == .invalidSchema)
    #expect(try fixture.folder.names() == [])
  }

  // Covers G03.
  @Test func valuesThatAreThereTwiceAreFoundByTheCheck() throws {
    let fixture = try JSONFixture(
      """
      {"catalog":{"format":1,"store":"s","schema":{"entities":[{"name":"F","attributes":[
      {"name":"t","type":"text","unique":true}]}]}},
      "F":[{"id":"1","t":"x"},{"id":"2"},{"id":"3","t":"y"},{"id":"4","t":"x"},{"id":"5"}]}
      """
    )
    #expect(
      try fixture.open().check()
        == ["F.t: must be unique; \"x\" is in records 1 and 4"]
    )
  }

  @Test func anEmptyChangeSetAndAReadOnlyStoreWriteNothing() throws {
    let fixture = try JSONFixture(name: "new.json")
    let store = try fixture.open(schema: Self.schema)
    #expect(try store.commit(ChangeSet(), author: nil).token == nil)
    let reader = try fixture.open(schema: Self.schema, isReadOnly: true)
    let error = #expect(throws: PersistenceError.self) {
      try reader.commit([.insert(["title": .text("x")])])
    }
    #expect(error?.code == .readOnly)
    #expect(try fixture.folder.names() == [])
  }

  @Test func aValueThatIsNoJSONIsNotSaved() throws {
    let fixture = try JSONFixture("[{\"a\":[1]}]")
    let store = try fixture.open()
    for text in ["", "[1", "1 2", "{\"x\":1,\"x\":2}", "1}, {\"a\":2", "1,\"b\":2"] {
      let error = #expect(throws: PersistenceError.self) {
        try store.commit([.set(0, "a", .json(text))])
      }
      #expect(error?.code == .invalidValue)
    }
    #expect(try fixture.text == "[{\"a\":[1]}]")
  }

  // Covers C07.
  @Test func aFailedWriteLeavesTheFileAndTheStoreAsTheyWere() throws {
    let folder = try TemporaryFolder()
    let before = "[{\"a\":1},{\"a\":2}]"
    try folder.put("films.json", before)
    let files = FaultyFileSystem()
    let store = try JSONStore(
      JSONStoreConfiguration(path: folder.file("films.json"), fileSystem: files)
    )
    files.inject { $0.operation == .write ? .fail(.noSpace) : .none }
    let error = #expect(throws: PersistenceError.self) {
      try store.commit([.set(0, "a", .integer(3))])
    }
    #expect(error?.code == .inaccessible)
    #expect(try folder.text("films.json") == before)
    #expect(try folder.names() == ["films.json"])
    files.inject { _ in .none }
    try store.commit([.set(0, "a", .integer(3))])
    #expect(try folder.text("films.json") == "[{\"a\":3},{\"a\":2}]")
    #expect(files.openCount == 0 || files.openCount == 1)
  }

  /// Random edits, compared with a simple model; the file is reopened from time to time.
  @Test(arguments: ["films.json", "films.jsonl", "new.json"], 1...4)
  func randomEditsSurviveReopening(name: String, seed: Int) throws {
    print("seed \(seed)")
    var random = SeededGenerator(seed: UInt64(seed))
    let rows = (0..<30).map { "{\"title\": \"t\($0)\", \"year\": \($0)}" }
    let text =
      name.hasSuffix("l")
      ? rows.joined(separator: "\n") : "[" + rows.joined(separator: ",\n ") + "]"
    let fixture = try JSONFixture(name == "new.json" ? nil : text, name: name)
    let entity = Schema.Entity(
      "Film",
      attributes: [Schema.Attribute("title", .text), Schema.Attribute("year", .integer)]
    )
    var store = try fixture.open(schema: Schema(entity))
    var model = try store.records().map(\.orderedValues)
    for _ in 0..<40 {
      var edits: [JSONTestEdit] = []
      var gone: Set<Int> = []
      for place in model.indices where random.chance(8) {
        if random.chance(30) {
          gone.insert(place)
          edits.append(.delete(place))
        } else {
          let value: Value = random.chance(20) ? .null : .text("é\"\(random.below(1000))")
          model[place][0] = value
          edits.append(.set(place, "title", value))
        }
      }
      model = model.enumerated().filter { !gone.contains($0.offset) }.map(\.element)
      for _ in 0..<random.below(4) {
        let year = Value.integer(Int64(random.below(3000)))
        edits.append(.insert(["year": year, "title": .text("new")]))
        model.append([.text("new"), year])
      }
      if edits.isEmpty { continue }
      try store.commit(edits)
      #expect(try store.records().map(\.orderedValues) == model, "seed \(seed)")
      #expect(try store.check() == [], "seed \(seed)")
      if random.chance(30), !model.isEmpty {
        store = try fixture.open()
        #expect(try store.records().map(\.orderedValues) == model, "seed \(seed)")
      }
    }
  }
}
