import OpenSwiftData

extension Command {
  /// `delete`: removes records.
  static let delete = Command(
    "delete",
    aliases: ["rm"],
    usage: "ID …  |  delete [ENTITY] where P",
    summary: "delete records",
    details: Command.identifierDetails + """
      \nLinks to a deleted record are cleared. A field of type link:ENTITY:cascade deletes its record as
      well; link:ENTITY:deny prevents the deletion. The command reports changes to other records.
      """,
    changesData: true
  ) { arguments, session in
    let identifiers = try session.takeRecords(&arguments)
    let first = identifiers.first.map { [$0] } ?? []
    session.nameStep("delete", identifiers, try session.context.snapshots(for: first).values.first)
    if let name = identifiers.first?.entityName {
      try session.context.schema.entity(named: name).requireRoom(for: identifiers.count)
    }
    try Interruption.check()
    let result = try session.context.delete(identifiers)
    let done = "deleted" + (session.stepName ?? "").dropFirst("delete".count)
    var others: [String] = []
    if result.cascadedCount > 0 {
      others.append("deleted \(Session.counted(result.cascadedCount)) that linked to it")
    }
    if result.clearedCount > 0 {
      others.append("cleared \(Session.counted(result.clearedCount, "link"))")
    }
    guard !others.isEmpty else { return .done(done) }
    return .note(([done] + others).joined(separator: ", "))
  }
}

extension Session {
  /// Takes `ID …` or `[ENTITY] where P` to the end of the line, and finds the records, each once.
  ///
  /// A line of the screen that names none means the records marked, or the one under the cursor.
  func takeRecords(_ arguments: inout Arguments) throws -> [PersistentIdentifier] {
    if let target = try takeFilteredEntity(&arguments) {
      try arguments.finish()
      return try context.fetchIdentifiers(matching: target.query)
    }
    if arguments.isEmpty, let target = try takeTargets() { return target.identifiers }
    var named = [try arguments.require("record ID or \"where\"")]
    while let word = arguments.next() { named.append(word) }
    var seen: Set<PersistentIdentifier> = []
    return try named.map { try liveIdentifier($0.text) }.filter { seen.insert($0).inserted }
  }
}
