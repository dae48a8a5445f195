import OpenSwiftData

/// `redo`: repeats the change that was undone last.
struct Redo: Instruction {
  /// How many changes.
  var count = 1

  init() {}

  /// Creates a redo of as many changes as were typed before its key.
  init(typed count: Int?) { self.count = UndoStep.limited(count ?? 1) }

  static let command = Command(
    "redo",
    summary: "redo the last undone change",
    changesData: true
  ) { _, _ in Redo() }

  var showsNewRecord: Bool { true }

  func perform(in session: Session) throws -> Outcome {
    guard let steps = try UndoStep.several(count, "redone", { try session.context.redoPresent() })
    else {
      throw CommandError("nothing to redo")
    }
    return try steps.outcome(rest: steps.taken < count ? "; nothing more to redo" : "")
  }
}
