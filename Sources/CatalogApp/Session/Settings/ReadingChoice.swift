package import OpenSwiftData

/// One way to read a file of separated values, with its first records.
package struct ReadingChoice: Identifiable, Hashable, Sendable {
  /// What it is, in words.
  package let title: String
  /// What to say to read it like that.
  package let options: ReadingOptions
  /// The options.
  package var id: ReadingOptions { options }
  /// The names of the columns.
  package let columns: [String]
  /// The texts of the first records.
  package let rows: [[String]]

  /// True if the records look the same.
  func looksLike(_ other: ReadingChoice) -> Bool {
    columns == other.columns && rows == other.rows
  }
}
