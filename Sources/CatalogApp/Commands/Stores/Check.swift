import OpenSwiftData

/// `check`: looks for damage.
struct Check: Instruction {
  /// True to check all that the store can check.
  var isThorough = false

  static let command = Command(
    "check",
    usage: "[full | RULES]",
    summary: "check the store for damage, or its records by the rules in a file",
    details: """
      Without a file, prints "ok" or each problem. Of unsaved changes, each missing or duplicate value for which a save would be refused is a problem, too.
      With "full", a SQLite database is compared with its indexes as well, which takes longer. All other
      stores are always checked completely.
      With RULES, a text file, prints each record that breaks a rule, with the field, the rule and the value; the status
      is 1 if there are any. (A file named full is ./full.) Each line is a rule, with the entity before it if there are
      several: FIELD required; FIELD unique; FIELD unique with A,B; FIELD TYPE, so that it can be read as text, integer,
      number, decimal, boolean, date, datetime, uuid or json; FIELD /regex/, which the whole text matches;
      FIELD in ("a", "b"); FIELD LOW..HIGH, where either bound can be omitted; where P must not match, for a
      predicate. A missing value breaks only "required". If the bounds are numbers or days, other text breaks the rule.
      Names and values are written as in predicates: names with spaces in backticks, text in quotes. A sentence after a
      colon is printed in place of the rule. # begins a comment, except in a sentence. At most
      \(ProblemGroup.limit) records are listed for each rule. Unsaved changes are included.
      """,
    progress: "check …",
    takesFile: true
  ) { arguments, _ in
    if let word = arguments.peek, !word.isKeyword("full"), word.text != "--full" {
      _ = arguments.next()
      return CheckRules(path: word.text)
    }
    return Check(isThorough: arguments.take("full") || arguments.take("--full"))
  }

  /// The notes about opening a store as one line; nil without notes.
  ///
  /// Values that the user does not see are more important than all others.
  static func summary(of notes: [String], hiddenValues: String? = nil) -> String? {
    let hidden = hiddenValues.map { "\($0), which are not shown" }
    guard notes.count > 1, let first = hidden ?? notes.first.map({ "note: \($0)" }) else {
      return hidden.map { "\($0); see :check" } ?? notes.first.map { "note: \($0)" }
    }
    return "\(first) · 1 of \(notes.count) notes; :check lists them"
  }

  func perform(in session: Session) throws -> Outcome {
    guard !session.store.maintainableStores.isEmpty else {
      throw PersistenceError(.unsupported, "check: this store cannot check itself")
    }
    let findings =
      try session.store.maintainableStores.flatMap { try $0.check(isThorough: isThorough) }
      + session.context.unsavedViolations().map { "not saved: \($0)" }
    // The screen has shown only the first note; a script has printed all.
    let notes =
      session.origin.isOnScreen
      ? session.store.maintainableStores.flatMap(\.openingNotes).filter { !findings.contains($0) }
      : []
    guard findings.isEmpty else { throw Findings(findings + notes) }
    return .facts(Facts(["ok"] + notes, [("problems", "[]")], isObject: true))
  }
}

extension CurrentStore {
  /// What the screen tells about opening the store; nil if there is nothing.
  package var openingNote: String? {
    Check.summary(
      of: (readingNote.map { [$0] } ?? []) + maintainableStores.flatMap(\.openingNotes),
      hiddenValues: textBackedStores.lazy.compactMap(\.hiddenValues).first
    )
  }

  /// The stores whose files may have values that no column shows.
  var textBackedStores: [any TextBackedStore] {
    context.container.stores.compactMap { $0 as? any TextBackedStore }
  }

  /// The stores whose files may have more than the fields of records.
  var copyingStores: [any CopyingStore] {
    context.container.stores.compactMap { $0 as? any CopyingStore }
  }
}
