import OpenSwiftData

/// `set` with a value of its own for each record, as typed into an editor with a line for each of them.
struct SetLines: Instruction {
  /// The new value of a record.
  struct Change: Hashable, Sendable {
    let record: PersistentIdentifier
    /// The value that was in the editor.
    let shown: Value
    let new: Assignment
    /// The record as it was then; nil if its key can be on no other one now.
    var row: DefaultSnapshot?
  }

  let changes: [Change]
  /// The number of records whose line was not changed.
  let keptCount: Int

  static var command: Command { SetValues.command }

  var title: String { "set \(changes.first?.new.field ?? "")" }

  private static let shownLimit = 15

  func perform(in session: Session) throws -> Outcome {
    guard let first = changes.first else { return .done("no change") }
    let count = counted(changes.count)
    if session.origin.asksFirst {
      return .question("set \(first.new.field) of \(count)?", details: details)
    }
    let replaced = try replacedRecords(in: session)
    let changes = changes.filter { replaced[$0.record] == nil }
    if changes.isEmpty, let doubt = replaced[first.record] {
      throw CommandError("\(first.record.entityName) record \(first.record): \(doubt.reason)")
    }
    try session.keepTexts(in: changes.map(\.new), of: first.record.entityName)
    let (setCount, overtakenCount) = try assign(changes, in: session)
    session.context.noteTyped(
      [first.new.field],
      of: changes.map(\.record),
      of: first.record.entityName
    )
    session.notes.warning = warning(
      replaced.count,
      changes.count - setCount,
      overtakenCount
    )
    session.notes.count = setCount
    session.notes.stepName = "set \(first.new.field) of \(counted(setCount))"
    return .done(session.notes.stepName ?? "")
  }

  /// What other programs have done while the lines were edited; nil for nothing.
  private func warning(_ replacedCount: Int, _ deletedCount: Int, _ overtakenCount: Int)
    -> String?
  {
    let losses = [("replaced", replacedCount), ("deleted", deletedCount)].filter { $0.1 > 0 }
    if !losses.isEmpty {
      let words = losses.map { "\($0.0) \(counted($0.1))" }.joined(separator: " and ")
      return "another program \(words) while you were editing"
    }
    guard overtakenCount > 0 else { return nil }
    return
      "another program saved \(counted(overtakenCount, "value")) while you were editing; "
      + "resolve the \(overtakenCount == 1 ? "conflict" : "conflicts") when you save"
  }

  /// What would change, for the question.
  private var details: [String] {
    var lines = changes.prefix(Self.shownLimit).map { change in
      "  \(Self.text(change.shown)) → \(change.newText)"
    }
    if changes.count > Self.shownLimit {
      lines.append("  … and \(changes.count - Self.shownLimit) more")
    }
    if keptCount > 0 {
      lines.append("\(counted(keptCount)) \(keptCount == 1 ? "stays" : "stay") as before")
    }
    return lines + ["Nothing is written until you save."]
  }

  fileprivate static func text(_ value: Value) -> String {
    value.isNull ? "null" : Value.quoted(value.text)
  }

  /// The records whose keys another program has given to other ones since they were shown.
  private func replacedRecords(in session: Session) throws -> [PersistentIdentifier: RecordDoubt] {
    let rows = changes.compactMap(\.row)
    if rows.isEmpty { return [:] }
    let present = try session.context.snapshots(for: rows.map(\.persistentIdentifier))
    return try session.context.doubts(
      about: rows.filter { row in
        present[row.persistentIdentifier].map { $0 != row } ?? false
      }
    )
  }

  /// Sets the values.
  ///
  /// - Returns: The number of values set, and of those among them that another program has changed since they were shown.
  private func assign(_ changes: [Change], in session: Session) throws -> (
    setCount: Int, overtakenCount: Int
  ) {
    guard let first = changes.first else { return (0, 0) }
    var setCount = 0
    let entity = try session.context.schema.entity(named: first.record.entityName)
    let values = try session.values(changes.map(\.new), for: entity)
    var overtakenCount = 0
    let counter = WorkCounter(of: changes.count)
    for start in stride(from: 0, to: changes.count, by: 1024) {
      let batch = start..<min(changes.count, start + 1024)
      try session.context.packingChanges {
        let states = Dictionary(
          try session.context.states(for: batch.map { changes[$0].record })
            .map { ($0.identifier, $0) },
          uniquingKeysWith: { first, _ in first }
        )
        for place in batch {
          try counter.add()
          guard let state = states[changes[place].record],
            let slot = state.entity.layout.slot(of: changes[place].new.field)
          else { continue }
          let current = state.orderedValues[slot]
          state.set(values[place].value, at: slot)
          setCount += 1
          // The command may have given the field another type.
          guard current.spelledAlike != changes[place].shown.spelledAlike,
            current != values[place].value
          else { continue }
          session.context.note(seen: [slot: changes[place].shown], of: state)
          overtakenCount += 1
        }
      }
    }
    return (setCount, overtakenCount)
  }
}

extension SetLines.Change {
  /// The new value in words.
  fileprivate var newText: String {
    switch new.content {
    case .value(let value): SetLines.text(value)
    case .typed(let text), .parameter(let text), .computed(let text): text
    }
  }
}
