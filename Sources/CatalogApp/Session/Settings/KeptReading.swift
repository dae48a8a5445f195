package import OpenSwiftData

/// How the screen reads a file, as it is kept for the next run.
///
/// ```
/// header=no delimiter=;
/// kept 2026-11-28
/// delimiter ;
/// column "column1"
/// ```
package struct KeptReading: Equatable, Sendable {
  /// What was said.
  package let options: ReadingOptions
  /// When.
  package let day: CalendarDate
  /// What divided the values then.
  package let delimiter: String
  /// The names of the columns then.
  package let columns: [String]

  /// Keeps how a file is read.
  package init(_ reading: FileReading, on day: CalendarDate) {
    options = reading.options
    delimiter = reading.delimiter
    columns = reading.columns
    self.day = day
  }

  /// Reads what was kept.
  ///
  /// - Throws: `CommandError` for a text that was not written by this program.
  package init(parsing text: String) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let wrong = CommandError("not a kept reading")
    guard lines.count > 3, lines[1].hasPrefix("kept "), lines[2].hasPrefix("delimiter ") else {
      throw wrong
    }
    do {
      options = try ReadingOptions(String(lines[0]))
    } catch {
      throw CommandError(error.message)
    }
    guard let day = CalendarDate(String(lines[1].dropFirst(5))) else { throw wrong }
    self.day = day
    delimiter = String(lines[2].dropFirst(10))
    columns = try lines[3...].filter { !$0.isEmpty }.map { line in
      var reader = JSONReader(Array(line.utf8.dropFirst(7)))
      guard line.hasPrefix("column "), case .text(let name) = try reader.next() else { throw wrong }
      return name
    }
  }

  /// The text that is read again.
  package var text: String {
    let lines =
      [options.text, "kept \(day)", "delimiter \(delimiter)"]
      + columns.map { "column \(JSONText.quoted($0))" }
    return lines.map { $0 + "\n" }.joined()
  }

  /// True if a file that is read by the rule is read in the same way.
  package func agrees(with reading: FileReading) -> Bool {
    reading.delimiter == delimiter && reading.columns == columns && options.missing.isEmpty
      && !options.hasDecimalComma && options.thousands == .none && options.dates == .iso
  }

  /// True if a file that is read with these options still looks as it did then.
  package func fits(_ reading: FileReading) -> Bool {
    guard reading.delimiter == delimiter else { return false }
    return reading.columns.count == columns.count
      || Set(reading.columns).isSuperset(of: columns)
  }

  /// What to say if it does not.
  ///
  /// - Parameter count: The number of columns that the options find now; nil if the file cannot be read with them.
  /// - Returns: One line.
  package func misfit(_ count: Int?) -> String {
    let now = count.map { "\($0) now" } ?? "it cannot be read so now"
    let columns = columns.count == 1 ? "1 column" : "\(columns.count) columns"
    return "kept reading \(Value.quoted(options.text)) does not fit (\(columns) then, \(now)): "
      + "reading by the rule; use :read to choose, or :read auto"
  }
}
