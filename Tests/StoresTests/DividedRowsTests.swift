import DataStoreTesting
import Foundation
import OpenSwiftData
import Synchronization
import Testing

@testable import Stores

/// Several threads find the rows that one finds, and stop when the caller stops.
@Suite struct DividedRowsTests {
  private static let entity = Schema.Entity(
    "Film",
    attributes: [
      .init("title", .text), .init("year", .integer), .init("code", .integer),
      .init("price", .decimal), .init("score", .number), .init("released", .date),
      .init("isGood", .boolean), .init("notes", .json),
    ]
  )
  private static let words = [
    "The", "restless", "OBSERVATORY", "Größe", "夜の電車", "바람의 집", "déjà", "vu", "Straße", "I", "",
    "Последний", "трамвай", "0.5", "19", "\u{212A}elvin", "e\u{301}",
  ]

  private static func words(_ count: Int, _ random: inout SeededGenerator) -> String {
    (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined(separator: " ")
  }

  private static func value(_ type: AttributeType, _ random: inout SeededGenerator) -> Value {
    if Int.random(in: 0..<8, using: &random) == 0 { return .null }
    let number = Int.random(in: -9999...9999, using: &random)
    return switch type {
    case .text: .text(words(Int.random(in: 0..<5, using: &random), &random))
    case .integer: .integer(1900 + Int64(number) / 100)
    case .decimal: .decimal(Decimal(number) / 100)
    case .number: .number(number % 3 == 0 ? Double(number) / 8 : Double(number))
    case .date: .date(CalendarDate(daysSince1970: Int32(number)))
    case .boolean: .boolean(number > 0)
    default: .json("[\(number)]")
    }
  }

  /// Two parts of rows, of which some were deleted, and some replaced.
  private static func table(_ random: inout SeededGenerator) -> RecordTable {
    var table = RecordTable(schema: Schema(entity), storeIdentifier: "fixture")
    let scope = IdentifierScope(store: "fixture", entity: "Film")
    func snapshot(_ number: Int) -> DefaultSnapshot {
      var values = entity.fields.map { value($0.type, &random) }
      // So many different numbers are tested row by row.
      values[2] = .integer(Int64(number) * 1_000_003)
      return DefaultSnapshot(
        persistentIdentifier: scope.identifier(number: number),
        layout: entity.layout,
        orderedValues: values
      )
    }
    let records = (1...DividedRows.partCount + 1000).map { snapshot($0) }
    table.apply(ChangeSet(inserted: records))
    let changed = stride(from: 0, to: records.count, by: 37).map {
      RecordUpdate(before: records[$0], after: snapshot($0 + 1))
    }
    table.apply(ChangeSet(updated: changed))
    table.apply(ChangeSet(deleted: stride(from: 5, to: records.count, by: 41).map { records[$0] }))
    return table
  }

  @Test func parallelSearchMatchesSequentialSearch() throws {
    let seed = SeededGenerator.testSeed
    print("parallelSearchMatchesSequentialSearch seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let table = Self.table(&random).tables[0]
    let patterns = [
      "e", "observatory", "GRÖSSE", "ss", "é", "deja", "집", "19", "-1", "5", ".", "true", "k", "の",
      "zzz", "трам", "vu the", "9-0", "i",
    ]
    let rows = (0..<table.rowCount).filter { table.live[$0] }
    let records = table.snapshots(at: rows.map { Int32($0) }, as: table.wholeRecord)
    for _ in 0..<14 {
      let match = TextMatch(
        .contains,
        patterns.randomElement(using: &random) ?? "",
        options: TextMatch.Options(rawValue: UInt8.random(in: 0..<4, using: &random))
      )
      let filter = Bool.random(using: &random) ? Filter.text("title", match) : .anyText(match)
      let bound = try BoundFilter(filter, layout: Self.entity.layout)
      let expected = zip(rows, records).filter { bound.matches($0.1) }.map(\.0)
      for threads in [1, 2] {
        var found: [Int] = []
        try RowSelection(table: table, threads: threads).rows(filter, among: table.live)
          .forEach { found.append($0) }
        #expect(found == expected, "\(filter), \(threads) threads, seed \(seed)")
      }
    }
  }

  @Test func parallelSortMatchesSequentialSort() throws {
    let seed = SeededGenerator.testSeed
    print("parallelSortMatchesSequentialSort seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let table = Self.table(&random).tables[0]
    let rows = (0..<table.rowCount).filter { table.live[$0] }.map { Int32($0) }
    for _ in 0..<20 {
      let slots = Array(Self.entity.fields.indices.shuffled(using: &random).prefix(3))
      let keys = slots.map { slot in
        let name = Self.entity.fields[slot].name
        let isDescending = Bool.random(using: &random)
        return (slot: slot, key: SortKey(name, isDescending: isDescending))
      }
      let wanted = [rows.count, Int.random(in: 1...rows.count, using: &random)]
      for count in wanted {
        func sorted(_ threads: Int) throws -> [Int32] {
          Array(
            try RowSorter.sorted(
              rows,
              first: count,
              by: keys,
              of: table,
              threads: threads,
              dividing: 100
            )
          )
        }
        let expected = try sorted(1)
        for threads in [2, 5] {
          #expect(try sorted(threads) == expected, "\(keys), \(count), seed \(seed)")
        }
      }
    }
  }

  @Test(arguments: [1, 2, 5]) func allThreadsStopWithTheCaller(threads: Int) {
    let mask = Bitmap(repeating: true, count: 100 * DividedRows.partCount)
    let parts = Mutex(0)
    let isWanted = Atomic(false)
    #expect(throws: Interruption.Stopped.self) {
      try Interruption.allowed(by: { isWanted.load(ordering: .relaxed) }) {
        _ = try DividedRows.found(among: mask, threads: threads) { part in
          let count = parts.withLock {
            $0 += 1
            return $0
          }
          if count == 3 { isWanted.store(true, ordering: .relaxed) }
          // Every thread notices, also within a part.
          while isWanted.load(ordering: .relaxed) { try Interruption.check() }
        }
      }
    }
    #expect(parts.withLock { $0 } < 50)
  }

  @Test func anErrorOfOneThreadIsThrown() {
    struct Problem: Error {}
    let mask = Bitmap(repeating: true, count: 20 * DividedRows.partCount)
    #expect(throws: Problem.self) {
      _ = try DividedRows.found(among: mask, threads: 3) { part in
        if part.start == 7 * DividedRows.partCount { throw Problem() }
      }
    }
  }
}
