import Foundation
import OpenSwiftData

extension RowSelection {
  /// The rows whose text form matches.
  ///
  /// - Throws: `Interruption.Stopped`.
  func matching(
    _ column: Column,
    _ match: TextMatch,
    _ matcher: TextMatcher,
    among mask: Bitmap
  ) throws -> Bitmap {
    let present = mask - column.nulls
    switch column.layout {
    case .bytes: return try matchingTexts(column, match, matcher, among: present)
    case .flag:
      let flags = present & column.flags
      return (matcher.matches("true") ? flags : none)
        | (matcher.matches("false") ? present - flags : none)
    default: break
    }
    guard CellText.couldMatch(match, column.kind) else { return none }
    if let known = NumberTexts(of: column, matcher) {
      return try DividedRows.found(among: present, threads: threads) { part in
        part.filter { known.match(column, $0) }
      }
    }
    return try DividedRows.found(among: present, threads: threads) { part in
      var meter = WorkMeter()
      try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: CellText.capacity) { buffer in
        try part.filter { row in
          try meter.count()
          return CellText.withText(of: column, row, buffer) { matcher.matches(utf8: $0) }
        }
      }
    }
  }

  /// The rows that match in one of their fields.
  ///
  /// - Throws: `Interruption.Stopped`.
  func anyMatching(
    _ match: TextMatch,
    _ matcher: TextMatcher,
    among mask: Bitmap
  ) throws -> Bitmap {
    try table.columns.reduce(none) {
      try $0 | matching($1.dense(table.rowCount), match, matcher, among: mask - $0)
    }
  }

  private func matchingTexts(
    _ column: Column,
    _ match: TextMatch,
    _ matcher: TextMatcher,
    among present: Bitmap
  ) throws -> Bitmap {
    let scan = TextScan(column, match, matcher)
    return try DividedRows.found(among: present, threads: threads) { part in
      // To test a few rows costs less than to search all texts.
      if let scan, part.rowCount > DividedRows.partCount / 8 || part.rowCount * 8 > column.count {
        return try scan.find(in: part)
      }
      var meter = WorkMeter()
      try column.words.withUnsafeBufferPointer { words in
        try column.bytes.withUnsafeBufferPointer { bytes in
          try part.filter { row in
            let span = Span(packed: words[row])
            try meter.count(1 + span.count >> 4)
            return matcher.matches(utf8: UnsafeBufferPointer(rebasing: bytes[span.range]))
          }
        }
      }
    }
  }
}

/// Which whole numbers of a small range have a text that matches, such as years or dates.
///
/// Each number is tested once, not each row.
private struct NumberTexts {
  private let lowest: Int64
  private let matches: Bitmap

  /// Nil for columns without whole numbers, or with as many numbers as rows.
  init?(of column: Column, _ matcher: TextMatcher) {
    let range: ClosedRange<Int64>?
    switch column.kind {
    case .integer:
      range = Self.range(column.words) { Int64(bitPattern: $0) }
    case .date: range = Self.range(column.days) { Int64($0) }
    default: return nil
    }
    guard let range,
      range.upperBound.subtractingReportingOverflow(range.lowerBound).overflow == false,
      range.upperBound - range.lowerBound < column.count / 4
    else { return nil }
    lowest = range.lowerBound
    var found = Bitmap(repeating: false, count: range.count)
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: CellText.capacity) { buffer in
      for number in range {
        let value: Value =
          column.kind == .date
          ? .date(CalendarDate(daysSince1970: Int32(number))) : .integer(number)
        found[Int(number - range.lowerBound)] = CellText.withText(of: value, buffer) {
          matcher.matches(utf8: $0)
        }
      }
    }
    matches = found
  }

  @inline(__always)
  func match(_ column: Column, _ row: Int) -> Bool {
    let number =
      column.kind == .date ? Int64(column.days[row]) : Int64(bitPattern: column.words[row])
    return matches[Int(number - lowest)]
  }

  /// Includes the zeros of rows without a value.
  @inline(__always)
  private static func range<T>(_ values: [T], _ number: (T) -> Int64) -> ClosedRange<Int64>? {
    guard let first = values.first else { return nil }
    var low = number(first)
    var high = low
    for value in values {
      low = min(low, number(value))
      high = max(high, number(value))
    }
    return low...high
  }
}
