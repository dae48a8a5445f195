/// The findings of a check: results for standard output, but also a failure.
package struct Findings: CodedError, Hashable, Sendable, CustomStringConvertible {
  /// One line each; never empty.
  package let lines: [String]

  /// Creates a failure from its lines.
  package init(_ lines: [String]) {
    self.lines = lines
  }

  var code: FailureCode { .damaged }
  var column: Int? { nil }
  var message: String { description }

  /// The number of lines, for when they are not shown.
  package var description: String {
    lines.count == 1 ? "check failed: \(lines[0])" : "check found \(lines.count) problems"
  }
}
