/// How lists and tables are printed, whatever their format is.
package struct OutputStyle: Hashable, Sendable {
  /// False to leave out the line with the names of the columns.
  package var hasHeading = true
  /// What missing values are written as, except in JSON.
  package var nullText = ""
  /// True if lines of comma-separated values end with LF, as in files that are stores, instead of CRLF.
  package var usesLineFeeds = false

  /// Creates the usual style.
  package init() {}
}
