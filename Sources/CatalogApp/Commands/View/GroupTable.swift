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
    try arguments.finish()
    let entity = try session.entity()
    let column = try arguments.locating(word) {
      guard let column = try session.column(typed: word.text, of: entity) else {
        let names = entity.fields.map(\.name)
        throw CommandError(
          "no field \(Value.quoted(word.text)); \(Suggestion.text(for: word.text, among: names))",
          code: .unknownField
        )
      }
      return column
    }
    return GroupTable(column: column)
  }

  func perform(in session: Session) throws -> Outcome { try session.show(.group(column)) }
}
