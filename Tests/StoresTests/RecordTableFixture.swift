import DataStoreTesting
import Foundation
import OpenSwiftData

@testable import Stores

/// A schema with every type, and values at the limits.
enum TableFixture {
  static let everything = Schema(
    Schema.Entity(
      "Thing",
      attributes: [
        Schema.Attribute("name", .text), Schema.Attribute("count", .integer),
        Schema.Attribute("size", .number), Schema.Attribute("price", .decimal),
        Schema.Attribute("isGood", .boolean), Schema.Attribute("day", .date),
        Schema.Attribute("moment", .datetime), Schema.Attribute("uuid", .uuid),
        Schema.Attribute("extra", .json), Schema.Attribute("parent", .link("Thing")),
        Schema.Attribute("children", .links("Thing")), Schema.Attribute("total", .integer),
      ]
    ),
    Schema.Entity("Other", attributes: [Schema.Attribute("name", .text)])
  )
  static let store = "fixture"
  static let scope = IdentifierScope(store: store, entity: "Thing")

  static func entity(_ name: String = "Thing") -> Schema.Entity {
    everything.entities[name == "Thing" ? 0 : 1]
  }

  static func key(_ number: UInt64) -> PersistentIdentifier {
    scope.identifier(key: RecordKey(milliseconds: 1000 + number / 4, sequence: number))
  }

  static func snapshot(_ identifier: PersistentIdentifier, _ values: [Value]) -> DefaultSnapshot {
    DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: entity().layout,
      orderedValues: values
    )
  }

  static let texts = [
    "", "a", "A", "ab", "abc", "abcdefg", "abcdefgh", "abcdefg\0", "abcdefgi", "abcdefghijklmnopq",
    "abcdefghijklmnopr", "é", "e\u{301}", "École", "straße", "STRASSE", "Łódź", "日本語", "🎬 film",
    "true", "12", "-7", "2009", "x*y", "x?y", "Zoo", "zoo", "a\0", "a\0b", "ǅ", "İstanbul",
  ]
  static let integers: [Int64] = [0, 1, -1, 7, 12, 2009, -300, .max, .min, 1 << 53, (1 << 53) + 1]
  static let numbers: [Double] = [
    0, -0.0, 1, -1, 0.1, 1.5, 7, 12, 2009, -300.25, 1e16, 1e-7, 9_007_199_254_740_992, 3.3e20,
  ]
  static let decimals = [
    "0", "1", "-1", "0.1", "1.5", "7", "12", "2009", "-300.25", "9.99", "10.00", "1e20", "0.00001",
    "99999999999999999999.5", "-99999999999999999999.5", "9223372036854775807",
    "9223372036854775808",
    "1e-30",
  ]
  static let jsons = ["{}", "[1,2]", "{\"a\":\"é\"}", "null", "12", "\"abc\""]

  static func decimal(_ text: String) -> Decimal { Decimal(string: text) ?? 0 }

  static func value(
    of type: AttributeType,
    nullOneIn: Int = 6,
    using random: inout SeededGenerator
  ) -> Value {
    if Int.random(in: 0..<nullOneIn, using: &random) == 0 { return .null }
    switch type {
    case .text: return .text(texts.randomElement(using: &random) ?? "")
    case .integer: return .integer(integers.randomElement(using: &random) ?? 0)
    case .number: return .number(numbers.randomElement(using: &random) ?? 0)
    case .decimal: return .decimal(decimal(decimals.randomElement(using: &random) ?? ""))
    case .boolean: return .boolean(Bool.random(using: &random))
    case .date:
      return .date(
        CalendarDate(daysSince1970: Int32.random(in: -719_528 ... -719_518, using: &random))
      )
    case .datetime:
      let whole = Double(Int.random(in: -3...3, using: &random)) * 86_399
      let fractions: [Double] = [0, 0, 0.5, 0.25, 0.001, 1e-6]
      let fraction = fractions.randomElement(using: &random) ?? 0
      return .datetime(Date(timeIntervalSinceReferenceDate: whole + fraction))
    case .uuid:
      let words = [0, 1, UInt64.max, 0x8000_0000_0000_0000]
      return .uuid(
        UUID(
          high: words.randomElement(using: &random) ?? 0,
          low: words.randomElement(using: &random) ?? 0
        )
      )
    case .json: return .json(jsons.randomElement(using: &random) ?? "")
    case .link: return .link(key(UInt64.random(in: 0..<9, using: &random)))
    case .links:
      let count = Int.random(in: 0..<4, using: &random)
      return .links((0..<count).map { _ in key(UInt64.random(in: 0..<4, using: &random)) })
    }
  }

  static func values(using random: inout SeededGenerator) -> [Value] {
    entity().fields.map { value(of: $0.type, using: &random) }
  }
}

/// The expected contents of a table, as snapshots in natural order.
struct ReferenceRecords {
  var snapshots: [DefaultSnapshot] = []

  func place(of identifier: PersistentIdentifier) -> Int? {
    snapshots.firstIndex { $0.persistentIdentifier == identifier }
  }

  mutating func apply(_ changes: ChangeSet) {
    let deleted = Set(changes.deleted.map(\.persistentIdentifier))
    snapshots.removeAll { deleted.contains($0.persistentIdentifier) }
    for update in changes.updated {
      if let place = place(of: update.persistentIdentifier) { snapshots[place] = update.after }
    }
    snapshots += changes.inserted
    snapshots.sort { $0.persistentIdentifier < $1.persistentIdentifier }
  }
}
