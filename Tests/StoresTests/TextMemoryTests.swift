import DataStoreTesting
import Foundation
import OpenSwiftData
import Testing

@testable import Stores

/// A value that a record had before gets back its spelling.
@Suite struct TextMemoryTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    let name: String
    let text: String
    var testDescription: String { name }
  }

  private static let members = [
    #"{"k":1, "a" : 1.50,"t":"\u00e9x" , "j":[1,  2.0]}"#,
    #"{"t":"a\/b", "k": 2, "a":1e3, "j" : {"x" :1.0}, "k2": 7}"#,
    #"{"k" :3}"#,
    #"{"k":4,"a":2.00, "j":[ ]}"#,
  ]

  private static let samples: [Sample] = [
    Sample(
      name: "films.csv",
      text: "k,a,t\n1,1.50,\"x\"\n2,2.00\n3,1e3,z,more,\"yet\"\n04,,\"\"\n5,\"7.0\",\"a, b\"\n"
    ),
    Sample(name: "films.tsv", text: "k\ta\tt\r\n1\t1.50\tx\\ty\r\n2\t1E3\r\n3\t7.0\tz\r\n"),
    Sample(name: "array.json", text: "[\n  \(members.joined(separator: ",\n  "))\n]\n"),
    Sample(name: "films.jsonl", text: members.joined(separator: "\n")),
    Sample(
      name: "films.json",
      text: "{\"b\": [{\"n\": 1}],\n\"a\": [\n\(members.joined(separator: ",\n"))]}\n"
    ),
    Sample(
      name: "named.json",
      text: "{\n"
        + zip([#""a" "#, #""\u0062""#, #""c\/d""#, #""""#], members).map { "\($0): \($1)" }
        .joined(separator: ",\n") + "\n}\n"
    ),
  ]

  /// A catalog with defaults, absent members and one without a field.
  private static func catalog() throws -> JSONFixture {
    let fixture = try JSONFixture()
    let schema = Schema([
      Schema.Entity(
        "film",
        attributes: [
          Schema.Attribute("t", .text), Schema.Attribute("a", .decimal),
          Schema.Attribute("d", .integer, defaultValue: .integer(5)), Schema.Attribute("j", .json),
        ]
      )
    ])
    let store = try fixture.open(schema: schema)
    try store.commit((1...4).map { .insert(["t": .text("t\($0)"), "d": .integer($0)]) })
    var text = try fixture.text
    text.replace("\"t\": \"t1\"", with: "\"t\" :\"\\u00e91\", \"a\" : 1.50, \"mine\": [1.0, 2]")
    text.replace("\"t\": \"t2\"", with: "\"j\":[1 ], \"t\": \"t\\/2\"")
    text.replace(", \"d\": 3", with: "")
    try fixture.folder.put(fixture.name, text)
    return fixture
  }

  @Test(arguments: samples, 1...testRounds(8))
  func undoAndRedoRestoreTheBytes(sample: Sample, seed: Int) throws {
    try Self.wander(in: try JSONFixture(sample.text, name: sample.name), UInt64(seed))
  }

  @Test(arguments: 1...testRounds(8))
  func undoAndRedoRestoreTheBytesOfACatalog(seed: Int) throws {
    try Self.wander(in: Self.catalog(), UInt64(seed))
  }

  /// Saves random changes, undoes and redoes them in any order; each state always has the same bytes.
  private static func wander(in fixture: JSONFixture, _ seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try fixture.open()
    let findings = try store.check()
    var states = [try fixture.text]
    var done: [ChangeSet] = []
    var undone: [ChangeSet] = []
    func undo() throws {
      guard let changes = done.popLast() else { return }
      _ = try store.commit(changes.inverse, author: nil)
      undone.append(changes)
      try #require(try fixture.text == states[done.count], "\(fixture.name), seed \(seed)")
    }
    for _ in 0..<30 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: try undo()
      case 1:
        guard let changes = undone.popLast() else { continue }
        _ = try store.commit(changes, author: nil)
        done.append(changes)
        try #require(try fixture.text == states[done.count], "\(fixture.name), seed \(seed)")
      default:
        let changes = try changes(store, &random)
        if changes.isEmpty { continue }
        let result = try store.commit(changes, author: nil)
        done.append(changes.remapped(result.remappedIdentifiers))
        states = states[..<done.count] + [try fixture.text]
        undone = []
      }
    }
    while !done.isEmpty { try undo() }
    #expect(try store.check() == findings)
  }

  /// Random changes of one to three records, few of them new or deleted.
  private static func changes(_ store: JSONStore, _ random: inout SeededGenerator) throws
    -> ChangeSet
  {
    let name = try #require(store.schema.entities.randomElement(using: &random)).name
    let entity = try store.schema.entity(named: name)
    var records = try store.records(name)
    var changes = ChangeSet()
    if Int.random(in: 0..<8, using: &random) == 0, records.count > 2 {
      changes.deleted = [records.remove(at: Int.random(in: records.indices, using: &random))]
    }
    if Int.random(in: 0..<8, using: &random) == 0 {
      changes.inserted = [
        DefaultSnapshot(
          persistentIdentifier: IdentifierScope(store: nil, entity: name)
            .temporaryIdentifier(1, context: 1),
          layout: entity.layout,
          orderedValues: entity.fields.map { value(of: $0, &random) }
        )
      ]
    }
    for record in records.shuffled(using: &random).prefix(Int.random(in: 1...3, using: &random)) {
      var after = record
      for _ in 0...Int.random(in: 0...1, using: &random) {
        let slot = Int.random(in: entity.fields.indices, using: &random)
        after.orderedValues[slot] = value(of: entity.fields[slot], &random)
      }
      if after != record { changes.updated.append(RecordUpdate(before: record, after: after)) }
    }
    return changes
  }

  private static func value(of field: Schema.Attribute, _ random: inout SeededGenerator) -> Value {
    if field.name == JSONLayout.nameField {
      return .text("k\(Int.random(in: 0..<1_000_000, using: &random))")
    }
    let numbers: [Double] = [1.5, 2, 1000, 7, 0.25]
    let number = numbers.randomElement(using: &random) ?? 0
    if Int.random(in: 0..<4, using: &random) == 0 { return .null }
    switch field.type {
    case .integer: return .integer(Int64(number))
    case .number: return .number(number)
    case .decimal: return .decimal(Decimal(number))
    case .text:
      return .text(["x", "éx", "a/b", "", "z, \"y\""].randomElement(using: &random) ?? "")
    case .json:
      return .json(["[1,2.0]", "[]", "{\"x\":1.0}", "[1,3]"].randomElement(using: &random) ?? "[]")
    default: return .null
    }
  }

  // MARK: Single values

  /// Another value of the record differs from that of each former text.
  @Test func singleValuesGetBackTheirSpelling() throws {
    let text = #"[{"a":1.50, "b":1e3, "t":"\u00e9x"},{"t":"\u00e9x", "n":1}]"#
    let fixture = try JSONFixture(text, name: "array.json")
    let store = try fixture.open()
    try store.commit([.set(0, "a", .decimal(10)), .set(0, "n", .integer(1))])
    try store.commit([.set(0, "t", .text("y"))])
    try store.commit([.set(0, "b", .number(7))])
    try store.commit([.set(0, "t", .text("éx"))])
    try store.commit([.set(0, "n", .null), .set(1, "t", .null)])
    try store.commit([.set(0, "a", .decimal(1.5))])
    #expect(try fixture.text == #"[{"a":1.50, "b":7, "t":"\u00e9x"},{"t":null, "n":1}]"#)
    try store.commit([.set(0, "b", .number(1000)), .set(1, "t", .text("éx"))])
    #expect(try fixture.text == text)
  }

  @Test func fieldsOfSeparatedValuesGetBackTheirSpelling() throws {
    let fixture = try JSONFixture("a,b,t\n1.50,2.00,\"x\"\n3.0,1\n", name: "films.csv")
    let store = try fixture.open()
    try store.commit([.set(0, "a", .decimal(10)), .set(0, "t", .text("y"))])
    try store.commit([.set(0, "b", .decimal(7))])
    try store.commit([.set(0, "a", .decimal(1.5)), .set(0, "t", .text("x"))])
    #expect(try fixture.text == "a,b,t\n1.50,7,\"x\"\n3.0,1\n")
  }

  /// The two ways to write é are different values.
  @Test(arguments: [("films.csv", "t,n\n\u{E9},1\n"), ("array.json", "[{\"t\":\"\u{E9}\"}]")])
  func anotherNormalizationIsAnotherValue(name: String, text: String) throws {
    let fixture = try JSONFixture(text, name: name)
    let store = try fixture.open()
    try store.commit([.set(0, "t", .text("x"))])
    try store.commit([.set(0, "t", .text("e\u{301}"))])
    #expect(try fixture.text.unicodeScalars.contains("\u{301}"))
    try store.commit([.set(0, "t", .text("\u{E9}"))])
    #expect(try fixture.text.isSpelled(like: text))
  }

  @Test func textsBeforeAChangeByAnotherProgramAreDropped() throws {
    let fixture = try JSONFixture("a,b\n1.50,2.00\n3.0,1\n", name: "films.csv")
    let store = try fixture.open()
    try store.commit([.set(0, "a", .decimal(10))])
    try fixture.folder.put(fixture.name, "a,b\n10,2.00\n3.0,7\n")
    try store.refresh()
    try store.commit([.set(0, "a", .decimal(1.5))])
    #expect(try fixture.text == "a,b\n1.5,2.00\n3.0,7\n")
  }

  /// An absent member has the default, which is another one now.
  @Test func textsWithAnotherDefaultAreNotUsed() throws {
    let fixture = try Self.catalog()
    let store = try fixture.open()
    try store.commit([.set(2, "d", .integer(9))])
    let film = try store.schema.entity(named: "film")
    let changed = Schema([
      Schema.Entity(
        "film",
        attributes: film.fields.map {
          $0.name == "d" ? Schema.Attribute("d", .integer, defaultValue: .integer(6)) : $0
        }
      )
    ])
    let origins = Dictionary(uniqueKeysWithValues: film.fields.map { ($0.name, $0.name) })
    let replacement = SchemaReplacement(schema: changed, origins: ["film": origins])
    try store.apply(.replaceSchema(replacement), author: nil)
    try store.commit([.set(2, "d", .integer(5))])
    #expect(try fixture.text.contains("\"d\": 5"))
    #expect(try fixture.open().records()[2]["d"] == .integer(5))
  }

  @Test func manyChangesKeepNoTexts() throws {
    let count = TextMemory.limitOfUpdates + 1
    let text = "a\n" + String(repeating: ".5\n", count: count)
    let fixture = try JSONFixture(text, name: "films.csv")
    let store = try fixture.open()
    try store.commit((0..<count).map { .set($0, "a", .decimal(2)) })
    try store.commit((0..<count).map { .set($0, "a", .decimal(0.5)) })
    #expect(try fixture.text == text.replacing(".5", with: "0.5"))
  }

  // MARK: Memory

  @Test func theOldestTextsAreGivenUp() {
    let scope = IdentifierScope(store: nil, entity: "film")
    let bytes = [UInt8](repeating: 0x20, count: TextMemory.limitBytes / 2 - 16)
    let texts = (0..<5).map {
      FormerText(record: scope.identifier(number: $0), fields: [], bytes: bytes)
    }
    var memory = TextMemory()
    for text in texts { memory.keep([text]) }
    #expect(texts.filter { !memory.texts(of: $0.record).isEmpty } == Array(texts[2...]))
  }

  @Test func aTextThatComesAgainIsTheNewestOne() {
    let record = IdentifierScope(store: nil, entity: "film").identifier(number: 1)
    let texts = (0..<3).map { FormerText(record: record, fields: [], bytes: [UInt8($0)]) }
    var memory = TextMemory()
    for place in [0, 1, 0] { memory.keep([texts[place]]) }
    memory.keep(earlier: [[texts[2]], [texts[1]]])
    #expect(memory.texts(of: record) == [texts[0], texts[1], texts[2]])
  }
}
