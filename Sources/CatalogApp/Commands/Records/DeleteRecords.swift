import OpenSwiftData

/// `delete`: removes records.
struct DeleteRecords: RecordInstruction {
  var target: Target
  /// How many records there must be; nil for any number.
  var expectation: Expectation?

  static let command = Command(
    "delete",
    aliases: ["rm"],
    usage: "ID … [expect N]  |  delete - [expect N]  |  delete [ENTITY] where P [expect N]",
    summary: "delete records",
    details: ShowRecord.identifierDetails + """
      \nLinks to a deleted record are cleared. A field of type link:ENTITY:cascade deletes its record as
      well; link:ENTITY:deny prevents the deletion. The command reports changes to other records.
      With "expect", nothing is deleted unless there are exactly N records (or >=N, <N, …).
      On the screen, "delete" alone deletes the marked records, or the one under the cursor.
      """,
    changesData: true,
    isEdit: true
  ) { arguments, session in
    let target = try session.takeTarget(&arguments, untilExpect: true)
    return DeleteRecords(target: target, expectation: try arguments.takeExpectation())
  }

  var asksAboveOne: Bool { true }
  var isQuick: Bool { target.isOneRecord }

  func perform(in session: Session) throws -> Outcome {
    var matches = try MatchCheck(target, session)
    let identifiers = try session.identifiers(of: target)
    try expectation?.check(identifiers.count)
    session.notes.count = identifiers.count
    let first = identifiers.first.map { [$0] } ?? []
    session.nameStep("delete", identifiers, try session.context.snapshots(for: first).values.first)
    if let name = identifiers.first?.entityName {
      let entity = try session.context.schema.entity(named: name)
      try entity.refuse(because: entity.deletionRefusal)
      try entity.requireRoom(for: identifiers.count)
    }
    try Interruption.check()
    let result = try session.context.delete(identifiers) { try matches.check($0) }
    let done = "deleted" + (session.notes.stepName ?? "").dropFirst("delete".count)
    var others: [String] = []
    if result.cascadedCount > 0 {
      others.append("deleted \(counted(result.cascadedCount)) that linked to it")
    }
    if result.clearedCount > 0 {
      others.append("cleared \(counted(result.clearedCount, "link"))")
    }
    guard !others.isEmpty else { return .done(done) }
    return .note(([done] + others).joined(separator: ", "))
  }
}
