import OpenSwiftData

/// `resolve`: decides conflicts between changes here and by another program.
struct ResolveConflicts: Instruction {
  /// The record; nil for all conflicts.
  let identifier: PersistentIdentifier?
  let side: RecordConflict.Side
  /// The fields; empty for the whole record.
  let fields: [String]
  /// The record of the store that this one is; nil if that is certain, or if a side is kept.
  var target: PersistentIdentifier?

  /// The name of the undo step that takes another program's version.
  static let nameOfTheirs = "resolve theirs"

  static let command = Command(
    "resolve",
    usage: "ID|all mine|theirs [FIELD,…] | ID row ID",
    summary: "resolve conflicts with another program: keep your version or theirs",
    details: """
      "mine" keeps your change; the next save overwrites theirs. "theirs" drops your change and uses the
      saved value. Without FIELD, every field of the record is resolved. Only the versions shown by the
      last "conflicts" or by the last failed save are resolved; anything saved since is a new conflict.
      In a file without identifiers it can be unclear which record yours is now. Then "mine" adds yours as
      a new record, "theirs" drops your change, and "row ID" makes your change in that record instead. If
      you have deleted yours, use one of the latter two. In a table, "mine" writes your whole record over
      the one that has its key now, and "row ID" with the same ID only what you have changed.
      """,
    changesData: true
  ) { arguments, session in
    let word = try arguments.require("record ID or \"all\"")
    if !word.isKeyword("all"), arguments.take("row") {
      let target = try session.identifier(arguments.require("record ID").text)
      return ResolveConflicts(
        identifier: try Self.conflicting(word.text, session),
        side: .theirs,
        fields: [],
        target: target
      )
    }
    guard let side = RecordConflict.Side(rawValue: arguments.next()?.text.lowercased() ?? "") else {
      if RecordConflict.Side(rawValue: word.text.lowercased()) != nil {
        throw CommandError("expected record ID or \"all\" before \(word.text)")
      }
      throw CommandError("expected mine, theirs or row")
    }
    let fields = arguments.takeList()
    let identifier = word.isKeyword("all") ? nil : try Self.conflicting(word.text, session)
    return ResolveConflicts(identifier: identifier, side: side, fields: fields)
  }

  func perform(in session: Session) throws -> Outcome {
    try session.context.refresh()
    let open = try session.context.openConflicts()
    let meant = open.filter { identifier == nil || $0.persistentIdentifier == identifier }
    if identifier == nil, open.isEmpty { return .done("no conflicts") }
    if let identifier, meant.isEmpty { throw CommandError("record \(identifier) has no conflict") }
    for conflict in meant { try check(fields, of: conflict, session.context) }
    let change = try target.map { try moved(meant[0], to: $0) }
    let unseen = try session.context.resolveConflicts(
      of: meant.map(\.persistentIdentifier),
      keeping: side,
      attributes: fields.isEmpty ? nil : Set(fields)
    )
    session.notes.stepName = side == .theirs ? Self.nameOfTheirs : "resolve"
    if unseen == 0, let target { try change?.make(in: target, session) }
    guard unseen == 0 else {
      return .done(
        "\(counted(unseen)) not resolved: another program has saved again; "
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
    return .done("\(counted(left)) still in conflict")
  }

  /// The record with a conflict that a text names; the record itself may have been deleted.
  private static func conflicting(_ text: String, _ session: Session) throws -> PersistentIdentifier
  {
    try session.context.refresh()
    let name = RecordName(text, in: session.context.schema)
    let matching = try session.context.openConflicts().map(\.persistentIdentifier)
      .filter { name.matches($0) }
    let exact = matching.filter { $0.description == name.key }
    if let only = exact.count == 1 ? exact.first : nil { return only }
    guard matching.count <= 1 else { throw name.ambiguous(exact.isEmpty ? matching : exact) }
    guard let first = matching.first else {
      throw CommandError("record \(Value.quoted(text)) has no conflict")
    }
    return first
  }

  private func check(_ names: [String], of conflict: RecordConflict, _ context: ModelContext) throws
  {
    let entity = try context.schema.entity(named: conflict.persistentIdentifier.entityName)
    for name in names { _ = try entity.attribute(named: name) }
  }
}

/// A change that is made in another record than the one in which it was typed.
private struct MovedChange {
  /// The values; nil for a deletion.
  let values: [(field: String, value: Value)]?

  func make(in target: PersistentIdentifier, _ session: Session) throws {
    guard let values else {
      _ = try session.context.delete([target]) { _ in }
      return
    }
    for state in try session.context.states(for: [target]) {
      for (field, value) in values {
        if let slot = state.entity.layout.slot(of: field) { state.set(value, at: slot) }
      }
    }
  }
}

extension ResolveConflicts {
  /// The change of a record in conflict, to make it in another one.
  ///
  /// - Throws: `CommandError` if it is certain which record it is.
  private func moved(_ conflict: RecordConflict, to target: PersistentIdentifier) throws
    -> MovedChange
  {
    let identifier = conflict.persistentIdentifier
    let isNew = conflict.kind == .addedElsewhere && identifier.isTemporary
    guard conflict.doubt != nil, conflict.kind != .addedElsewhere || isNew,
      target.entityName == identifier.entityName,
      target != identifier || conflict.kind != .deletedElsewhere
    else {
      throw CommandError(
        "record \(identifier): it is certain which record this is; use mine or theirs"
      )
    }
    if conflict.kind == .deletedHere { return MovedChange(values: nil) }
    return MovedChange(
      values: conflict.differences.filter { isNew ? !$0.mine.isNull : $0.mine != $0.base }
        .map { ($0.name, $0.mine) }
    )
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
