import Foundation
import OpenSwiftData
import Testing

@testable import SQL

/// Values of a server in binary form, and what it is asked.
@Suite struct ServerTypeTests {
  private func value(_ type: ServerType, _ bytes: [UInt8]) -> Value? {
    bytes.withUnsafeBytes { type.value($0) }
  }

  @Test(
    arguments: [
      (ServerType.int2, [0xFF, 0xF9] as [UInt8], Value.integer(-7)),
      (.bool, [1], .boolean(true)), (.float4, [0x3F, 0, 0, 0], .number(0.5)),
      (.date, [0, 0, 0, 0], .date(CalendarDate(daysSince1970: 10_957))),
      // Two groups, of which the second one is after the point: 1.0005.
      (.numeric, [0, 2, 0, 0, 0, 0, 0, 4, 0, 1, 0, 5], .decimal(Decimal(string: "1.0005") ?? 0)),
      (.numeric, [0, 1, 0, 1, 0x40, 0, 0, 0, 0, 3], .decimal(-30_000)),
    ]
  )
  func bytesAreValues(_ type: ServerType, _ bytes: [UInt8], _ expected: Value) {
    #expect(value(type, bytes) == expected)
  }

  @Test(
    arguments: [
      (ServerType.date, [0x7F, 0xFF, 0xFF, 0xFF] as [UInt8]),
      (.timestamptz, [0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
      (.numeric, [0, 0, 0, 0, 0xC0, 0, 0, 0]), (.int4, [1]), (.numeric, [0, 9]),
    ]
  )
  func whatHasNoFormIsNoValue(_ type: ServerType, _ bytes: [UInt8]) {
    #expect(value(type, bytes) == nil)
  }

  private var table: TableDescription {
    var table = ServerTable(1, schema: "public", name: "t", kind: "r")
    table.columns = [
      ServerColumn(1, "id", "int8"), ServerColumn(2, "a", "text"), ServerColumn(3, "n", "int4"),
    ]
    table.keys = [[1]]
    return ServerTables([table], first: "public", misfits: [], store: "s").tables[0]
  }

  @Test(
    arguments: [
      (Filter.compare("n", .greater, .integer(5)), "\"n\" > $1::int8", true),
      (.compare("n", .less, .number(1.5)), "\"n\" < $1::numeric", true),
      (.compare("a", .less, .text("b")), "\"a\" COLLATE \"C\" < $1::text", true),
      (.compare("a", .equal, .text("b\0")), "TRUE", false),
      (.isIn("n", [.integer(1), .null]), "(\"n\" IN ($1::int8) OR \"n\" IS NULL)", true),
      (.text("a", TextMatch(.contains, "x")), "strpos(\"a\", $1::text) > 0", true),
      (.not(.text("a", TextMatch(.matches, "x"))), "TRUE", false),
    ]
  )
  func filtersAreConditionsOfTheServer(_ filter: Filter, _ text: String, _ isExact: Bool) throws {
    let result = try FilterTranslation(table).translate(filter)
    #expect(result.condition.numberedText == text)
    #expect(result.isExact == isExact)
  }

  @Test func whatOnlyTheProgramDecidesIsNarrowed() throws {
    let match = TextMatch(.contains, "a.1", options: .caseInsensitive)
    let result = try FilterTranslation(table).translate(.text("a", match))
    #expect(!result.isExact)
    #expect(result.condition.values == [.text("[aA]\\U0000002e1")])
  }

  @Test func constantsAreQuotedWhateverTheSettings() {
    let sql: SQLText = "x = \(.text("a'b\\c")) OR y = \(.null)"
    #expect(sql.serverText == "x = E'a''b\\\\c' OR y = NULL")
  }
}
