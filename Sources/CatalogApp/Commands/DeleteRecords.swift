import OpenSwiftData

/// `delete`: removes records.
struct DeleteRecords: RecordInstruction {
  var target: Target

  static let command = Command(
    "delete",
    aliases: ["rm"],
    usage: "ID …  |  delete [ENTITY] where P",
    summary: "delete records",
    details: ShowRecord.identifierDetails + """
      \nLinks to a deleted record are cleared. A field of type link:ENTITY:cascade deletes its record as
      well; link:ENTITY:deny prevents the deletion. The command reports changes to other records.
      On the screen, "delete" alone deletes the marked records, or the one under the cursor.
      """,
    changesData: true,
    canBeStopped: true
  ) { arguments, session in
    DeleteRecords(target: try session.takeTarget(&arguments))
  }

  var asksAboveOne: Bool { true }

  func perform(in session: Session) throws -> Outcome {
    let identifiers = try session.identifiers(of: target)
    let first = identifiers.first.map { [$0] } ?? []
    session.nameStep("delete", identifiers, try session.context.snapshots(for: first).values.first)
    if let name = identifiers.first?.entityName {
      try session.context.schema.entity(named: name).requireRoom(for: identifiers.count)
    }
    try Interruption.check()
    let result = try session.context.delete(identifiers)
    let done = "deleted" + (session.notes.stepName ?? "").dropFirst("delete".count)
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
