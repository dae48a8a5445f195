/// The values that fields had before a save converted them to another type.
///
/// In the change set of such a save, converted values have no values before them. A history keeps those that do not
/// follow from the new ones, because they have lost something by the conversion, or because the same save has changed
/// them or deleted the record.
extension ReplacedFields {
  /// The former values of these fields in the records for which they do not follow from the new ones.
  ///
  /// - Parameters:
  ///   - changes: The changes of records that follow the change of the schema.
  ///   - isComplete: True for the values of all changed records.
  ///   - forEachPage: Reads the records before it.
  /// - Returns: Snapshots with the values of the former fields.
  /// - Throws: The error of the store, or `Interruption.Stopped`.
  /// - Complexity: O(n) in the records of entities with such fields; O(1) without any.
  package func formerValues(
    changedBy changes: ChangeSet,
    isComplete: Bool = false,
    _ forEachPage: (Query, (any RecordPage) throws -> Void) throws -> Void
  ) throws -> [DefaultSnapshot] {
    var values: [DefaultSnapshot] = []
    var meter = WorkMeter()
    for entity in former.entities {
      let part = changes.restricted(to: [entity.name])
      let deleted = Set(part.deleted.map(\.persistentIdentifier))
      let updated = Dictionary(
        part.updated.map { ($0.persistentIdentifier, $0.after) },
        uniquingKeysWith: { first, _ in first }
      )
      let pairs = pairs(of: entity.name)
      try forEachPage(Query(entity.name, attributes: entity.layout.names)) { page in
        for record in page.snapshots {
          try meter.count(pairs.count)
          let old = record.arranged(as: entity.layout)
          let new = updated[record.persistentIdentifier]
          let isChanged =
            isComplete && new != nil
            || pairs.contains { pair in
              old[pair.former.name]?.converted(to: pair.field.type)
                != new?[pair.field.name] ?? pair.field.defaultValue
            }
          if isChanged || deleted.contains(record.persistentIdentifier) { values.append(old) }
        }
      }
    }
    return values
  }
}

extension Transaction {
  /// The fields that its change of the schema has replaced; nil if there are none.
  package var replacedFields: ReplacedFields? {
    guard case .replaceSchema(let replacement) = schemaChange, let formerSchema else { return nil }
    let fields = ReplacedFields(replacement, of: formerSchema, steps: steps)
    return fields.isEmpty ? nil : fields
  }

  /// The changes with the former values of converted fields.
  ///
  /// Records whose converted values were removed are among the updated ones.
  ///
  /// - Complexity: O(n) in the number of values.
  package var changesWithFormerValues: ChangeSet {
    replacedFields.map { changes.adding(formerValues, of: $0) } ?? changes
  }
}

extension ChangeSet {
  /// The changes with the former values of converted fields: the known ones, and those that follow from the new ones.
  func adding(_ former: [DefaultSnapshot], of fields: ReplacedFields) -> ChangeSet {
    var rest = Dictionary(
      former.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let pairs = Dictionary(
      fields.former.entities.map { ($0.name, fields.pairs(of: $0.name)) },
      uniquingKeysWith: { first, _ in first }
    )
    var result = self
    for place in result.deleted.indices {
      let identifier = deleted[place].persistentIdentifier
      guard let known = rest.removeValue(forKey: identifier) else { continue }
      for pair in pairs[identifier.entityName] ?? [] {
        result.deleted[place].take(known[pair.former.name], as: pair.field.name)
      }
    }
    var unchanged: Set<Int> = []
    for place in result.updated.indices {
      let identifier = updated[place].persistentIdentifier
      guard let pairs = pairs[identifier.entityName] else { continue }
      let known = rest.removeValue(forKey: identifier)
      for pair in pairs { result.updated[place].take(known?[pair.former.name], pair) }
      // A field that was converted there and back has the value that it had.
      if result.updated[place].changedSlots.isEmpty, !updated[place].changedSlots.isEmpty {
        unchanged.insert(place)
      }
    }
    if !unchanged.isEmpty {
      let places = result.updated.indices.filter { !unchanged.contains($0) }
      result.updated = places.map { result.updated[$0] }
    }
    for known in former where rest[known.persistentIdentifier] != nil {
      let empty = DefaultSnapshot(
        persistentIdentifier: known.persistentIdentifier,
        layout: SnapshotLayout([]),
        orderedValues: []
      )
      var update = RecordUpdate(before: empty, after: empty)
      for pair in pairs[known.persistentIdentifier.entityName] ?? [] {
        update.take(known[pair.former.name], pair)
      }
      if !update.changedSlots.isEmpty { result.updated.append(update) }
    }
    return result
  }
}

extension RecordUpdate {
  /// Takes the former value of a field, nil for one that follows from the new one.
  ///
  /// A record without a new value has the default, because all others are listed.
  fileprivate mutating func take(_ known: Value?, _ pair: ReplacedFields.Pair) {
    let field = pair.field
    let new = after[field.name] ?? field.defaultValue
    guard let value = known ?? new.converted(to: pair.former.type) else { return }
    if after.layout.slot(of: field.name) == nil {
      if value == new { return }
      let layout = SnapshotLayout(after.layout.names + [field.name])
      before = before.arranged(as: layout)
      after = after.arranged(as: layout)
      after.take(new, as: field.name)
    }
    if before.layout != after.layout { before = before.arranged(as: after.layout) }
    before.take(value, as: field.name)
  }
}

extension DefaultSnapshot {
  /// Takes a value under a name that this one has.
  fileprivate mutating func take(_ value: Value?, as name: String) {
    if let value, let slot = layout.slot(of: name) { orderedValues[slot] = value }
  }
}
