import OpenSwiftData

/// `undo`: reverses the last step.
struct Undo: Instruction {
  /// How many changes since the start of the program; nil for the last change, whenever it was saved.
  var count: Int?

  init() {}

  /// Creates an undo of as many changes as were typed before its key.
  init(typed count: Int?) { self.count = count.map(UndoStep.limited) }

  static let command = Command(
    "undo",
    aliases: ["u"],
    summary: "undo the last change",
    details: """
      Saved changes can be undone too; the result is an unsaved change. When the changes since the start are
      undone, "undo" goes on with your saves before it, the last one first, if the store keeps a history. Saving
      that is a save, too: a later run that undoes it brings the change back. What you save in another program
      after the start is not undone here.
      What triggers of a database changed is not undone, because they run when the undo is saved, too. Changes of
      records that another program has deleted are skipped, and these records named.
      """,
    changesData: true
  ) { _, _ in Undo() }

  var showsNewRecord: Bool { true }

  func perform(in session: Session) throws -> Outcome {
    if let count { return try perform(count, in: session) }
    if let step = try session.context.undoPresent() {
      return try UndoStep.Several("undone", step).outcome()
    }
    let context = session.context
    guard keepsEarlierSaves(session),
      let (earlier, step) = try context.undoEarlierSave(by: context.author)
    else {
      throw CommandError("nothing to undo")
    }
    let words = words(for: earlier, session)
    return try step.map { try UndoStep.Several("undone", $0).outcome(words) }
      ?? .done("undone: \(words)")
  }

  private func perform(_ count: Int, in session: Session) throws -> Outcome {
    guard let steps = try UndoStep.several(count, "undone", { try session.context.undoPresent() })
    else {
      let goesOn =
        keepsEarlierSaves(session) ? "; \"undo\" without a number undoes earlier saves" : ""
      throw CommandError("nothing to undo since the start" + goesOn)
    }
    let rest = steps.taken < count ? "; nothing more to undo" : ""
    return try steps.outcome(rest: rest)
  }
}

extension UndoStep {
  private static let mostSteps = 100

  /// A typed number of changes; a larger one than the limit is probably a typing error.
  static func limited(_ count: Int) -> Int { min(max(count, 1), mostSteps) }

  /// Steps that were undone or redone one after the other.
  struct Several {
    /// `undone` or `redone`.
    private let verb: String
    private(set) var last: UndoStep
    private(set) var taken = 1
    /// What of the others could not be done.
    private var lost: [String] = []
    /// True if all of them changed nothing.
    private var isEmpty = true

    init(_ verb: String, _ last: UndoStep) {
      (self.verb, self.last) = (verb, last)
      isEmpty = last.isEmpty
    }

    mutating func take(_ next: UndoStep) {
      lost += last.lost(verb)
      isEmpty = isEmpty && next.isEmpty
      last = next
      taken += 1
    }

    /// `undone 3 changes; the last: set name of …`, and what could not be done; the name is that of the step unless
    /// it is given.
    ///
    /// - Throws: `CommandError` if nothing could be done; the same command then goes on with the step before.
    func outcome(_ name: String? = nil, rest: String = "") throws -> Outcome {
      // A change is unsaved again in place of which another program's was taken.
      let overwritesTheirs = verb == "undone" && last.name == ResolveConflicts.nameOfTheirs
      let rest =
        rest + (overwritesTheirs ? "; the next save writes your version over theirs" : "")
      let name = name ?? last.name
      let lost = lost + last.lost(verb)
      if isEmpty, !lost.isEmpty {
        throw CommandError(
          "not \(verb): \(name): \(lost.joined(separator: "; ")); the next "
            + "\(verb == "undone" ? "undo" : "redo") goes on without it",
          code: .unknownRecord
        )
      }
      let words =
        taken == 1 ? "\(verb): \(name)" : "\(verb) \(taken) changes; the last: \(name)"
      guard !lost.isEmpty else { return .done(words + rest) }
      return .note("\(words)\(rest); not \(verb): \(lost.joined(separator: "; "))")
    }
  }

  /// Takes up to `count` steps; nil if there are none.
  ///
  /// - Throws: The error of `next`; the steps before it stay taken.
  static func several(_ count: Int, _ verb: String, _ next: () throws -> UndoStep?) throws
    -> Several?
  {
    guard var steps = try next().map({ Several(verb, $0) }) else { return nil }
    while steps.taken < count, let step = try next() {
      steps.take(step)
    }
    return steps
  }

  /// What of the step could not be done.
  private func lost(_ verb: String) -> [String] {
    let gone = missing.first.map { first in
      let reason = doubt.map { ": \($0.reason)" }
      return missing.count == 1
        ? "\(first.entityName) record \(first)\(reason ?? " no longer exists")"
        : "\(missing.count) records no longer exist (the first: \(first.entityName) \(first)\(reason ?? ""))"
    }
    let names = Set(unplaced.map(\.entityName)).sorted()
    let homeless =
      names.isEmpty
      ? nil
      : "\(counted(unplaced.count)) of \(names.joined(separator: ", ")), which no longer "
        + (names.count == 1 ? "exists" : "exist")
    // Triggers run again when a redo is saved.
    return [verb == "undone" ? unrestored : nil, gone, homeless].compactMap { $0 }
  }
}

extension Undo {
  /// True if saves of earlier runs can be undone.
  private func keepsEarlierSaves(_ session: Session) -> Bool {
    session.store.isLasting && session.store.keepsHistory
  }

  /// Describes a saved transaction: `the save of 2009-05-29 18:30 (2 updated)`.
  private func words(for transaction: Transaction, _ session: Session) -> String {
    let changes = transaction.changes
    let counts = [
      (changes.inserted.count, "inserted"), (changes.updated.count, "updated"),
      (changes.deleted.count, "deleted"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let time = session.services.clock.text(of: transaction.timestamp)
    return "the save of \(time) (\(counts.joined(separator: ", "))); saved before this session"
  }
}
