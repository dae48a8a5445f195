import OpenSwiftData

extension Command {
  /// `revert`: gives a record the values it had.
  static let revert = Command(
    "revert",
    usage: "ID to TOKEN",
    summary: "give a record the values it had after a transaction",
    details: """
      "history ID" shows the tokens. A record that was deleted since comes back. The result is unsaved
      and can be undone.
      """,
    changesData: true
  ) { arguments, session in
    let identifier = try session.identifierInHistory(
      arguments.require("the record's identifier").text
    )
    guard arguments.take("to") else { throw CommandError("expected: revert ID to TOKEN") }
    let word = try arguments.require("the token of the transaction")
    try arguments.finish()
    guard let token = Int64(word.text), token > 0,
      try session.context.transactions(after: token - 1).first?.token == token
    else {
      throw CommandError(
        "there is no transaction \(Value.quoted(word.text)); \"history\" lists them"
      )
    }
    try session.context.revert(identifier, to: token)
    let snapshot = try session.context.snapshots(for: [identifier])[identifier]
    session.nameStep("revert to \(token):", [identifier], snapshot)
    return .done(session.stepName ?? "")
  }
}
