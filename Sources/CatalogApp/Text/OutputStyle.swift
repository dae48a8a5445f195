/// How lists and tables are printed, whatever their format is.
package struct OutputStyle: Hashable, Sendable {
  /// False to leave out the line with the names of the columns.
  package var hasHeading = true
  /// What missing values are written as, except in JSON.
  package var nullText = ""

  /// Creates the usual style.
  package init() {}
}
