import OpenSwiftData

/// Finds the records of recovered changes that are identified only by their position.
///
/// A record of a file of another program has its position as its key. The position in a recovery file is that of the
/// program that wrote it: records may have been deleted before it since, by that program or by another one. The values
/// before the change tell which record is meant: those of the fields by which it was known, or else all of them.
struct RecoveryMatching {
  /// The records that have another position now.
  private(set) var moved: [RecoveryLink: PersistentIdentifier] = [:]
  /// Those of them that are known by a key, so that other values may have changed.
  private(set) var keyed: Set<RecoveryLink> = []
  /// Records that had equal ones, of which another program has left fewer.
  private(set) var unsure: Set<RecoveryLink> = []
  /// The entities whose records are identified only by their positions.
  let entitiesByPlace: Set<String>

  /// Compares the changes with the records of the context.
  ///
  /// - Parameters:
  ///   - edits: The changes.
  ///   - context: The context with the records.
  ///   - isOutdated: True if the store has changed since.
  ///   - identifier: The identifier with the key of a link.
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(n) in the number of records of the entities with records that are not where they were.
  init(
    _ edits: [RecoveryEdit],
    in context: ModelContext,
    isOutdated: Bool,
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
      let mayBeFewer = isOutdated && edit.copies != nil
      if !mayBeFewer, let record = present[place], edit.isAbout(record) {
        taken.insert(place)
      } else {
        missing.append(edit)
      }
    }
    for (name, edits) in Dictionary(grouping: missing, by: \.record.entity) {
      guard let layout = context.schema.entitiesByName[name]?.layout else { continue }
      let snapshots = try context.fetchSnapshots(matching: Query(name))
      var found: [[String: RecoveryValue]: [PersistentIdentifier]] = [:]
      for snapshot in snapshots.reversed() where !taken.contains(snapshot.persistentIdentifier) {
        found[snapshot.recoveryValues, default: []].append(snapshot.persistentIdentifier)
      }
      // Without some of its fields a record cannot be told from others at other positions.
      let whole = edits.filter { $0.remainingNames(in: layout) == nil }
      let counts = found.mapValues(\.count)
      for edit in whole {
        if let count = counts[edit.valuesBefore], isOutdated, count < edit.copies ?? 1 {
          unsure.insert(edit.record)
        }
      }
      // It makes no difference which of several equal records is changed, but the nearest one is probably the same.
      for edit in whole where !unsure.contains(edit.record) {
        let number = places[edit.record]?.numberKey ?? 0
        let equal = found[edit.valuesBefore] ?? []
        let nearest = equal.indices.min {
          abs((equal[$0].numberKey ?? 0) - number) < abs((equal[$1].numberKey ?? 0) - number)
        }
        moved[edit.record] = nearest.flatMap { found[edit.valuesBefore]?.remove(at: $0) }
      }
      find(whole.filter { moved[$0.record] == nil }, in: snapshots)
    }
  }

  /// Finds records by the fields by which they were known.
  private mutating func find(_ edits: [RecoveryEdit], in snapshots: [DefaultSnapshot]) {
    for (fields, edits) in Dictionary(grouping: edits, by: \.key) {
      guard let fields, !fields.isEmpty else { continue }
      let known = RecordsByKey(fields, snapshots)
      var others: [[String]: RecordsByKey] = [:]
      for edit in edits {
        let records = known.records(of: edit, at: \.before)
        guard records.count == 1 else { continue }
        let likeness = edit.likeness(to: records[0])
        // As after a save: a new record under the key of a former one agrees by chance in one value or another.
        if likeness.contradictsNames { continue }
        if likeness.isLittle {
          // All other values on a record with another key: the keys were exchanged.
          let names = edit.fields.keys.filter { !fields.contains($0) }.sorted()
          let rest = others[names] ?? RecordsByKey(names, snapshots)
          others[names] = rest
          let twins = rest.records(of: edit, at: \.before)
          let place = records[0].persistentIdentifier
          if names.count > 1, twins.contains(where: { $0.persistentIdentifier != place }) {
            continue
          }
        }
        moved[edit.record] = records[0].persistentIdentifier
        keyed.insert(edit.record)
      }
    }
  }
}

extension ModelContext {
  /// True unless the store says that the numbers of an entity's records are keys that they keep.
  func mayIdentifyByPlace(_ entityName: String) -> Bool {
    let store = container.stores.first { $0.schema.entitiesByName[entityName] != nil }
    return (store as? any CopyingStore)?.identifiesByPlace(entityName) ?? true
  }
}

extension DefaultSnapshot {
  /// The values that are not null, by name.
  fileprivate var recoveryValues: [String: RecoveryValue] {
    var values: [String: RecoveryValue] = [:]
    for (name, value) in zip(layout.names, orderedValues) {
      values[name] = RecoveryValue(value)?.spelledAlike
    }
    return values
  }
}

extension RecoveryEdit {
  /// The fields of the line that still exist, of a record that is known by its position; nil if all do.
  ///
  /// Another program has renamed or dropped the others, so that the fields that are not in the line may have been
  /// called otherwise, too.
  func remainingNames(in layout: SnapshotLayout) -> Set<String>? {
    let remaining = fields.keys.filter { layout.slot(of: $0) != nil }
    return remaining.count == fields.count ? nil : Set(remaining)
  }

  /// True if the record has the values before or after the change, as far as its fields still exist.
  fileprivate func isAbout(_ record: DefaultSnapshot) -> Bool {
    guard let names = remainingNames(in: record.layout) else {
      let values = record.recoveryValues
      return values == valuesBefore || values == valuesAfter
    }
    let values = record.recoveryValues.filter { names.contains($0.key) }
    func known(_ values: [String: RecoveryValue]) -> [String: RecoveryValue] {
      values.filter { names.contains($0.key) }
    }
    return values == known(valuesBefore) || values == valuesAfter.map(known)
  }

  /// How much of a record with the same key agrees with the values before the change.
  fileprivate func likeness(to record: DefaultSnapshot) -> RecordLikeness {
    let (values, before) = (record.recoveryValues, valuesBefore)
    var likeness = RecordLikeness()
    for name in Set(before.keys).union(values.keys).subtracting(key ?? []) {
      let sides = [before[name], values[name]]
      likeness.add(
        isEqual: sides[0] == sides[1],
        isWord: sides.contains { $0.map { SpelledNumber($0.text.utf8) == nil } ?? false }
      )
    }
    return likeness
  }

  fileprivate var valuesBefore: [String: RecoveryValue] {
    fields.compactMapValues(\.before?.spelledAlike)
  }
  /// Nil for a deletion.
  fileprivate var valuesAfter: [String: RecoveryValue]? {
    change == .delete ? nil : fields.compactMapValues(\.after?.spelledAlike)
  }
}
