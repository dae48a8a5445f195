import OpenSwiftData

extension Command {
  /// `resolve`: settles what was changed both here and elsewhere.
  static let resolve = Command(
    "resolve",
    usage: "ID|all mine|theirs [FIELD,…]",
    summary: "resolve conflicts with another program: keep your version or theirs",
    details: """
      "mine" keeps your change; the next save overwrites theirs. "theirs" drops your change and uses
      the saved value. Without FIELD, every field of the record is resolved. Only the versions shown by
      the last "conflicts" or by the last failed save are resolved; anything saved since is a new
      conflict.
      """,
    changesData: true
  ) { arguments, session in
    let word = try arguments.require("record ID or \"all\"")
    guard let side = RecordConflict.Side(rawValue: arguments.next()?.text.lowercased() ?? "") else {
      throw CommandError("expected mine or theirs")
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
        "\(Session.counted(unseen)) not resolved: another program has saved again; run \"conflicts\" to see the new version"
      )
    }
    let left = try session.context.openConflicts().count
    guard left > 0 else {
      return .done(
        session.context.hasChanges
          ? "all conflicts resolved; run \"save\" to write the result"
          : "all conflicts resolved; nothing to save"
      )
    }
    return .done("\(Session.counted(left)) still in conflict")
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
      throw CommandError("identifier \(Value.quoted(text)) is ambiguous; give more characters")
    }
    guard matching.isEmpty else { return matching }
    throw CommandError("record \(Value.quoted(text)) has no conflict")
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
