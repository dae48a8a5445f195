import OpenSwiftData

/// `resolve`: decides conflicts between changes here and by another program.
struct ResolveConflicts: Instruction {
  /// The record; nil for all conflicts.
  let identifier: PersistentIdentifier?
  let side: RecordConflict.Side
  /// The fields; empty for the whole record.
  let fields: [String]

  /// The name of the undo step that takes another program's version.
  static let nameOfTheirs = "resolve theirs"

  static let command = Command(
    "resolve",
    usage: "ID|all mine|theirs [FIELD,…]",
    summary: "resolve conflicts with another program: keep your version or theirs",
    details: """
      "mine" keeps your change; the next save overwrites theirs. "theirs" drops your change and uses the
      saved value. Without FIELD, every field of the record is resolved. Only the versions shown by the
      last "conflicts" or by the last failed save are resolved; anything saved since is a new conflict.
      """,
    changesData: true,
    canBeStopped: true
  ) { arguments, session in
    let word = try arguments.require("record ID or \"all\"")
    guard let side = RecordConflict.Side(rawValue: arguments.next()?.text.lowercased() ?? "") else {
      throw CommandError("expected mine or theirs")
    }
    let fields = arguments.takeList()
    try arguments.finish()
    let identifier = word.isKeyword("all") ? nil : try session.conflicting(word.text)
    return ResolveConflicts(identifier: identifier, side: side, fields: fields)
  }

  func perform(in session: Session) throws -> Outcome {
    try session.refresh()
    let open = try session.context.openConflicts()
    let meant = open.filter { identifier == nil || $0.persistentIdentifier == identifier }
    if identifier == nil, open.isEmpty { return .done("no conflicts") }
    if let identifier, meant.isEmpty { throw CommandError("record \(identifier) has no conflict") }
    for conflict in meant { try session.check(fields, of: conflict) }
    let unseen = try session.context.resolveConflicts(
      of: meant.map(\.persistentIdentifier),
      keeping: side,
      attributes: fields.isEmpty ? nil : Set(fields)
    )
    session.notes.stepName = side == .theirs ? Self.nameOfTheirs : "resolve"
    guard unseen == 0 else {
      return .done(
        "\(Session.counted(unseen)) not resolved: another program has saved again; "
          + "run \"conflicts\" to see the new version"
      )
    }
    let left = try session.context.openConflicts().count
    guard left > 0 else {
      session.notes.hasResolved = true
      return .done(
        session.context.hasChanges
          ? "all conflicts resolved; "
            + (session.origin.isOnScreen
              ? "press w to write the result" : "run \"save\" to write the result")
          : "all conflicts resolved; nothing to save"
      )
    }
    return .done("\(Session.counted(left)) still in conflict")
  }
}

extension Session {
  /// The record with a conflict that a text names; the record itself may have been deleted.
  fileprivate func conflicting(_ text: String) throws -> PersistentIdentifier {
    try refresh()
    let name = RecordName(text, in: context.schema)
    let matching = try context.openConflicts().map(\.persistentIdentifier)
      .filter { name.matches($0) }
    let exact = matching.filter { $0.description == name.key }
    if let only = exact.count == 1 ? exact.first : nil { return only }
    guard matching.count <= 1 else { throw name.ambiguous(exact.isEmpty ? matching : exact) }
    guard let first = matching.first else {
      throw CommandError("record \(Value.quoted(text)) has no conflict")
    }
    return first
  }

  fileprivate func check(_ names: [String], of conflict: RecordConflict) throws {
    let entity = try context.schema.entity(named: conflict.persistentIdentifier.entityName)
    for name in names { _ = try entity.attribute(named: name) }
  }
}

extension Arguments {
  /// Reads the remaining words as names, separated by commas or spaces.
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
