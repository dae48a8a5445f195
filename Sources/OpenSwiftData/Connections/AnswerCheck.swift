/// Checks the records that a `QueryableStore` returns.
///
/// Without the check, a value of another kind would read as a default, such as `false` for text in a Boolean
/// field.
struct AnswerCheck {
  let storeName: String
  /// The schema of the model classes, if there are any.
  let models: Schema?

  /// Checks the answer to a query.
  ///
  /// - Throws: `PersistenceError` with code `.storeViolation`.
  func check(_ snapshots: [DefaultSnapshot], of query: Query, in schema: Schema) throws {
    guard let first = snapshots.first else { return }
    var check = try records(of: query.entityName, query.attributes, schema, first)
    // In place, because copying a record retains its parts.
    try snapshots.withUnsafeBufferPointer { snapshots in
      for place in snapshots.indices { try check.check(snapshots[place]) }
    }
  }

  /// Checks records found by their identifiers.
  ///
  /// - Throws: `PersistenceError` with code `.storeViolation`.
  func check(
    _ snapshots: [PersistentIdentifier: DefaultSnapshot],
    attributes: [String]?,
    in schema: Schema
  ) throws {
    for (identifier, snapshot) in snapshots where snapshot.persistentIdentifier != identifier {
      throw violation("returned record \(snapshot.persistentIdentifier) for \(identifier)")
    }
    try check(snapshots.values, attributes, schema)
  }

  /// Checks records, of which some attributes were asked for.
  ///
  /// - Throws: `PersistenceError` with code `.storeViolation`.
  func check(
    _ snapshots: some Sequence<DefaultSnapshot>,
    _ attributes: [String]?,
    _ schema: Schema
  ) throws {
    var checks: [IdentifierScope: RecordCheck] = [:]
    for snapshot in snapshots {
      let identifier = snapshot.persistentIdentifier
      let scope = identifier.identifierScope
      let new =
        try checks[scope] ?? records(of: identifier.entityName, attributes, schema, snapshot)
      try checks[scope, default: new].check(snapshot)
    }
  }

  private func records(
    of entityName: String,
    _ attributes: [String]?,
    _ schema: Schema,
    _ first: DefaultSnapshot
  ) throws -> RecordCheck {
    guard let entity = schema.entitiesByName[entityName] else {
      throw violation(
        "returned record \(first.persistentIdentifier) of unknown entity \"\(entityName)\""
      )
    }
    let fields = try attributes?.map { try entity.attribute(named: $0) } ?? entity.fields
    return RecordCheck(
      answer: self,
      entityName: entityName,
      layout: attributes.map { SnapshotLayout($0) } ?? entity.layout,
      rules: RecordRules(fields, of: entityName, models: models)
    )
  }

  private func violation(_ what: String) -> PersistenceError {
    PersistenceError(.storeViolation, "store \(storeName): \(what)")
  }

  /// Checks records of one entity in one layout.
  private struct RecordCheck {
    private let answer: AnswerCheck
    private let entityName: String
    private let rules: RecordRules
    private let layout: SnapshotLayout
    /// The layout and the scope of the last record, because most records share them.
    private var lastLayout: SnapshotLayout
    private var lastScope: IdentifierScope?

    init(answer: AnswerCheck, entityName: String, layout: SnapshotLayout, rules: RecordRules) {
      self.answer = answer
      self.entityName = entityName
      self.layout = layout
      self.rules = rules
      lastLayout = layout
    }

    mutating func check(_ snapshot: DefaultSnapshot) throws {
      let identifier = snapshot.persistentIdentifier
      try checkIdentifier(identifier)
      if snapshot.layout !== lastLayout {
        guard snapshot.layout == layout else {
          throw answer.violation(
            "\(entityName) \(identifier): fields do not match the schema (expected "
              + layout.names.joined(separator: ", ") + "; found "
              + snapshot.layout.names.joined(separator: ", ") + ")"
          )
        }
        lastLayout = snapshot.layout
      }
      try snapshot.checkValueCount(in: answer.storeName)
      guard let slot = rules.firstFault(in: snapshot.orderedValues) else { return }
      throw rules.violation(
        snapshot.orderedValues[slot],
        at: slot,
        of: identifier,
        in: answer.storeName
      )
    }

    private mutating func checkIdentifier(_ identifier: PersistentIdentifier) throws {
      guard !identifier.isTemporary else {
        throw answer.violation(
          "returned the temporary identifier \(identifier) of \(identifier.entityName); "
            + "a store assigns permanent identifiers when it saves"
        )
      }
      if identifier.identifierScope == lastScope { return }
      guard identifier.entityName == entityName else {
        throw answer.violation(
          "returned \(identifier.entityName) record \(identifier) as a record of \(entityName)"
        )
      }
      lastScope = identifier.identifierScope
    }
  }
}
