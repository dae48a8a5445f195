/// The parts without state of their own, made where they are needed.
extension ModelContext {
  var conflictResolution: ConflictResolution {
    ConflictResolution(
      merging: merging,
      pending: pending,
      registry: registry,
      tracker: tracker,
      undoLog: undoLog,
      surroundings: surroundings,
      confinement: confinement
    )
  }
}
