import OpenSwiftData

/// Reads the values of separated values as options say: words for missing ones, commas, dates.
///
/// A column of numbers or dates gets the usual spelling; in every other column texts stay as they are.
struct DelimitedValues {
  private let options: ReadingOptions
  /// The columns whose values are all numbers, or all dates.
  private let usualColumns: Set<String>

  /// Looks at all rows of a file.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - options: What was said.
  ///   - isText: True for a column whose values stay texts in any case.
  /// - Throws: `ImportError`.
  init(_ source: ImportSource, _ options: ReadingOptions, _ isText: (String) -> Bool) throws {
    self.options = options
    guard options.hasDecimalComma || options.thousands != .none || options.dates != .iso else {
      usualColumns = []
      return
    }
    var others: Set<String> = []
    var haveDates: [String: Bool] = [:]
    var columns: [String] = []
    try source.forEachRow { row in
      columns = row.columns
      for (column, cell) in zip(row.columns, row.cells) {
        guard case .text(let text) = cell, !text.isEmpty, !others.contains(column),
          !options.missing.words(of: column).contains(text)
        else { continue }
        let usual = Self.usual(text, options)
        let isDate = usual.map { CalendarDate($0) != nil }
        if let isDate, haveDates[column, default: isDate] == isDate {
          haveDates[column] = isDate
        } else {
          others.insert(column)
        }
      }
    }
    usualColumns = Set(columns.filter { !others.contains($0) && !isText($0) })
  }

  /// A number or a date in the usual spelling; nil for any other text.
  private static func usual(_ text: String, _ options: ReadingOptions) -> String? {
    options.usual(text) ?? (CalendarDate(text) == nil ? nil : text)
  }

  /// The same row with the values that the options mean.
  func row(_ row: ImportRow) -> ImportRow {
    var meant = row
    meant.cells = zip(row.columns, row.cells).map { column, cell -> ImportCell in
      guard case .text(let text) = cell else { return cell }
      if options.missing.words(of: column).contains(text) { return .null }
      guard usualColumns.contains(column), let usual = Self.usual(text, options) else {
        return cell
      }
      return .text(usual)
    }
    return meant
  }
}
