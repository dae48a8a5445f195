import OpenSwiftData

/// `undo`: reverses the last step.
struct Undo: Instruction {
  static let command = Command(
    "undo",
    aliases: ["u"],
    summary: "undo the last change",
    details: """
      Saved changes can be undone too; the result is an unsaved change. When the changes since the start are
      undone, "undo" goes on with your saves before it, the last one first, if the store keeps a history.
      What triggers of a database changed is not undone, because they run when the undo is saved, too.
      """,
    changesData: true,
    canBeStopped: true
  ) { arguments, _ in
    try arguments.finish()
    return Undo()
  }

  var showsNewRecord: Bool { true }

  func perform(in session: Session) throws -> Outcome {
    if let step = try session.context.undo() {
      guard let unrestored = step.unrestored else { return .done("undone: \(step.name)") }
      return .note("undone: \(step.name); not undone: \(unrestored)")
    }
    guard let earlier = try session.undoEarlierSave() else {
      throw CommandError("nothing to undo")
    }
    return .done("undone: \(session.words(for: earlier)); saved before this session")
  }
}

extension Session {
  /// Undoes the last save of the user before the start of the program; nil if the store keeps none.
  ///
  /// - Throws: As `ModelContext.undoEarlierSave(by:)`.
  fileprivate func undoEarlierSave() throws -> Transaction? {
    guard isLasting, keepsHistory else { return nil }
    return try context.undoEarlierSave(by: context.author)
  }

  /// Describes a saved transaction: `the save of 2009-05-29 18:30 (2 updated)`.
  fileprivate func words(for transaction: Transaction) -> String {
    let changes = transaction.changes
    let counts = [
      (changes.inserted.count, "inserted"), (changes.updated.count, "updated"),
      (changes.deleted.count, "deleted"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let time = services.clock.text(of: transaction.timestamp)
    return "the save of \(time) (\(counts.joined(separator: ", ")))"
  }
}
