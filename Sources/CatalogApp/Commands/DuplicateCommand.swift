import OpenSwiftData

extension Command {
  /// `duplicate`: adds copies of records.
  static let duplicate = Command(
    "duplicate",
    usage: "ID …  |  duplicate [ENTITY] where P",
    summary: "add a copy of each record and print its temporary identifier",
    details: Command.identifierDetails,
    changesData: true
  ) { arguments, session in
    let identifiers = try session.takeRecords(&arguments)
    var copies: [PersistentIdentifier] = []
    var first: DefaultSnapshot?
    for batch in identifiers.batches {
      for original in try session.context.records(for: Array(batch)) {
        let copy = Record(entity: original.entity)
        for (slot, value) in original.snapshot.orderedValues.enumerated() {
          copy.persistentState.set(value, at: slot)
        }
        session.context.insert(copy)
        copies.append(copy.persistentModelID)
        first = first ?? copy.snapshot
      }
    }
    session.nameStep("duplicate", copies, first)
    return .lines(copies.map(\.description))
  }
}
