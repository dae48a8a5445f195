import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// Changes of an open file by other programs.
///
/// Covers D10.
@Suite struct JSONRefreshTests {
  /// The names of the records in order, each with the number that identifies it.
  private func people(_ store: JSONStore) throws -> [String] {
    try store.records().map { "\($0.persistentIdentifier) \($0["name"]?.text ?? "")" }
  }

  private static func line(_ name: String, _ age: Int) -> String {
    "{\"name\":\"\(name)\",\"age\":\(age),\"town\":\"Rome\"}"
  }

  private static func text(_ people: [(String, Int)]) -> String {
    "[\n" + people.map { " " + line($0.0, $0.1) }.joined(separator: ",\n") + "\n]\n"
  }

  private static let three = text([("Ann", 30), ("Bob", 41), ("Cid", 52)])

  @Test(
    arguments: [
      ("one put first", [("Zoe", 7), ("Ann", 30), ("Bob", 41), ("Cid", 52)], "4 1 2 3"),
      ("one taken out", [("Ann", 30), ("Cid", 52)], "1 3"),
      ("two exchanged", [("Cid", 52), ("Bob", 41), ("Ann", 30)], "3 2 1"),
      ("one changed in place", [("Ann", 30), ("Bob", 42), ("Cid", 52)], "1 2 3"),
      ("one doubled", [("Ann", 30), ("Ann", 30), ("Bob", 41), ("Cid", 52)], "1 4 2 3"),
      ("first taken out, last changed", [("Bob", 41), ("Cid", 53)], "2 3"),
      ("all taken out", [], ""),
    ] as [(String, [(String, Int)], String)]
  )
  func recordsKeepTheirNumbers(what: String, after: [(String, Int)], numbers: String) throws {
    let fixture = try JSONFixture(Self.three)
    let store = try fixture.open()
    try fixture.folder.put(fixture.name, Self.text(after))
    try store.refresh()
    let found = try store.records().map { "\($0.persistentIdentifier)" }.joined(separator: " ")
    #expect(found == numbers, "\(what)")
    #expect(try store.records().map { $0["name"]?.text ?? "" } == after.map(\.0))
    #expect(try store.check().isEmpty)
  }

  @Test func recordsOfACatalogAreNamedByTheFile() throws {
    let fixture = try JSONFixture(name: "new.json")
    let entity = Schema.Entity(
      "Person",
      attributes: [Schema.Attribute("name", .text), Schema.Attribute("age", .integer)]
    )
    let store = try fixture.open(schema: Schema(entity))
    try store.commit([.insert(["name": .text("Ann")]), .insert(["name": .text("Bob")])])
    let other = try fixture.open()
    try other.commit([.set(0, "age", .integer(9)), .delete(1), .insert(["name": .text("Cid")])])
    let heard = Mutex<[StoreChange]>([])
    let subscription = store.changeFeed.observe { change in heard.withLock { $0.append(change) } }
    defer { subscription.cancel() }
    let before = try store.records().map(\.persistentIdentifier)
    try store.refresh()
    let after = try store.records().map(\.persistentIdentifier)
    #expect(after == (try other.records().map(\.persistentIdentifier)))
    let change = try #require(heard.withLock { $0.first })
    #expect(change.updated == [before[0]] && change.deleted == [before[1]])
    #expect(change.inserted == [after[1]] && !change.isIncomplete)
    // The history of the session contains it as well.
    let history = try store.transactions(after: nil, touching: before[1])
    #expect(history.map(\.isExternal) == [false, true])
    try store.refresh()
    #expect(heard.withLock { $0.count } == 1, "nothing new, nothing told")
  }

  @Test func aSaveGoesOnTopOfWhatOthersWrote() throws {
    let fixture = try JSONFixture(Self.three)
    let store = try fixture.open()
    try fixture.folder.put(
      fixture.name,
      Self.text([("Zoe", 7), ("Ann", 31), ("Bob", 41), ("Cid", 52)])
    )
    try store.commit([.set(0, "name", .text("Anna")), .delete(2)])
    #expect(try fixture.text == Self.text([("Zoe", 7), ("Anna", 31), ("Bob", 41)]))
    #expect(try store.check().isEmpty)
    #expect(try people(store) == ["4 Zoe", "1 Anna", "2 Bob"])
  }

