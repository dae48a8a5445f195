import Foundation

/// Converts snapshots of one entity, in any layout and kinds of values, to the entity's own.
///
/// Caches the layout of the last snapshot, because most snapshots share it.
struct SnapshotArrangement {
  private let entity: Schema.Entity
  private let storeName: String
  private let keepsTemporaryLinks: Bool
  private let hasLinks: Bool
  private let defaults: [Value]
  private let rules: RecordRules
  private var layout: SnapshotLayout?
  /// For each field, the slot of its value in the last layout; nil if the default is used.
  private var places: [Int?] = []

  init(
    _ entity: Schema.Entity,
    storeName: String,
    keepsTemporaryLinks: Bool,
    models: Schema? = nil
  ) {
    self.entity = entity
    self.storeName = storeName
    self.keepsTemporaryLinks = keepsTemporaryLinks
    defaults = entity.defaultValues
    rules = RecordRules(entity.fields, of: entity.name, models: models)
    hasLinks = entity.fields.contains { $0.type.destination != nil }
  }

  /// The record in the layout of the entity.
  ///
  /// - Throws: `PersistenceError` with code `.storeViolation` when a value is not valid for its field, or
  ///   when a property of a model class requires a missing one.
  mutating func arrange(_ snapshot: DefaultSnapshot) throws -> DefaultSnapshot {
    try snapshot.checkValueCount(in: storeName)
    if snapshot.layout === entity.layout, keepsTemporaryLinks || !hasLinks,
      rules.firstFault(in: snapshot.orderedValues) == nil
    {
      return snapshot
    }
    if snapshot.layout !== layout { learn(snapshot.layout) }
    // By index for speed: this runs for every value of every result.
    var values = snapshot.layout === entity.layout ? snapshot.orderedValues : defaults
    for slot in places.indices {
      guard let place = places[slot] else { continue }
      var value = snapshot.orderedValues[place].asRead(as: entity.fields[slot].type)
      if !keepsTemporaryLinks { value = value.withoutTemporaryLinks }
      values[slot] = value
    }
    if let slot = rules.firstFault(in: values) {
      throw rules.violation(
        values[slot],
        at: slot,
        of: snapshot.persistentIdentifier,
        in: storeName
      )
    }
    return DefaultSnapshot(
      persistentIdentifier: snapshot.persistentIdentifier,
      layout: entity.layout,
      orderedValues: values
    )
  }

  private mutating func learn(_ layout: SnapshotLayout) {
    defer { self.layout = layout }
    if !places.isEmpty, layout.names == self.layout?.names { return }
    let formerNames = Set(
      entity.fields.filter { $0.originalName != $0.name && layout.slot(of: $0.name) == nil }
        .map(\.originalName)
    )
    places = entity.fields.map { field in
      // A new field may have the former name of another one.
      if formerNames.contains(field.name) { return nil }
      return layout.slot(of: field.name) ?? layout.slot(of: field.originalName)
    }
  }
}

extension Value {
  /// The value converted to the kind of its field, if coders or tables use another one.
  fileprivate func asRead(as type: AttributeType) -> Value {
    if case .integer(let number) = self, type == .boolean, number == 0 || number == 1 {
      return .boolean(number == 1)
    }
    return coerced(to: type)
  }

  /// The value without links to records that were never saved.
  fileprivate var withoutTemporaryLinks: Value {
    switch self {
    case .link(let link) where link.isTemporary: .null
    case .links(let links) where links.contains(where: \.isTemporary):
      .links(links.filter { !$0.isTemporary })
    default: self
    }
  }
}

extension Schema {
  /// The records in the layouts of their entities, with values of the kinds of their fields.
  ///
  /// For stores that read records from a file whose coder preserves neither: a date that was decoded as text
  /// becomes a date again. Missing fields get their defaults; records of unknown entities are skipped.
  ///
  /// - Throws: `PersistenceError` with code `.storeViolation` when a value is not valid for its field.
  /// - Complexity: O(n) in the number of values.
  public func arranged(_ records: [DefaultSnapshot]) throws -> [DefaultSnapshot] {
    var arrangements: [String: SnapshotArrangement] = [:]
    return try records.compactMap { record in
      let identifier = record.persistentIdentifier
      guard let entity = entitiesByName[identifier.entityName] else { return nil }
      let fresh = SnapshotArrangement(
        entity,
        storeName: identifier.storeIdentifier ?? "without a name",
        keepsTemporaryLinks: true
      )
      return try arrangements[entity.name, default: fresh].arrange(record)
    }
  }
}
