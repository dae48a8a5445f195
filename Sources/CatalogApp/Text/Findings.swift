/// The findings of a check: results for standard output, but also a failure.
package struct Findings: CodedError, Hashable, Sendable, CustomStringConvertible {
  /// One line each; never empty.
  package let lines: [String]
  /// The command that found them.
  let command: String
  /// What each of them is.
  let noun: String
  let code: FailureCode

  package init(_ lines: [String]) {
    self.init(lines, of: "check", "problem", .damaged)
  }

  /// Creates the failure of a command whose findings have a name.
  init(_ lines: [String], of command: String, _ noun: String, _ code: FailureCode) {
    self.lines = lines
    self.command = command
    self.noun = noun
    self.code = code
  }

  var column: Int? { nil }
  var message: String { description }

  /// The lines as a part of an answer.
  var member: (name: String, json: String) { (noun + "s", JSONObject.array(lines)) }

  /// The number of lines, for when they are not shown.
  package var description: String {
    lines.count == 1
      ? "\(command) failed: \(lines[0])" : "\(command) found \(lines.count) \(noun)s"
  }
}
