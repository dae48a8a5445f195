/// `tour`: begins the tour of the program.
struct TakeTour: Instruction {
  static let command = Command(
    "tour",
    summary: "learn the keys step by step, on sample films",
    details: """
      The films are in memory, and nothing is written to disk. The lines at the bottom say what to do next; Tab skips a
      step, and Esc ends the tour when nothing is left to clear. Then the open store is back as it was, with its unsaved
      changes. "catalog --tour" starts with the tour.
      """,
    places: .screen,
    needsScreen: "it is about keys"
  ) { _, _ in TakeTour() }

  func perform(in session: Session) throws -> Outcome { .screen(.tour) }
}
