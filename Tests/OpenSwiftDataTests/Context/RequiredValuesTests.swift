import Foundation
import Testing

@testable import OpenSwiftData

/// Queries for certain values, which look only at the unsaved changes of records with these values.
@Suite struct RequiredValuesTests {
  private static let entity = Schema.Entity(
    "Item",
    attributes: [
      .init("text", .text), .init("integer", .integer), .init("number", .number),
      .init("decimal", .decimal), .init("date", .date), .init("datetime", .datetime),
      .init("uuid", .uuid), .init("json", .json), .init("link", .link("Item")),
      .init("group", .text), .init("count", .integer),
    ]
  )
  private static let count = 200

  private let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(configurations: FlawedConfiguration(schema: Schema(Self.entity)))
    )
  }

  /// Values of each type that no two records share.
  private static func values(_ number: Int) -> [Value] {
    let scope = IdentifierScope(store: "s", entity: "Item")
    return [
      .text("k\(number)"), .integer(Int64(number)), .number(Double(number) + 0.5),
      .decimal(Decimal(number) + Decimal(1) / 10),
      .date(CalendarDate(daysSince1970: Int32(number))),
      .datetime(Date(timeIntervalSinceReferenceDate: Double(number))),
      .uuid(UUID(high: 1, low: UInt64(number))), .json("[\(number)]"),
      .link(scope.identifier(number: number + 1)), .text("g\(number % 2)"), .null,
    ]
  }

  private func insertAll() throws {
    try context.insert((0..<Self.count).map(Self.values), of: Self.entity)
  }

  /// The changes at which a query looks, once several of its kind were asked.
  private func examined(_ filter: Filter) throws -> [ModelState] {
    let required = try #require(RequiredValues(filter, Self.entity.layout), "\(filter)")
    var found: [ModelState] = []
    for _ in 0..<4 {
      found = try context.pending.states(of: "Item", affecting: nil, requiring: required)
    }
    return found
  }

  @Test(arguments: 0..<9)
  func aQueryForAValueOfAnyTypeLooksAtItsChangesAlone(slot: Int) throws {
    try insertAll()
    let name = Self.entity.layout.names[slot]
    for number in [0, 7, Self.count - 1] {
      let value = Self.values(number)[slot]
      let one = try examined(.compare(name, .equal, value))
      #expect(one.map { $0.orderedValues[slot] } == [value])
      let two = try examined(.isIn(name, [value, Self.values(3)[slot]]))
      #expect(two.count == 2)
    }
  }

  @Test func numbersOfOtherKindsAreFound() throws {
    try insertAll()
    let half = try #require(Decimal(string: "7.5"))
    #expect(try examined(.compare("number", .equal, .decimal(half))).count == 1)
    #expect(try examined(.compare("integer", .equal, .number(7))).count == 1)
    #expect(try examined(.compare("decimal", .equal, .number(7.1))).count == 1)
  }

  @Test func theConditionWithTheFewestRecordsDecides() throws {
    try insertAll()
    let group = Filter.compare("group", .equal, .text("g1"))
    #expect(try examined(group).count == Self.count / 2)
    #expect(try examined(.and([group, .compare("integer", .equal, .integer(7))])).count == 1)
    let either = Filter.or([.compare("integer", .equal, .integer(7)), .isNull("integer")])
    #expect(try examined(either).count == 1)
    #expect(try examined(.and([.isNull("count"), either])).count == 1)
  }

  @Test(
    arguments: [
      .all, .compare("integer", .greater, .integer(1)), .not(.isNull("integer")),
      .or([.isNull("integer"), .isNull("text")]), .anyText(TextMatch(.contains, "x")),
    ] as [Filter]
  )
  func otherFiltersRequireNoValue(filter: Filter) {
    #expect(RequiredValues(filter, Self.entity.layout) == nil)
  }

  /// A block of packed changes whose records had one value and have another is left out by queries for third values.
  @Test func packedChangesOfOtherValuesAreLeftOut() throws {
    try insertAll()
    try context.save()
    let slot = try #require(Self.entity.layout.slot(of: "group"))
    let all = try context.fetchIdentifiers(
      matching: Query("Item", filter: .compare("group", .equal, .text("g1")))
    )
    try context.packingChanges {
      for state in try context.states(for: all) { state.set(.text("h"), at: slot) }
    }
    let block = try #require(context.pending.blocks.first)
    func mayHave(_ filter: Filter) throws -> Bool {
      block.mayHave(try #require(RequiredValues(filter, Self.entity.layout)))
    }
    #expect(try mayHave(.compare("group", .equal, .text("g1"))))
    #expect(try mayHave(.compare("group", .equal, .text("h"))))
    #expect(try mayHave(.compare("integer", .equal, .integer(-1))), "the numbers differ")
    #expect(try !mayHave(.compare("group", .equal, .text("g0"))))
    #expect(try !mayHave(.and([.isNull("count"), .compare("group", .equal, .text("g0"))])))
    #expect(try !mayHave(.compare("count", .equal, .integer(1))))
  }

  @Test func entitiesWithoutChangesAreKnownToHaveNone() throws {
    #expect(!context.pending.mayContain(entity: "Item"))
    try insertAll()
    #expect(context.pending.mayContain(entity: "Item"))
    #expect(!context.pending.mayContain(entity: "Person"))
    context.rollback()
    #expect(!context.pending.mayContain(entity: "Item"))
  }
}