  @Test(
    arguments: [
      "[{\"a\": 2}, {\"a\": 1}]", "[{\"a\":1},{\"a\":2}] ", "[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n",
      "[{\"a\":1},{\"a\":2}]",
    ]
  )
  func reformattedFileDoesNotConflict(text: String) throws {
    let fixture = try JSONFixture(#"[{"a":1},{"a":2}]"#)
    let store = try fixture.open()
    try fixture.folder.put(fixture.name, text)
    try store.commit([.set(0, "a", .integer(9))])
    #expect(try fixture.text == text.replacingOccurrences(of: "1", with: "9"))
    #expect(try store.check().isEmpty)
  }

  // Covers D02.
  @Test func theSameValueChangedByBothIsAConflictAndNothingIsWritten() throws {
    let fixture = try JSONFixture(Self.three)
    let store = try fixture.open()
    let theirs = Self.text([("Ann", 31), ("Bob", 41), ("Cid", 52)])
    try fixture.folder.put(fixture.name, theirs)
    let error = #expect(throws: PersistenceError.self) {
      try store.commit([.set(0, "age", .integer(32)), .set(1, "age", .integer(1))])
    }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("films.age: changed by another program") == true)
    #expect(try fixture.text == theirs)
  }

  /// A record that another program changed in most values was once taken for a deleted one and a new one.
  @Test func aRecordIsKnownByItsKeyAfterMostValuesChanged() throws {
    let rest = #"{"id":2,"a":0,"b":0,"c":0,"d":0}"#
    let fixture = try JSONFixture(#"[{"id":1,"a":0,"b":0,"c":0,"d":0},\#(rest)]"#)
    let store = try fixture.open()
    try fixture.folder.put(fixture.name, #"[\#(rest),{"id":1,"a":0,"b":5,"c":6,"d":7}]"#)
    try store.commit([.set(0, "a", .integer(9))])
    #expect(try fixture.text == #"[\#(rest),{"id":1,"a":9,"b":5,"c":6,"d":7}]"#)
    // Another key is another record.
    let former = try store.records().map(\.persistentIdentifier)
    try fixture.folder.put(fixture.name, #"[\#(rest),{"id":3,"a":1,"b":1,"c":1,"d":1}]"#)
    try store.refresh()
    let now = try store.records().map(\.persistentIdentifier)
    #expect(now[0] == former[0] && now[1] != former[1])
  }

  /// All rows were once other records after the type of a column had changed, and edits of them conflicts.
  @Test func rowsStayTheSameWhenAnAddedOneChangesTheTypeOfAColumn() throws {
    let rows = (0..<150).map {
      "\("ABCDE".dropFirst($0 / 30).first ?? "X"),d\($0 % 30),\($0 % 30).\($0 % 9)0\n"
    }
    let text = "sku,day,price\n" + rows.joined()
    let fixture = try JSONFixture(text, name: "prices.csv")
    let store = try fixture.open()
    let former = try store.records().map(\.persistentIdentifier)
    try fixture.folder.put(fixture.name, text + "F,d1,n/a\n")
    try store.refresh()
    let now = try store.records()
    #expect(now.last?["price"] == .text("n/a"))
    #expect(now.dropLast().map(\.persistentIdentifier) == former)
  }

  @Test func twoStoresSaveInTurnWithoutLoss() throws {
    let fixture = try JSONFixture(Self.three)
    let stores = [try fixture.open(), try fixture.open()]
    for round in 1...20 {
      let name = "new \(round)"
      try stores[round % 2].commit([
        .insert(["name": .text(name), "age": .integer(Int64(round)), "town": .text("Oslo")])
      ])
    }
    for store in stores { try store.refresh() }
    let names = try stores[0].records().map { $0["name"]?.text ?? "" }
    #expect(names == ["Ann", "Bob", "Cid"] + (1...20).map { "new \($0)" })
    #expect(try stores[1].records().map { $0["name"]?.text ?? "" } == names)
  }

  // Covers D10.
  @Test func aTouchedFileIsTheSameFile() throws {
    let fixture = try JSONFixture(Self.three)
    let store = try fixture.open()
    try fixture.folder.put(fixture.name, Self.three)
    let heard = Mutex(0)
    let subscription = store.changeFeed.observe { _ in heard.withLock { $0 += 1 } }
    defer { subscription.cancel() }
    try store.refresh()
    #expect(heard.withLock { $0 } == 0)
  }

  // Covers D11.
  @Test func unreadableFilesLeaveRecordsUnchanged() throws {
    let fixture = try JSONFixture(Self.three)
    let store = try fixture.open()
    let before = try people(store)
    try fixture.folder.put(fixture.name, "[\n {\"name\":")
    let damaged = #expect(throws: PersistenceError.self) { try store.refresh() }
    #expect(damaged?.code == .damaged)
    #expect(throws: PersistenceError.self) { try store.commit([.delete(0)]) }
    #expect(try fixture.text == "[\n {\"name\":")
    try FileManager.default.removeItem(atPath: fixture.path)
    let removed = #expect(throws: PersistenceError.self) { try store.commit([.delete(0)]) }
    #expect(removed?.code == .conflict)
    #expect(removed?.message.contains("removed by another program") == true)
    #expect(try fixture.folder.names() == [])
    #expect(try people(store) == before)
    // Once the file is restored, saving works again.
    try fixture.folder.put(fixture.name, Self.three)
    try store.commit([.delete(0)])
    #expect(try people(store) == ["2 Bob", "3 Cid"])
  }

  @Test func anotherCatalogInItsPlaceIsNotWrittenTo() throws {
    let fixture = try JSONFixture(name: "new.json")
    let entity = Schema.Entity("Person", attributes: [Schema.Attribute("name", .text)])
    let store = try fixture.open(schema: Schema(entity))
    try store.commit([.insert(["name": .text("Ann")])])
    let other = try JSONFixture(name: "new.json")
    let stranger = try JSONStore(
      JSONStoreConfiguration(path: other.path, schema: Schema(entity.copied()))
    )
    try stranger.commit([.insert(["name": .text("Bob")])])
    let theirs = try other.text
    try fixture.folder.put("new.json", theirs)
    let error = #expect(throws: PersistenceError.self) { try store.commit([.delete(0)]) }
    #expect(error?.code == .conflict)
    #expect(error?.message.contains("replaced by a different file") == true)
    #expect(try fixture.text == theirs)
  }

  @Test func fieldsThatOnlyExistInMemoryStay() throws {
    let fixture = try JSONFixture(Self.three)
    let store = try fixture.open()
    try store.apply(.addAttribute(entity: "films", Schema.Attribute("note", .text)), author: nil)
    try fixture.folder.put(fixture.name, Self.text([("Ann", 30), ("Bob", 41)]))
    try store.refresh()
    try store.commit([.set(1, "note", .text("tall"))])
    #expect(try fixture.text.contains("\"town\":\"Rome\",\"note\":\"tall\"}\n]"))
  }

  @Test(arguments: 1...testRounds(40))
  func randomChangesByOthersLoseNothing(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    var theirs = (0..<12).map { ("p\($0)", Int.random(in: 0...2, using: &random)) }
    let fixture = try JSONFixture(Self.text(theirs))
    let store = try fixture.open()
    for _ in 0..<6 {
      // Another program moves, adds, removes and changes people.
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0...theirs.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: theirs.insert(("n\(Int.random(in: 0...99, using: &random))", 1), at: place)
        case 1 where place < theirs.count: theirs.remove(at: place)
        case 2 where place < theirs.count: theirs[place].1 += 10
        default: theirs.shuffle(using: &random)
        }
      }
      try fixture.folder.put(fixture.name, Self.text(theirs))
      try store.refresh()
      let records = try store.records()
      try #require(records.map { $0["name"]?.text ?? "" } == theirs.map(\.0), "seed \(seed)")
      try #require(records.map { $0["age"] } == theirs.map { .integer(Int64($0.1)) })
      try #require(Set(records.map(\.persistentIdentifier)).count == records.count)
      guard !theirs.isEmpty else { return }
      let place = Int.random(in: 0..<theirs.count, using: &random)
      theirs[place].1 += 100
      try store.commit([.set(place, "age", .integer(Int64(theirs[place].1)))])
      try #require(try fixture.text == Self.text(theirs), "seed \(seed)")
    }
  }
}

extension Schema.Entity {
  /// The same for another schema.
  fileprivate func copied() -> Schema.Entity { Schema.Entity(name, attributes: fields) }
}
