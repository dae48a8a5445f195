import OpenSwiftData

extension Save {
  /// Finds out whether a save would succeed, and says what it would save.
  ///
  /// A database runs the save and undoes it. For other stores, this checks what they would check before they write.
  ///
  /// - Throws: `SaveFailure` with the first error.
  func rehearse(in session: Session) throws -> Outcome {
    let effects = try session.script.identifiers.locatingFailures {
      if let effects = try resolving(in: keeping, session, { try $0.rehearseSave() }) {
        return effects
      }
      try session.context.validate()
      try session.context.requireStorable(uniqueIn: session.context.changedEntities)
      return []
    }
    let changes = RehearsedChanges(session.context, since: session.script.rehearsed)
    session.script.rehearsed = changes
    let counts = changes.counts
    let (inserted, updated, deleted) = (counts.inserted, counts.updated, counts.deleted)
    let steps = changes.newSteps.map(\.words)
    var lines = ["would save: \(inserted) inserted, \(updated) updated, \(deleted) deleted"]
    if !steps.isEmpty { lines.append("schema: " + steps.joined(separator: "; ")) }
    lines += effects.compactMap(\.words).map { "the database would also change: \($0)" }
    lines += effects.compactMap(\.overwrittenWords).map {
      "the database would store other values than are written: \($0)"
    }
    lines += effects.compactMap(\.limitRemark)
    return .facts(
      Facts(
        lines,
        [
          ("rehearsal", "true"), ("inserted", String(inserted)), ("updated", String(updated)),
          ("deleted", String(deleted)), ("schema", JSONObject.array(steps)),
        ]
      )
    )
  }
}

extension ModelContext {
  /// Checks changed records as stores do, with the identifiers that they have here in the error.
  ///
  /// - Parameter entities: Those whose records must have different unique values.
  /// - Throws: `PersistenceError`.
  func requireStorable(uniqueIn entities: [Schema.Entity]) throws {
    try forEachViolation(uniqueIn: entities) { throw $0 }
  }

  /// Everything for which the next save would be refused because of the schema, as far as it can be told before.
  ///
  /// - Throws: The error of a store that cannot be read.
  /// - Complexity: O(n) in the number of records of entities with unique fields that were changed.
  func unsavedViolations() throws -> [String] {
    guard hasChanges else { return [] }
    var found: [String] = []
    try forEachViolation(uniqueIn: changedEntities) { found.append($0.message) }
    return found
  }

  private func forEachViolation(
    uniqueIn entities: [Schema.Entity],
    _ body: (PersistenceError) throws -> Void
  ) throws {
    try forEachMissingValue(body)
    for entity in entities {
      for names in entity.uniquenessConstraints { try forEachDuplicate(of: names, entity, body) }
    }
  }

  /// The entities with new or changed records.
  fileprivate var changedEntities: [Schema.Entity] {
    let changes = pendingChanges
    let changed = Set(
      changes.inserted.map(\.persistentIdentifier.entityName)
        + changes.updated.map(\.after.persistentIdentifier.entityName)
    )
    return schema.entities.filter { changed.contains($0.name) }
  }

  /// Finds values that changed records lack although their fields require them.
  private func forEachMissingValue(_ body: (PersistenceError) throws -> Void) throws {
    let changes = pendingChanges
    for snapshot in changes.inserted + changes.updated.map(\.after) {
      let identifier = snapshot.persistentIdentifier
      let entity = try schema.entity(named: identifier.entityName)
      for field in entity.fields where !field.isOptional && (snapshot[field.name] ?? .null).isNull {
        try body(
          PersistenceError(
            .invalidValue,
            "\(entity.name).\(field.name): a value is required (record \(identifier))"
          )
        )
      }
    }
  }

  /// Finds records that have the same unique values as another one.
  ///
  /// - Complexity: O(n) in the number of records.
  private func forEachDuplicate(
    of names: [String],
    _ entity: Schema.Entity,
    _ body: (PersistenceError) throws -> Void
  ) throws {
    var holders: [[Value]: PersistentIdentifier] = [:]
    let fields = names.map { "\(entity.name).\($0)" }.joined(separator: " and ")
    let query = Query(entity.name, attributes: names)
    try forEachSnapshot(matching: query) { snapshot in
      let values = snapshot.orderedValues
      let identifier = snapshot.persistentIdentifier
      guard !values.contains(where: \.isNull),
        let other = holders.updateValue(identifier, forKey: values)
      else { return }
      let words = values.map { Value.quoted($0.text) }.joined(separator: ", ")
      try body(
        PersistenceError(
          .notUnique,
          "\(fields): must be unique\(names.count > 1 ? " in combination" : ""); "
            + "records \(other) and \(identifier) would both have \(words)"
        )
      )
    }
  }
}

extension ListChanges {
  /// What a rehearsal that ends leaves unsaved, because no `save` follows it; nil for nothing.
  func rehearsalRemark(_ session: Session) -> String? {
    guard session.context.hasChanges || session.script.rehearsed != nil else { return nil }
    guard let rehearsed = session.script.rehearsed else {
      return "no \"save\" in the script: without --dry-run these changes would be discarded"
    }
    let rest = RehearsedChanges(session.context, since: rehearsed)
    let count = rest.counts.inserted + rest.counts.updated + rest.counts.deleted
    guard count > 0 || !rest.newSteps.isEmpty else { return nil }
    return "no \"save\" after the last changes: without --dry-run they would be discarded"
  }
}
