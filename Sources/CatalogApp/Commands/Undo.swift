import OpenSwiftData

/// `undo`: reverses the last step.
struct Undo: Instruction {
  /// How many changes; several are only those since the start of the program.
  var count = 1

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
    if count > 1 { return try performSeveral(in: session) }
    if let step = try session.context.undo() { return step.outcome("undone: \(step.name)") }
    guard let earlier = try session.undoEarlierSave() else {
      throw CommandError("nothing to undo")
    }
    return .done("undone: \(session.words(for: earlier)); saved before this session")
  }

  private func performSeveral(in session: Session) throws -> Outcome {
    guard let steps = try UndoStep.several(count, { try session.context.undo() }) else {
      let goesOn =
        session.keepsEarlierSaves ? "; \"undo\" without a number undoes earlier saves" : ""
      throw CommandError("nothing to undo since the start" + goesOn)
    }
    let rest = steps.taken < count ? "; nothing more to undo" : ""
    return steps.last.outcome(steps.words("undone") + rest)
  }
}

extension UndoStep {
  /// Steps that were undone or redone one after the other.
  struct Several {
    var last: UndoStep
    var taken = 1

    /// `undone 3 changes; the last: set name of …`.
    func words(_ verb: String) -> String {
      taken == 1 ? "\(verb): \(last.name)" : "\(verb) \(taken) changes; the last: \(last.name)"
    }
  }

  /// Takes up to `count` steps; nil if there are none.
  ///
  /// - Throws: The error of `next`; the steps before it stay taken.
  static func several(_ count: Int, _ next: () throws -> UndoStep?) throws -> Several? {
    guard var steps = try next().map({ Several(last: $0) }) else { return nil }
    while steps.taken < count, let step = try next() {
      steps = Several(last: step, taken: steps.taken + 1)
    }
    return steps
  }

  /// Tells what was undone, and what of the step could not be.
  fileprivate func outcome(_ words: String) -> Outcome {
    unrestored.map { .note("\(words); not undone: \($0)") } ?? .done(words)
  }
}

extension Session {
  /// True if saves of earlier runs can be undone.
  fileprivate var keepsEarlierSaves: Bool { isLasting && keepsHistory }

  /// Undoes the last save of the user before the start of the program; nil if the store keeps none.
  ///
  /// - Throws: As `ModelContext.undoEarlierSave(by:)`.
  fileprivate func undoEarlierSave() throws -> Transaction? {
    guard keepsEarlierSaves else { return nil }
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
