import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// Tables of many fields, most of whose cells are empty.
@Suite struct WideTableTests {
  /// The given number of records, each with its own key, and every third with a common key.
  private static func text(_ count: Int) -> String {
    "["
      + (0..<count).map { row in
        "{\"k\(row)\":\(row)" + (row % 3 == 0 ? ",\"common\":\"c\(row)\"}" : "}")
      }
      .joined(separator: ",\n") + "]"
  }

  /// Formerly, the cost of each row was the number of fields: 13 seconds in total.
  @Test func openingCostsWhatTheFileHolds() throws {
    let fixture = try JSONFixture(Self.text(20_000))
    let start = ContinuousClock.now
    #expect(try fixture.open().count(matching: Query("films")) == 20_000)
    #expect(ContinuousClock.now - start < .seconds(5))
  }

  @Test func everyRecordMayHaveAKeyOfItsOwn() throws {
    let count = 5_000
    let fixture = try JSONFixture(Self.text(count))
    let store = try fixture.open()
    #expect(try store.count(matching: Query("films")) == count)
    #expect(store.schema.entities[0].fields.count == count + 1)
    // With a slot for every record in every column there would be 25 million slots.
    let places = store.withSession { state in
      state.content.table.tables[0].columns.reduce(0) { $0 + $1.count }
    }
    #expect(places <= 2 * count)
    for (filter, expected) in [
      (Filter.compare("k4999", .equal, .integer(4_999)), 1), (.isNull("k5"), count - 1),
      (.not(.isNull("common")), (count + 2) / 3), (.compare("common", .equal, .text("c4998")), 1),
      (.compare("k7", .greater, .integer(7)), 0),
    ] {
      #expect(try store.count(matching: Query("films", filter: filter)) == expected)
    }
    let sorted = Query("films", sort: [SortKey("k2500", isDescending: true)], limit: 2)
    #expect(try store.snapshots(matching: sorted)[0]["k2500"] == .integer(2500))
    let some = Query("films", limit: 4, offset: 5, attributes: ["k5", "common"])
    #expect(
      try store.snapshots(matching: some).map(\.orderedValues).prefix(2) == [
        [.integer(5), .null], [.null, .text("c6")],
      ]
    )
    let error = try #require(throws: PersistenceError.self) {
      try store.snapshots(matching: Query("films"))
    }
    #expect(error.message.hasPrefix("5000 records of films with 5001 fields each do not fit"))
    // A save changes only the one cell.
    let record = try store.snapshots(matching: Query("films", limit: 1, offset: 4))[0]
    var after = record
    let slot = try #require(record.layout.slot(of: "k4"))
    after.orderedValues[slot] = .integer(50)
    _ = try store.commit(
      ChangeSet(updated: [RecordUpdate(before: record, after: after)]),
      author: nil
    )
    #expect(try fixture.text == Self.text(count).replacing("{\"k4\":4}", with: "{\"k4\":50}"))
  }

  /// Values of every type, of which the given percentage is present.
  private static func table(_ seed: UInt64, _ rows: Int, wide: Bool) throws -> RecordTable {
    var random = SeededGenerator(seed: seed)
    let types: [AttributeType] = [
      .text, .integer, .number, .decimal, .boolean, .date, .datetime, .uuid, .json, .link("E"),
      .links("E"),
    ]
    let fields =
      types.enumerated().flatMap { place, type in
        [1, 20, 90].map { Schema.Attribute("f\(place)_\($0)", type) }
      } + (wide ? (0..<300).map { Schema.Attribute("empty\($0)", .text) } : [])
    let schema = Schema(Schema.Entity("E", attributes: fields))
    var table = RecordTable(schema: schema, storeIdentifier: "s")
    let scope = IdentifierScope(store: "s", entity: "E")
    let layout = schema.entities[0].layout
    func value(_ type: AttributeType, _ number: Int) -> Value {
      switch type {
      case .text: .text("t\(number)")
      case .integer: .integer(Int64(number))
      case .number: .number(Double(number) / 3)
      case .decimal: .decimal(Decimal(number) / 8)
      case .boolean: .boolean(number % 2 == 0)
      case .date: .date(CalendarDate(daysSince1970: Int32(number)))
      case .datetime: .datetime(Date(timeIntervalSinceReferenceDate: Double(number)))
      case .uuid: .uuid(UUID(high: UInt64(number), low: 7))
      case .json: .json("[\(number)]")
      case .link: .link(scope.identifier(number: 1))
      case .links: .links([scope.identifier(number: 1), scope.identifier(number: 2)])
      }
    }
    func values() -> [Value] {
      fields.map { field in
        // No random number is used here, so that an ordinary table with the same seed has the same
        // values.
        guard let percent = field.name.split(separator: "_").dropFirst().first.flatMap({ Int($0) })
        else { return .null }
        return Int.random(in: 0..<100, using: &random) < percent
          ? value(field.type, Int.random(in: 0..<50, using: &random)) : .null
      }
    }
    for number in 1...rows {
      let record = DefaultSnapshot(
        persistentIdentifier: scope.identifier(number: number),
        layout: layout,
        orderedValues: values()
      )
      table.apply(ChangeSet(inserted: [record]))
      let other = Int.random(in: 1...number, using: &random)
      if number % 3 == 0, let row = table.row(of: scope.identifier(number: other)) {
        let before = table.snapshot(entity: "E", row: row)
        var after = before
        after.orderedValues = values()
        table.apply(ChangeSet(updated: [RecordUpdate(before: before, after: after)]))
      } else if number % 7 == 0, let row = table.row(of: scope.identifier(number: other)) {
        let gone = table.snapshot(entity: "E", row: row)
        table.apply(ChangeSet(deleted: [gone]))
        if number % 2 == 0 { table.apply(ChangeSet(inserted: [gone])) }
      }
    }
    if seed % 2 == 0 { _ = table.compactRows() }
    return table
  }

  @Test(arguments: [1, 2] as [UInt64])
  func aWideTableAnswersAsAnOrdinaryOne(seed: UInt64) throws {
    // The same random numbers give the same values.
    let narrow = try Self.table(seed, 100, wide: false)
    let wide = try Self.table(seed, 100, wide: true)
    wide.checkInvariants()
    let fields = narrow.schema.entities[0].fields
    let names = fields.map(\.name)
    func rows(_ table: RecordTable, _ query: Query) throws -> [[Value]] {
      try table.snapshots(matching: query).map(\.orderedValues)
    }
    for field in fields {
      let some = try rows(narrow, Query("E", attributes: [field.name])).first { !$0[0].isNull }
      let filters: [Filter] =
        [.all, .isNull(field.name)]
        + (some.map { value in
          [.equal, .less, .greaterOrEqual].map { .compare(field.name, $0, value[0]) }
        } ?? [])
      for filter in filters {
        for sort in [[], [SortKey(field.name)], [SortKey(field.name, isDescending: true)]] {
          let query = Query("E", filter: filter, sort: sort, attributes: names)
          #expect(try rows(wide, query) == rows(narrow, query), "seed \(seed), \(query)")
        }
      }
    }
    let all = Query("E")
    #expect(
      try rows(wide, all).map { Array($0.prefix(names.count)) } == rows(narrow, all),
      "seed \(seed)"
    )
  }
}
