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
    let identifiers: [PersistentIdentifier]
    if let target = try session.takeFilteredEntity(&arguments) {
      try arguments.finish()
      identifiers = try session.context.fetchIdentifiers(matching: target.query)
    } else {
      var named = [try arguments.require("the record's identifier or \"where\"")]
      while let word = arguments.next() { named.append(word) }
      var seen: Set<PersistentIdentifier> = []
      identifiers = try named.map { try session.liveIdentifier($0.text) }
        .filter { seen.insert($0).inserted }
    }
    let first = identifiers.first.map { [$0] } ?? []
    session.nameStep("delete", identifiers, try session.context.snapshots(for: first).values.first)
    for batch in identifiers.batches {
      try Interruption.check()
      for record in try session.context.records(for: Array(batch)) {
        session.context.delete(record)
      }
    }
    return .done("deleted" + (session.stepName ?? "").dropFirst("delete".count))
  }
}
