import OpenSwiftData

extension Command {
  /// `resolve`: settles what was changed both here and elsewhere.
  static let resolve = Command(
    "resolve",
    usage: "ID|all mine|theirs [FIELD,…]",
    summary: "settle what was changed here and by another program: keep mine, or theirs",
    details: """
      "mine" stays an unsaved change, which the next save writes over theirs; with "theirs" the record
      has here what the store has. Without fields all of the record is settled. "conflicts" lists what
      is open. Only the versions that it showed last, or that the last save failed for, are settled:
      what another program saved since stays a conflict.
      """,
    changesData: true
  ) { arguments, session in
    let word = try arguments.require("the record, or \"all\",")
    guard let side = RecordConflict.Side(rawValue: arguments.next()?.text.lowercased() ?? "") else {
      throw CommandError("say whose version stays: mine or theirs")
    }
    let names = arguments.takeList()
    try arguments.finish()
    try session.refresh()
    let open = try session.context.openConflicts()
    let meant: [RecordConflict]
    if word.isKeyword("all") {
      meant = open
    } else {
      meant = try session.conflicts(named: word.text, among: open)
    }
    for conflict in meant { try session.check(names, of: conflict) }
    var unseen = 0
    for conflict in meant {
      let isSettled = try session.context.resolveConflict(
        of: conflict.persistentIdentifier,
        keeping: side,
        attributes: names.isEmpty ? nil : Set(names)
      )
      if !isSettled { unseen += 1 }
    }
    session.stepName = "resolve"
    guard unseen == 0 else {
      return .done(
        "\(Session.counted(unseen)) not settled: another program saved a version that was not shown yet (see \"conflicts\")"
      )
    }
    let left = try session.context.openConflicts().count
    guard left > 0 else {
      return .done(
        session.context.hasChanges
          ? "all conflicts are settled; save writes the result"
          : "all conflicts are settled; nothing is left to save"
      )
    }
    return .done("\(Session.counted(left)) left to settle")
  }
}

extension Session {
  /// The conflicts of the record that a text names; the record itself may be gone.
  fileprivate func conflicts(named text: String, among open: [RecordConflict]) throws
    -> [RecordConflict]
  {
    let matching = open.filter { $0.persistentIdentifier.hasPrefix(text) }
    let exact = matching.filter { $0.persistentIdentifier.description == text }
    if exact.count == 1 { return exact }
    guard matching.count <= 1 else {
      throw CommandError("\(Value.quoted(text)) names more than one record; give more characters")
    }
    guard matching.isEmpty else { return matching }
    throw CommandError("there is no conflict of a record \(Value.quoted(text))")
  }

  fileprivate func check(_ names: [String], of conflict: RecordConflict) throws {
    let entity = try context.schema.entity(named: conflict.persistentIdentifier.entityName)
    for name in names { _ = try entity.attribute(named: name) }
  }
}

extension Arguments {
  /// Takes the words that are left as names, which commas or spaces part.
  fileprivate mutating func takeList() -> [String] {
    var names: [String] = []
    while let word = next() {
      names +=
        word.isQuoted
        ? [word.text] : word.text.split(separator: ",").map(String.init)
    }
    return names
  }
}
