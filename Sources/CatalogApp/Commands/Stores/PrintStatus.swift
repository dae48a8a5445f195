import OpenSwiftData

/// `status`: prints the state of the store and its unsaved changes.
struct PrintStatus: Instruction {
  /// True to list the identifiers that saves replaced, instead.
  var listsIdentifiers = false

  static let command = Command(
    "status",
    usage: "[--ids]",
    summary: "print the store, its record counts and unsaved changes",
    details: """
      One line each, as KEY: VALUE; "others" says how the changes of other programs were merged if no sure key
      decided, "recovery" why a crash would lose the unsaved changes, if it would. Views of a database are not
      counted, because that may take long; use "count VIEW".
      With --ids, a line for each record that was new and has been saved: its temporary identifier and the
      permanent one; in JSON, the object that "save" has in its answer.
      """
  ) { arguments, _ in PrintStatus(listsIdentifiers: arguments.take("--ids")) }

  func perform(in session: Session) throws -> Outcome {
    if listsIdentifiers {
      let pairs = session.script.identifiers.allReplaced.map { ($0, session.context.resolve($0)) }
      let ids = JSONObject(
        pairs.map { ($0.description, JSONText.quoted($1.description)) }
      )
      return .facts(
        Facts(
          pairs.map { "\($0) -> \($1)" },
          [("ids", ids.text)],
          isObject: true
        )
      )
    }
    var lines = ["store: \(session.store.name)"]
    let reading = session.readingWords
    if let reading { lines.append("reading: \(reading)") }
    let reason = session.store.shortReadOnlyReason
    if let reason { lines += ["read-only: true", "read-only-reason: \(reason)"] }
    var counts: [Facts.Member] = []
    for entity in session.context.schema.entities {
      let count = try session.context.countAmongOthers(entity)
      lines.append("\(entity.name): \(count.map(String.init) ?? "not counted")")
      counts.append((entity.name, count.map(String.init) ?? "null"))
    }
    let unsaved = session.store.unsavedCounts
    let steps = session.store.unsavedSchemaChanges
    let count = unsaved.inserted + unsaved.updated + unsaved.deleted + steps.count
    lines.append("unsaved: \(count)")
    lines.append("inserted: \(unsaved.inserted)")
    lines.append("updated: \(unsaved.updated)")
    lines.append("deleted: \(unsaved.deleted)")
    if !steps.isEmpty {
      lines.append("schema: " + steps.joined(separator: "; "))
    }
    var members: [Facts.Member] = [
      ("store", JSONText.quoted(session.store.name)),
      ("read-only", reason != nil ? "true" : "false"), ("entities", JSONObject(counts).text),
      ("unsaved", String(count)), ("inserted", String(unsaved.inserted)),
      ("updated", String(unsaved.updated)), ("deleted", String(unsaved.deleted)),
      ("schema", JSONObject.array(steps)),
    ]
    if let reading { members.append(("reading", JSONText.quoted(reading))) }
    if let reason { members.append(("read-only-reason", JSONText.quoted(reason))) }
    func add(_ name: String, _ text: String?) {
      guard let text, !text.isEmpty else { return }
      lines.append("\(name): \(text)")
      members.append((name, JSONText.quoted(text)))
    }
    add("others", session.context.mergingWords.joined(separator: "; "))
    add("recovery", recoveryProblem(session.store))
    add("history", keptHistory(session.store) ?? briefHistory(session))
    return .facts(Facts(lines, members, isObject: true))
  }

  /// Why a crash would lose the unsaved changes, after another attempt to keep them; nil if it would not.
  private func recoveryProblem(_ store: CurrentStore) -> String? {
    guard store.recovery?.problem != nil else { return nil }
    // The error is the problem that the recovery then has.
    try? store.keepEdits()
    return store.recovery?.problem
  }

  /// The history of a store that does not keep it itself, `3 saves in PATH`; nil if there is none, or it cannot be read.
  private func keptHistory(_ store: CurrentStore) -> String? {
    // A history that cannot be read is reported by the commands that need it.
    guard let path = store.historyPath, let transactions = try? store.context.transactions() else {
      return nil
    }
    return "\(counted(transactions.count { !$0.isExternal }, "save")) in \(path)"
  }

  /// Why a file whose history could be kept has none; nil for all others.
  private func briefHistory(_ session: Session) -> String? {
    guard session.store.isLasting,
      session.context.container.stores.contains(where: { $0 is any TextBackedStore })
    else {
      return nil
    }
    return session.services.historyProblem.map { "not kept when the store is closed: \($0)" }
  }
}

extension CurrentStore {
  /// The numbers of records that the next save would insert, update and delete.
  package var unsavedCounts: (inserted: Int, updated: Int, deleted: Int) {
    var counts = context.pendingCounts
    counts.deleted += context.recordsOfRemovedEntities.count
    return counts
  }

  /// The changes of the schema that the next save would write, in words.
  var unsavedSchemaChanges: [String] { context.unsavedSchemaSteps.map(\.words) }

  /// The message when the program ends without saving; nil if nothing is lost.
  package var discardedNote: String? {
    let (inserted, updated, deleted) = unsavedCounts
    let steps = unsavedSchemaChanges
    let count = inserted + updated + deleted + steps.count
    guard count > 0, !isForTour else { return nil }
    let schema = steps.isEmpty ? "" : "; schema: " + steps.joined(separator: "; ")
    var detail = "(\(inserted) inserted, \(updated) updated, \(deleted) deleted\(schema))"
    if isSampleUntouched {
      let place = shownLocation ?? name
      detail += ": the sample records; run \"save\" to write them to \(place)"
    }
    return count == 1
      ? "discarded 1 unsaved change \(detail)"
      : "discarded \(count) unsaved changes \(detail)"
  }

  /// The sentence about unsaved changes that are kept for the next start; nil if there are none, or
  /// they are not kept.
  package var keptNote: String? {
    guard context.hasChanges, let path = recovery?.ownPath else { return nil }
    let (inserted, updated, deleted) = unsavedCounts
    let count = inserted + updated + deleted + unsavedSchemaChanges.count
    let changes = counted(count, "unsaved change")
    return "\(changes) kept in \(path); reopen the store to recover them"
  }
}
