/// The kinds of values that fields hold, in a form that finds an invalid value quickly.
struct RecordRules {
  private let fields: [Schema.Attribute]
  private let kinds: [ValueKind]
  private let isRequired: [Bool]

  /// Creates the rules of fields of an entity.
  ///
  /// Values are required only where a property of a model class needs them. Contexts have rules of their own
  /// for relationships.
  init(_ fields: [Schema.Attribute], of entityName: String, models: Schema?) {
    let model = models?.entitiesByName[entityName]
    let properties = model?.modelClass == nil ? nil : model?.fieldsByName
    self.fields = fields
    kinds = fields.map(\.type.kind)
    isRequired = fields.map { field in
      guard field.type.destination == nil, let property = properties?[field.name] else {
        return false
      }
      return !property.isOptional
    }
  }

  /// The first slot with an invalid value; nil if all are valid.
  ///
  /// There must be a value for each field, see `DefaultSnapshot.checkValueCount(in:)`.
  ///
  /// - Complexity: O(n) in the number of values.
  func firstFault(in values: [Value]) -> Int? {
    // By index and buffer for speed: this runs for every value that a store returns.
    values.withUnsafeBufferPointer { values in
      for slot in kinds.indices {
        guard let kind = values[slot].kind else {
          if isRequired[slot] { return slot }
          continue
        }
        if kind != kinds[slot] { return slot }
      }
      return nil
    }
  }

  /// The error for an invalid value of a record.
  func violation(
    _ value: Value,
    at slot: Int,
    of identifier: PersistentIdentifier,
    in storeName: String
  ) -> PersistenceError {
    let field = fields[slot]
    let fault =
      value.isNull
      ? "a value is required"
      : "\(Value.quoted(value.text)) is not a valid \(field.type.description)"
    return PersistenceError(
      .storeViolation,
      "store \(storeName): \(identifier.entityName).\(field.name): \(fault) (record \(identifier))"
    )
  }
}

extension DefaultSnapshot {
  /// Checks that there is one value for each name, because a store can replace the values.
  ///
  /// - Throws: `PersistenceError` with code `.storeViolation`.
  func checkValueCount(in storeName: String) throws {
    guard orderedValues.count != layout.names.count else { return }
    throw PersistenceError(
      .storeViolation,
      "store \(storeName): \(persistentIdentifier.entityName) \(persistentIdentifier): "
        + "\(orderedValues.count) values for \(layout.names.count) fields"
    )
  }
}
