import OpenSwiftData

/// Finds the records of recovered changes that are identified only by their position.
///
/// A record of a file of another program has its position as its key. The position in a recovery file is that of the
/// program that wrote it: records may have been deleted before it since, by that program or by another one. The values
/// before the change tell which record is meant.
struct RecoveryMatching {
  /// The records that have another position now.
  private(set) var moved: [RecoveryLink: PersistentIdentifier] = [:]
  /// The entities whose records are identified only by their positions.
  let entitiesByPlace: Set<String>

  /// Compares the changes with the records of the context.
  ///
  /// - Parameters:
  ///   - edits: The changes.
  ///   - context: The context with the records.
  ///   - identifier: The identifier with the key of a link.
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(n) in the number of records of the entities with records that are not where they were.
  init(
    _ edits: [RecoveryEdit],
    in context: ModelContext,
    identifier: (RecoveryLink) -> PersistentIdentifier?
  ) throws {
    entitiesByPlace = Set(edits.map(\.record.entity)).filter(context.mayIdentifyByPlace)
    var places: [RecoveryLink: PersistentIdentifier] = [:]
    for edit in edits where edit.change == .update || edit.change == .delete {
      guard edit.record.isNew != true, entitiesByPlace.contains(edit.record.entity),
        let place = identifier(edit.record), place.numberKey != nil,
        context.schema.entitiesByName[place.entityName] != nil
      else { continue }
      places[edit.record] = place
    }
    let present = try context.snapshots(for: Array(places.values))
    var taken: Set<PersistentIdentifier> = []
    var missing: [RecoveryEdit] = []
    for edit in edits {
      guard let place = places[edit.record] else { continue }
      if let values = present[place]?.recoveryValues,
        values == edit.valuesBefore || values == edit.valuesAfter
      {
        taken.insert(place)
      } else {
        missing.append(edit)
      }
    }
    for name in Set(missing.map(\.record.entity)).sorted() {
      var found: [[String: RecoveryValue]: [PersistentIdentifier]] = [:]
      for snapshot in try context.fetchSnapshots(matching: Query(name)).reversed()
      where !taken.contains(snapshot.persistentIdentifier) {
        found[snapshot.recoveryValues, default: []].append(snapshot.persistentIdentifier)
      }
      // Records with the same values are the same for whoever changed one of them.
      for edit in missing where edit.record.entity == name {
        moved[edit.record] = found[edit.valuesBefore]?.popLast()
      }
    }
  }
}

extension ModelContext {
  /// True unless the store says that the numbers of an entity's records are keys that they keep.
  func mayIdentifyByPlace(_ entityName: String) -> Bool {
    let store = container.stores.first { $0.schema.entitiesByName[entityName] != nil }
    return (store as? any IdentifierKeepingStore)?.identifiesByPlace(entityName) ?? true
  }
}

extension DefaultSnapshot {
  /// The values that are not null, by name.
  fileprivate var recoveryValues: [String: RecoveryValue] {
    var values: [String: RecoveryValue] = [:]
    for (name, value) in zip(layout.names, orderedValues) { values[name] = RecoveryValue(value) }
    return values
  }
}

extension RecoveryEdit {
  fileprivate var valuesBefore: [String: RecoveryValue] { fields.compactMapValues(\.before) }
  /// Nil for a deletion.
  fileprivate var valuesAfter: [String: RecoveryValue]? {
    change == .delete ? nil : fields.compactMapValues(\.after)
  }
}
