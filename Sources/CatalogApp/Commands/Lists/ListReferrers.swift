import OpenSwiftData

/// `referrers`: lists the records that refer to one.
struct ListReferrers: Instruction {
  let identifier: PersistentIdentifier

  static let command = Command(
    "referrers",
    usage: "[ID]",
    summary: "list the records that refer to a record",
    details: """
      Prints a line for each with the field that refers to the record. On the screen, shows them as a filtered table;
      without ID, those of the record under the cursor.
      """
  ) { arguments, session in
    if arguments.remaining.isEmpty, let cursor = session.origin.screen?.cursor {
      return ListReferrers(identifier: cursor)
    }
    let word = try arguments.require("record ID")
    let name = try session.script.recordName(word, in: session.context.schema)
    return ListReferrers(identifier: try session.liveIdentifier(name))
  }

  func perform(in session: Session) throws -> Outcome {
    if session.origin.isOnScreen { return .screen(.referrers(to: identifier)) }
    var rows: [[Value]] = []
    for referrers in try session.context.referrers(to: identifier) {
      let entity = referrers.entity
      for batch in referrers.records.batches {
        let snapshots = try session.context.snapshots(for: Array(batch))
        rows += batch.map { record in
          let values = snapshots[record]?.arranged(as: entity.layout).orderedValues ?? []
          return [
            .text("\(entity.name).\(referrers.field.name)"), .text(record.description),
            .text(RecordTitle.text(of: values, in: entity)),
          ]
        }
      }
    }
    return .table(OutputTable(columns: ["field", "id", "title"], rows: rows))
  }
}
