/// A text of separated values in UTF-8, with what divides it.
///
/// The same detection makes it for the import of records and for the store of CSV files.
package struct DelimitedText: Sendable {
  /// A text that cannot be read, at an offset.
  package struct Fault: Error {
    /// In the bytes of the file.
    package let offset: Int
    /// The line and the column in the text, from 1; nil for a fault of the bytes.
    package let place: (line: Int, column: Int)?
    /// What is wrong, in words.
    package let message: String

    /// Creates a fault.
    package init(offset: Int, at place: (line: Int, column: Int)? = nil, _ message: String) {
      (self.offset, self.place, self.message) = (offset, place, message)
    }
  }

  /// The text, without a byte order mark.
  package let bytes: [UInt8]
  /// What divides it.
  package let syntax: DelimitedSyntax
  /// True if the first record has the names of the columns.
  package let hasHeader: Bool
  /// True if each line ends with a delimiter, after which there is no value.
  package let hasTrailingDelimiter: Bool
  /// The names of the columns in order; each is different.
  package let columns: [String]
  /// Where the first record may begin, with the names of the columns or without.
  package let start: Int
  /// What a user should know about the names of the columns; nil if they are plain.
  package let headerNote: String?
  /// What else a user should know about how the text is read, one line each.
  package let notes: [String]
  /// What was decided although another reading would fit as well, one sentence each.
  package let doubts: [String]

  /// Creates a description.
  package init(
    _ bytes: [UInt8],
    syntax: DelimitedSyntax,
    hasHeader: Bool,
    hasTrailingDelimiter: Bool,
    columns: [String],
    start: Int,
    headerNote: String?,
    notes: [String],
    doubts: [String] = []
  ) {
    self.bytes = bytes
    self.syntax = syntax
    self.hasHeader = hasHeader
    self.hasTrailingDelimiter = hasTrailingDelimiter
    self.columns = columns
    self.start = start
    self.headerNote = headerNote
    self.notes = notes
    self.doubts = doubts
  }

  /// The delimiter that the name of a file promises: tab for `.tsv` and `.tab`, a bar for `.psv`; nil for none.
  package static func delimiter(promisedBy path: String) -> UInt8? {
    let name = path.lowercased()
    if name.hasSuffix(".tsv") || name.hasSuffix(".tab") { return 0x09 }
    return name.hasSuffix(".psv") ? UInt8(ascii: "|") : nil
  }
}
