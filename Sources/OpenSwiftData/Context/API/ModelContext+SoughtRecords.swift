extension ModelContext {
  /// Inserts new records as `insert(_:of:)` does, for a command that found no record with their keys.
  ///
  /// If another program adds such a record before the save, its record gets the values of the command.
  ///
  /// - Parameters:
  ///   - records: The values of the records.
  ///   - entity: Their entity.
  ///   - fields: The fields of the key.
  ///   - assigned: The fields that the command has set; nil for those that differ from their defaults.
  /// - Returns: The temporary identifier of the last record.
  /// - Throws: `Interruption.Stopped` between two records.
  package func insert(
    _ records: [[Value]],
    of entity: Schema.Entity,
    soughtBy fields: [String],
    assigning assigned: Set<String>?
  ) throws -> PersistentIdentifier? {
    let start = tracker.nextSerial
    let last = try insert(records, of: entity)
    if !records.isEmpty {
      stores.sought.add(
        SoughtRecords(
          entityName: entity.name,
          fields: fields,
          assigned: assigned,
          serials: start..<tracker.nextSerial
        )
      )
    }
    return last
  }

  /// Makes changes of records that others have added of new ones with the same keys.
  ///
  /// - Throws: The error of a store that cannot be read.
  func join(_ taken: TakenKeys) throws {
    merging.mergeChanges()
    let targets = try fetching.states(for: Array(Set(taken.records.values)))
    var overtaken = OvertakingVersions()
    var joined: [PersistentIdentifier: PersistentIdentifier] = [:]
    for (identifier, other) in taken.records.sorted(by: { $0.key < $1.key }) {
      guard let mine = pending[identifier]?.state, let target = targets[other],
        let sought = stores.sought.containing(identifier)
      else { continue }
      let theirs = target.orderedValues
      var values = theirs
      for (slot, field) in target.entity.fields.enumerated() {
        guard let own = mine.entity.layout.slot(of: field.name),
          // A key keeps the spelling that the others have given it.
          !sought.fields.contains(field.name), sought.assigns(field, mine.orderedValues[own])
        else { continue }
        values[slot] = mine.orderedValues[own]
      }
      pending.remove(mine)
      mine.isDeleted = true
      registry.forget(mine)
      joined[identifier] = other
      // The key goes on to decide which record it is.
      stores.readSets.addNames(sought.fields, of: sought.entityName, [other])
      if values != theirs {
        if pending[target] == nil {
          pending.set(.init(state: target, kind: .updated, original: theirs, model: nil))
        }
        target.replaceValues(values)
      }
      overtaken.add(joined: target, theirs: theirs)
    }
    let map = IdentifierMap(joined)
    remapping.add(map)
    for change in pending.all where change.state.hasLinks { change.state.remapLinks(map) }
    let remapping = remapping
    undoLog.begin(with: overtaken) { $0.isTemporary ? remapping[$0] ?? $0 : $0 }
    surroundings.noteChange()
  }
}
