/// The values that fields had before a save converted them to another type.
///
/// In the change set of such a save, converted values have no values before them. A history keeps those that do not
/// follow from the new ones, because the same save has changed them or deleted the record.
extension SchemaReplacement {
  /// The fields whose names other fields have taken, as a conversion to another type does; only their entities.
  package func replacedFields(of former: Schema) -> Schema {
    Schema(
      former.entities.compactMap { entity in
        guard let origins = origins[entity.name], let new = schema.entitiesByName[entity.name]
        else { return nil }
        let fields = entity.fields.filter { field in
          origins[field.name] == nil && field.type.destination == nil
            && new.fieldsByName[field.name].map { $0.type.destination == nil } ?? false
        }
        return fields.isEmpty ? nil : Schema.Entity(entity.name, attributes: fields)
      }
    )
  }

  /// The former values of these fields in the records for which they do not follow from the new ones.
  ///
  /// - Parameters:
  ///   - changes: The changes of records that follow the change of the schema.
  ///   - former: The schema before it.
  ///   - isComplete: True for the values of all changed records.
  ///   - forEachPage: Reads the records before it.
  /// - Returns: Snapshots with the values of the replaced fields.
  /// - Throws: The error of the store, or `Interruption.Stopped`.
  /// - Complexity: O(n) in the records of entities with such fields; O(1) without any.
  package func formerValues(
    changedBy changes: ChangeSet,
    from former: Schema,
    isComplete: Bool = false,
    _ forEachPage: (Query, (any RecordPage) throws -> Void) throws -> Void
  ) throws -> [DefaultSnapshot] {
    var values: [DefaultSnapshot] = []
    var meter = WorkMeter()
    for entity in replacedFields(of: former).entities {
      let part = changes.restricted(to: [entity.name])
      let deleted = Set(part.deleted.map(\.persistentIdentifier))
      let updated = Dictionary(
        part.updated.map { ($0.persistentIdentifier, $0.after) },
        uniquingKeysWith: { first, _ in first }
      )
      let fields = entity.layout.names.compactMap {
        schema.entitiesByName[entity.name]?.fieldsByName[$0]
      }
      try forEachPage(Query(entity.name, attributes: entity.layout.names)) { page in
        for record in page.snapshots {
          try meter.count(fields.count)
          let old = record.arranged(as: entity.layout)
          let new = updated[record.persistentIdentifier]
          let isChanged =
            isComplete && new != nil
            || zip(old.orderedValues, fields).contains { value, field in
              value.converted(to: field.type) != new?[field.name] ?? field.defaultValue
            }
          if isChanged || deleted.contains(record.persistentIdentifier) { values.append(old) }
        }
      }
    }
    return values
  }
}

extension Transaction {
  /// The changes with the former values of converted fields, as far as they are known.
  ///
  /// - Parameter isShown: Whether a former value is shown with the new one, which has the type.
  /// - Returns: The changes; records whose converted values were removed are among the updated ones.
  /// - Complexity: O(n) in the number of values.
  package func changesWithFormerValues(
    where isShown: (_ former: Value, _ new: Value, AttributeType) -> Bool
  ) -> ChangeSet {
    guard !formerValues.isEmpty, case .replaceSchema(let replacement) = schemaChange else {
      return changes
    }
    return changes.adding(formerValues, as: replacement.schema, where: isShown)
  }
}

extension ChangeSet {
  /// The changes with the former values of converted fields.
  package func adding(
    _ former: [DefaultSnapshot],
    as schema: Schema,
    where isShown: (_ former: Value, _ new: Value, AttributeType) -> Bool
  ) -> ChangeSet {
    var rest = Dictionary(
      former.map { ($0.persistentIdentifier, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    var result = self
    for place in result.deleted.indices {
      guard let known = rest.removeValue(forKey: deleted[place].persistentIdentifier) else {
        continue
      }
      result.deleted[place].take(known)
    }
    for place in result.updated.indices {
      let identifier = updated[place].persistentIdentifier
      guard let known = rest.removeValue(forKey: identifier) else { continue }
      result.updated[place].take(known, in: schema, where: isShown)
    }
    for known in former where rest[known.persistentIdentifier] != nil {
      let empty = DefaultSnapshot(
        persistentIdentifier: known.persistentIdentifier,
        layout: SnapshotLayout([]),
        orderedValues: []
      )
      var update = RecordUpdate(before: empty, after: empty)
      update.take(known, in: schema, where: isShown)
      if !update.changedSlots.isEmpty { result.updated.append(update) }
    }
    return result
  }
}

extension RecordUpdate {
  /// Takes former values; those that it has no values for are now null, because it lists all others.
  fileprivate mutating func take(
    _ former: DefaultSnapshot,
    in schema: Schema,
    where isShown: (Value, Value, AttributeType) -> Bool
  ) {
    let entity = schema.entitiesByName[former.persistentIdentifier.entityName]
    for (name, value) in zip(former.layout.names, former.orderedValues) {
      guard let field = entity?.fieldsByName[name] else { continue }
      let new = after[name] ?? .null
      guard value != new, isShown(value, new, field.type) else { continue }
      if after.layout.slot(of: name) == nil {
        let layout = SnapshotLayout(after.layout.names + [name])
        before = before.arranged(as: layout)
        after = after.arranged(as: layout)
      }
      if before.layout != after.layout { before = before.arranged(as: after.layout) }
      before.take(DefaultSnapshot(former, only: name, value))
    }
  }
}

extension DefaultSnapshot {
  fileprivate init(_ record: DefaultSnapshot, only name: String, _ value: Value) {
    self.init(
      persistentIdentifier: record.persistentIdentifier,
      layout: SnapshotLayout([name]),
      orderedValues: [value]
    )
  }

  /// Takes the values of another snapshot under names that this one has.
  fileprivate mutating func take(_ other: DefaultSnapshot) {
    for (name, value) in zip(other.layout.names, other.orderedValues) {
      if let slot = layout.slot(of: name) { orderedValues[slot] = value }
    }
  }
}
