/// The parts without state of their own, made where they are needed.
extension ModelContext {
  var deleteRules: DeleteRules { DeleteRules(tracker: tracker, fetching: fetching) }

  var linkRules: LinkRules { LinkRules(stores: stores, tracker: tracker, fetching: fetching) }

  var saveRules: SaveRules {
    SaveRules(
      stores: stores,
      pending: pending,
      tracker: tracker,
      fetching: fetching,
      uniqueness: uniqueness
    )
  }

  var conflictResolution: ConflictResolution {
    ConflictResolution(
      stores: stores,
      merging: merging,
      pending: pending,
      registry: registry,
      tracker: tracker,
      undoLog: undoLog,
      remapping: remapping,
      surroundings: surroundings,
      confinement: confinement
    )
  }

  var schemaStaging: SchemaStaging {
    SchemaStaging(
      stores: stores,
      pending: pending,
      registry: registry,
      undoLog: undoLog,
      remapping: remapping,
      tracker: tracker,
      merging: merging,
      fetching: fetching,
      surroundings: surroundings
    )
  }

  var undoReplay: UndoReplay {
    UndoReplay(
      stores: stores,
      undoLog: undoLog,
      remapping: remapping,
      tracker: tracker,
      merging: merging,
      fetching: fetching,
      uniqueness: uniqueness,
      schemaStaging: schemaStaging,
      conflictResolution: conflictResolution
    )
  }
}
