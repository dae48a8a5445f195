/// What a check found to be wrong: results for standard output, and a failure all the same.
package struct Findings: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line each; never empty.
  package let lines: [String]

  /// Creates a failure from its lines.
  package init(_ lines: [String]) {
    self.lines = lines
  }

  /// The number of lines, for people who do not see them.
  package var description: String {
    lines.count == 1 ? "check failed: \(lines[0])" : "check found \(lines.count) problems"
  }
}
