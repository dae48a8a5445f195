import OpenSwiftData

/// A number: moves the cursor to that record of the table.
struct GoToRow: Instruction {
  /// Counted from 1, as on the screen.
  let number: Int

  static let command = Command(
    "42",
    summary: "go to record 42",
    places: .screen,
    needsScreen: "only the screen has a cursor; use list with offset and limit"
  ) { arguments, _ in
    guard arguments.line.words.count == 1, let number = Int(arguments.line.words[0].text) else {
      throw CommandError("expected the number of a record")
    }
    return GoToRow(number: number)
  }

  func perform(in session: Session) throws -> Outcome { .screen(.move(toRow: number - 1)) }
}
