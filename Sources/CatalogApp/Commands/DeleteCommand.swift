import OpenSwiftData

extension Command {
  /// `delete`: removes records.
  static let delete = Command(
    "delete",
    aliases: ["rm"],
    usage: "ID …  |  delete [ENTITY] where P",
    summary: "delete records",
    details: Command.identifierDetails,
    changesData: true
  ) { arguments, session in
    let identifiers = try session.takeRecords(&arguments)
    let first = identifiers.first.map { [$0] } ?? []
    session.nameStep("delete", identifiers, try session.context.snapshots(for: first).values.first)
    for batch in identifiers.batches {
      for record in try session.context.records(for: Array(batch)) {
        session.context.delete(record)
      }
    }
    return .done("deleted" + (session.stepName ?? "").dropFirst("delete".count))
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
    var named = [try arguments.require("the record's identifier or \"where\"")]
    while let word = arguments.next() { named.append(word) }
    var seen: Set<PersistentIdentifier> = []
    return try named.map { try liveIdentifier($0.text) }.filter { seen.insert($0).inserted }
  }
}
