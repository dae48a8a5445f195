import OpenSwiftData

/// `revert`: restores a record to an earlier state.
struct Revert: Instruction {
  let identifier: PersistentIdentifier
  /// The number of the transaction.
  let token: Int64

  static let command = Command(
    "revert",
    usage: "ID to TOKEN  |  revert all to T",
    summary: "restore a record, or all records, to the state after a transaction",
    details: """
      "history ID" shows the tokens. A record deleted since then is restored. Links to records that no
      longer exist are left empty and named. The result is unsaved and can be undone. "revert all" restores
      all records, also to a time such as 2009-05-29T18:30:00Z; the schema stays as it is: values of a field
      whose type has changed since are converted.
      """,
    changesData: true
  ) { arguments, session in
    if let word = arguments.peek, word.isKeyword("all"),
      try session.context.identifiers(exactly: word.text).isEmpty
    {
      _ = arguments.next()
      guard arguments.take("to") else { throw CommandError("usage: revert all to T") }
      return RevertAll(point: try arguments.requirePoint("to", isEnd: true))
    }
    let identifier = try session.identifierInHistory(arguments.require("record ID").text)
    guard arguments.take("to") else { throw CommandError("usage: revert ID to TOKEN") }
    let word = try arguments.require("transaction token")
    guard let token = Int64(word.text), try session.context.hasTransaction(token) else {
      throw CommandError(
        "unknown transaction \(Value.quoted(word.text)); run \"history\" to list them"
      )
    }
    return Revert(identifier: identifier, token: token)
  }

  func perform(in session: Session) throws -> Outcome {
    let former = try session.context.snapshots(for: [identifier])[identifier]
    let lost = try session.context.revertReporting(
      identifier,
      to: token,
      converting: ValueConversion(today: session.services.clock.today)
    )
    let snapshot = try session.context.snapshots(for: [identifier])[identifier]
    if session.origin.isOnScreen, lost.isEmpty, let former, former == snapshot {
      return .note("the record has this state; nothing differs")
    }
    session.nameStep("revert to \(token):", [identifier], snapshot)
    guard lost.isEmpty else {
      return .note("\(session.notes.stepName ?? ""); \(words(for: lost))")
    }
    return .done(
      "restored \(snapshot.map(session.context.schema.label) ?? "the record") as after save \(token)"
    )
  }
}

extension ModelContext {
  /// Tests whether the history has the transaction.
  ///
  /// - Throws: The error of the store for a transaction before the start of its history.
  func hasTransaction(_ token: Int64) throws -> Bool {
    guard token > 0 else { return false }
    do {
      return try transactions(after: token - 1).first?.token == token
    } catch let error as PersistenceError where error.code == .historyExpired {
      guard let last = try transactions().last else {
        throw CommandError(
          "transaction \(token) is not in the history, which is empty; earlier transactions were discarded",
          code: .historyExpired
        )
      }
      // For a token that no save has had yet, a log reports that it may be an older copy.
      guard last.token > token else { return false }
      // The error of the store names the transaction before it.
      throw CommandError(
        "transaction \(token) is no longer in the history; run \"history\" to list the remaining ones",
        code: .historyExpired
      )
    }
  }
}

extension Revert {
  private static let namedLinks = 3

  /// Describes the links of a record that cannot be restored, with the reasons.
  private func words(for lost: [ModelContext.LostLink]) -> String {
    var fields: [String] = []
    for link in lost where !fields.contains(link.field) { fields.append(link.field) }
    let records = Set(lost.map(\.destination)).sorted()
    let named = records.prefix(Self.namedLinks).map { "\($0.entityName) \($0)" }
    let more = records.count - named.count
    let names = named.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
    return "\(fields.joined(separator: ", ")) left empty: \(names) no longer "
      + (records.count == 1 ? "exists" : "exist")
  }
}
