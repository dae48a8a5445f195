import OpenSwiftData

/// `group`: shows the records of the table in groups.
struct GroupTable: Instruction {
  /// The field or path; nil ends the groups.
  let column: TableColumn?

  static let command = Command(
    "group",
    usage: "[FIELD]",
    summary: "show the records in groups by a field; without one, end the groups",
    details: """
      Each group has a line with its value and the number of its records. Records are sorted within their group.
      The key z folds a group into that line, and Z all groups. A search looks into folded groups, too, and unfolds
      the one with the record that it finds.
      """
  ) { arguments, session in
    guard let word = arguments.next() else { return GroupTable(column: nil) }
    return GroupTable(
      column: try arguments.locating(word) {
        try session.requireColumn(word.text, of: session.entity())
      }
    )
  }

  func perform(in session: Session) throws -> Outcome { try session.show(.group(column)) }
}
