/// How a file of separated values is read.
package struct FileReading: Sendable, Equatable {
  /// What was said about it; the rest was found out.
  package var options: ReadingOptions
  /// What divides its values, by the word for it in options.
  package var delimiter: String
  /// The names of its columns, in the order of the file.
  package var columns: [String]
  /// True if the file has names of columns.
  package var hasHeader: Bool
  /// What ends its lines, by the word for it in options.
  package var lineEnd: String
  /// Its encoding, by the word for it in options.
  package var encoding: String
  /// What was decided although another reading would fit as well, one sentence each.
  package var doubts: [String]
  /// What would make numbers of some texts; nil if there are none.
  package var suggestion: ReadingOptions?

  /// Creates a description.
  package init(
    options: ReadingOptions,
    delimiter: String,
    columns: [String],
    hasHeader: Bool,
    lineEnd: String,
    encoding: String,
    doubts: [String] = [],
    suggestion: ReadingOptions? = nil
  ) {
    self.options = options
    self.delimiter = delimiter
    self.columns = columns
    self.hasHeader = hasHeader
    self.lineEnd = lineEnd
    self.encoding = encoding
    self.doubts = doubts
    self.suggestion = suggestion
  }

  /// The reading in one line: `";" header=no missing=NA, lf, latin1`.
  ///
  /// - Parameter remark: Where the options come from; nil for none.
  /// - Returns: The line.
  package func words(_ remark: String? = nil) -> String {
    var said = options
    said.delimiter = .automatic
    said.lineEnd = .automatic
    said.encoding = .automatic
    if said.header == .automatic, !hasHeader, !columns.isEmpty { said.header = .no }
    let mark = delimiter.count == 1 ? "\"\(delimiter)\"" : delimiter
    let parts = [mark, said.text, remark.map { "(\($0))" } ?? ""].filter { !$0.isEmpty }
    return parts.joined(separator: " ") + ", \(lineEnd), \(encoding)"
  }
}
