/// The checks of stores before they save a record.
///
/// A context validates its models. A store that also receives changes in other ways calls these methods as
/// the last step before it writes.
extension Schema {
  /// Checks that the record can be saved.
  ///
  /// The record must have the fields of its entity in their order, values in required fields, and values of
  /// the type of their field. Decimals that are NaN, dates and datetimes outside the years 0000 to 9999, and
  /// links to temporary identifiers are not valid.
  ///
  /// ```swift
  /// for snapshot in changes.inserted + changes.updated.map(\.after) {
  ///   try schema.validate(snapshot)
  /// }
  /// ```
  ///
  /// - Throws: `PersistenceError` with code `.unknownEntity`, or `.invalidValue`; the message names
  ///   entity, field, value and record.
  /// - Complexity: O(n) in the number of values.
  public func validate(_ snapshot: DefaultSnapshot) throws {
    try validate(snapshot, as: entity(named: snapshot.persistentIdentifier.entityName))
  }

  /// Checks the same for a record of an entity that was looked up.
  package func validate(_ snapshot: DefaultSnapshot, as entity: Entity) throws {
    let identifier = snapshot.persistentIdentifier
    guard snapshot.layout == entity.layout else {
      throw PersistenceError(
        .invalidValue,
        "\(entity.name) \(identifier): fields do not match the schema (found "
          + snapshot.layout.names.joined(separator: ", ") + ")"
      )
    }
    for slot in entity.fields.indices {
      guard let fault = fault(of: snapshot.orderedValues[slot], in: entity.fields[slot]) else {
        continue
      }
      throw PersistenceError(
        .invalidValue,
        "\(entity.name).\(entity.fields[slot].name): \(fault) (record \(identifier))"
      )
    }
  }

  /// The problem of a value, as in "must have a value"; nil if it is valid.
  private func fault(of value: Value, in field: Attribute) -> String? {
    guard field.accepts(value) else {
      if value.isNull { return "a value is required" }
      return "\(Value.quoted(value.text)) is not a valid \(field.type.description)"
    }
    switch value {
    case .link(let link): return fault(of: link, in: field)
    case .links(let links):
      for link in links {
        if let fault = fault(of: link, in: field) { return fault }
      }
      return nil
    default: return value.brokenRule.map { "\($0), not \(Value.quoted(value.text))" }
    }
  }

  private func fault(of link: PersistentIdentifier, in field: Attribute) -> String? {
    if link.isTemporary { return "refers to record \(link), which has not been saved" }
    guard let destination = field.type.destination, !accepts(link.entityName, for: destination)
    else { return nil }
    return "links to \(destination) records, not \(link.entityName) records (\(link))"
  }
}

extension Schema.Entity {
  /// Checks that the values of unique fields and constraints are unique.
  ///
  /// A constraint over several fields applies to their combined values. Missing values never collide.
  ///
  /// - Parameter records: All records of the entity, in any layout.
  /// - Throws: `PersistenceError` with code `.notUnique`; the message names entity, fields, values and
  ///   both records.
  /// - Complexity: O(n) in the number of records for each constraint.
  public func validateUniqueness(of records: [DefaultSnapshot]) throws {
    let unique = fields.filter(\.isUnique).map { [$0.name] }
    for names in unique + declaredConstraints.filter({ !$0.isEmpty && !unique.contains($0) }) {
      try validateUniqueness(of: records, names)
    }
  }

  private func validateUniqueness(of records: [DefaultSnapshot], _ names: [String]) throws {
    var holders: [[Value]: PersistentIdentifier] = [:]
    for record in records {
      let key = names.compactMap { record[$0] }.filter { !$0.isNull && !$0.isList }
      guard key.count == names.count else { continue }
      let identifier = record.persistentIdentifier
      guard let other = holders.updateValue(identifier, forKey: key) else { continue }
      throw PersistenceError(
        .notUnique,
        names.map { "\(name).\($0)" }.joined(separator: " and ")
          + ": must be unique\(names.count > 1 ? " in combination" : ""); records \(other) and "
          + "\(identifier) would both have "
          + key.map { Value.quoted($0.text) }.joined(separator: ", ")
      )
    }
  }
}

extension Value {
  fileprivate var isList: Bool {
    if case .links = self { true } else { false }
  }
}
