import DataStoreTesting
import Foundation
import Testing

@testable import OpenSwiftData

/// Columns of new records.
@Suite struct PackedColumnTests {
  @Test func theyHaveTheValuesThatWereAppended() throws {
    var random = SeededGenerator(seed: 8)
    for type in [.text, .integer, .number, .decimal, .boolean, .date, .datetime, .uuid, .json]
      as [AttributeType]
    {
      var column = try #require(PackedColumn(type.kind))
      var values: [Value] = []
      for _ in 0..<500 {
        let text = String(random.below(1000))
        let value: Value =
          switch type {
          case .text: .text(text)
          case .integer: .integer(Int64(truncatingIfNeeded: random.next()))
          case .number: .number(Double(bitPattern: random.next()))
          case .decimal:
            .decimal(
              Decimal(Int64(truncatingIfNeeded: random.next())) / Decimal(random.below(99) + 1)
            )
          case .boolean: .boolean(random.chance(50))
          case .date: .date(CalendarDate(daysSince1970: Int32(random.below(100_000))))
          case .datetime:
            .datetime(Date(timeIntervalSinceReferenceDate: Double(random.below(9999)) / 7))
          case .uuid: .uuid(UUID())
          default: .json("[\(text)]")
          }
        values.append(random.chance(20) ? .null : value)
        let isAppended = column.append(values[values.count - 1])
        #expect(isAppended)
      }
      #expect(values.indices.map { column.value(at: $0) } == values, "\(type)")
      #expect(column.nullCount == values.count { $0.isNull })
    }
    var days = try #require(PackedColumn(.date))
    let wrong: [Value] = [.date(CalendarDate(daysSince1970: .max)), .integer(1)]
    let taken = wrong.filter { days.append($0) }
    #expect(taken.isEmpty && days.count == 0, "no store can save them")
    #expect(PackedColumn(.link) == nil)
  }

  /// What is read from bytes has to be what is read from text.
  @Test func theyReadTextsAsValuesDo() throws {
    let texts = [
      "0", "-0", "7", "-20", "007", "+5", "", "-", "1.5", "1.50", "-0.01", "0.0", ".5", "5.", "1e3",
      "123456789012345678", "1234567890123456789", "99999999999999999999", " 1", "2009-05-29",
      "2023-02-29", "2009-5-29", "true", "ä",
    ]
    for type in [.text, .integer, .decimal, .date, .boolean, .number] as [AttributeType] {
      for text in texts {
        var column = try #require(PackedColumn(type.kind))
        var copy = text
        guard copy.withUTF8({ column.append(reading: $0) }) else { continue }
        #expect(try column.value(at: 0) == Value(parsing: text, as: type), "\(text) as \(type)")
      }
    }
  }
}
