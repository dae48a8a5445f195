import OpenSwiftData

/// `duplicate`: adds copies of records.
struct DuplicateRecords: RecordInstruction {
  var target: Target

  static let command = Command(
    "duplicate",
    usage: "ID …  |  duplicate [ENTITY] where P",
    summary: "add a copy of each record and print its temporary identifier",
    details: ShowRecord.identifierDetails + """
      \nValues of read-only fields are not copied: the store makes them.
      On the screen, "duplicate" alone copies the marked records, or the one under the cursor.
      """,
    changesData: true,
    isEdit: true
  ) { arguments, session in
    DuplicateRecords(target: try session.takeTarget(&arguments))
  }

  var showsNewRecord: Bool { true }

  func perform(in session: Session) throws -> Outcome {
    let identifiers = try session.identifiers(of: target)
    if let name = identifiers.first?.entityName {
      let entity = try session.context.schema.entity(named: name)
      try entity.refuse(because: entity.additionRefusal)
    }
    var copies: [PersistentIdentifier] = []
    var first: DefaultSnapshot?
    let counter = WorkCounter(of: identifiers.count)
    for batch in identifiers.batches {
      for original in try session.context.records(for: Array(batch)) {
        let copy = Record(entity: original.entity)
        for (slot, value) in original.snapshot.orderedValues.enumerated()
        where !original.entity.fields[slot].isReadOnly {
          copy.persistentState.set(value, at: slot)
        }
        session.context.insert(copy)
        copies.append(copy.persistentModelID)
        first = first ?? copy.snapshot
        try counter.add()
      }
    }
    if let note = session.store.hiddenValuesNote(of: identifiers) {
      session.notes.remarks.append("duplicate: \(note)")
    }
    session.script.identifiers.note(copies, inLine: session.script.lineNumber)
    session.nameStep("duplicate", copies, first)
    let names = copies.map(\.description)
    return .facts(Facts(names, [("ids", JSONObject.array(names))]))
  }
}
