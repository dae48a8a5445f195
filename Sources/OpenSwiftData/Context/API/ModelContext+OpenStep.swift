/// A step that is looked at, abandoned, and perhaps made again.
extension ModelContext {
  /// The changes since the last undo step ended, as a step with this name; nil if nothing changed.
  package func openStep(named name: UndoStep.Name) -> UndoStep? {
    undoLog.isRecording ? UndoStep(name: name, changes: undoLog.open) : nil
  }

  /// Makes the changes of a step that was abandoned, as a redo would.
  ///
  /// - Precondition: No step is being recorded.
  /// - Throws: As `redo()`; nothing has changed then.
  package func perform(_ step: UndoStep) throws {
    precondition(!undoLog.isRecording, "A step is being recorded.")
    let redoable = undoLog.redoable
    undoLog.restoreRedo([step])
    do {
      try redo()
    } catch {
      undoLog.restoreRedo(redoable)
      throw error
    }
  }
}

extension UndoStep {
  /// A change of a record.
  package enum RecordChange: Sendable {
    case inserted(DefaultSnapshot)
    case deleted(DefaultSnapshot)
    case updated(PersistentIdentifier, field: String, before: Value, after: Value)

    /// The record.
    package var record: PersistentIdentifier {
      switch self {
      case .inserted(let snapshot), .deleted(let snapshot): snapshot.persistentIdentifier
      case .updated(let identifier, _, _, _): identifier
      }
    }

    /// The values that it replaces or removes, and those that it sets.
    package var values: [Value] {
      switch self {
      case .inserted(let snapshot), .deleted(let snapshot): snapshot.orderedValues
      case .updated(_, _, let before, let after): [before, after]
      }
    }
  }

  /// The changes of records by their places, without copies of them: there may be a million.
  package struct RecordChanges: Sendable {
    private let places: UndoChanges.Places
    /// The number of changes.
    package var count: Int { places.count }

    fileprivate init(_ step: UndoStep) { places = UndoChanges.Places(step.changes) }

    /// The change at a place; nil for one of the schema.
    package subscript(place: Int) -> RecordChange? {
      switch places[place] {
      case .insert(let snapshot)?: .inserted(snapshot)
      case .delete(let snapshot)?: .deleted(snapshot)
      case .update(let identifier, let layout, let slot, let old, let new)?:
        .updated(identifier, field: layout.names[slot], before: old, after: new)
      case .schema?, nil: nil
      }
    }
  }

  /// The changes of records by their places.
  package var recordChanges: RecordChanges { RecordChanges(self) }

  /// True if it changes the schema.
  package var changesSchema: Bool { changes.changesSchema }

  /// The step without the changes of some records, under another name.
  package func without(_ records: Set<PersistentIdentifier>, named name: String) -> UndoStep {
    if records.isEmpty { return self }
    return UndoStep(
      name: name,
      changes: UndoChanges(
        changes.lazy.filter { $0.identifier.map { !records.contains($0) } ?? true }
      )
    )
  }
}
