import Foundation
package import OpenSwiftData

extension RecordTable {
  /// Checks that the changes can be applied.
  ///
  /// - Throws: `PersistenceError`: `.unknownEntity`; `.invalidIdentifier` if a record is in the
  ///   changes twice or belongs to another store; `.conflict` if a new record already exists, or if
  ///   a changed or deleted one does not exist or differs from `before` in a changed value;
  ///   `.invalidValue` for values that no store can hold; `.limitExceeded`; `.notUnique`.
  /// - Complexity: O(n) in the values of the changes.
  package func validate(_ changes: ChangeSet) throws { try validate(changes, names: [:]) }

  private func validate(_ changes: ChangeSet, names: RecordNames) throws {
    try validateIdentifiers(changes)
    var validator = ChangeValidator(table: self, changes: changes, names: names)
    let counter = WorkCounter("checking", of: changes.count)
    try changes.inserted.withUnsafeBufferPointer { snapshots in
      for place in snapshots.indices {
        try validator.validateInsertion(snapshots[place])
        try counter.add()
      }
    }
    try changes.updated.withUnsafeBufferPointer { updates in
      for place in updates.indices {
        try updates[place].validate(by: &validator)
        try counter.add()
      }
    }
    for snapshot in changes.deleted {
      try validator.validateDeletion(snapshot)
      try counter.add()
    }
    try UniqueValidator(table: self, changes: changes, names: names).validate()
  }

  /// Checks changes whose new records have just got identifiers.
  ///
  /// Errors name these records by the identifiers that the caller used.
  package func validate(_ assigned: ChangeSet, knownAs changes: ChangeSet) throws {
    do {
      try validate(assigned)
    } catch let stopped as Interruption.Stopped {
      throw stopped
    } catch {
      let pairs = zip(assigned.inserted, changes.inserted).map {
        ($0.persistentIdentifier, $1.persistentIdentifier)
      }
      // Fails again, with other identifiers in the message.
      try validate(assigned, names: RecordNames(pairs, uniquingKeysWith: { first, _ in first }))
      throw error
    }
  }

  private func validateIdentifiers(_ changes: ChangeSet) throws {
    guard changes.count > 1, !isAscending(changes) else { return }
    var seen: Set<PersistentIdentifier> = []
    seen.reserveCapacity(changes.count)
    var meter = WorkMeter()
    func see(_ identifier: PersistentIdentifier) throws {
      try meter.count()
      guard seen.insert(identifier).inserted else {
        throw PersistenceError(
          .invalidIdentifier,
          "\(identifier.entityName) \(identifier): changed twice in one save"
        )
      }
    }
    for snapshot in changes.inserted { try see(snapshot.persistentIdentifier) }
    try changes.updated.withUnsafeBufferPointer { updates in
      for place in updates.indices { try see(updates[place].persistentIdentifier) }
    }
    for snapshot in changes.deleted { try see(snapshot.persistentIdentifier) }
  }

  /// True if there are only new records with ascending keys, as keys just generated are.
  ///
  /// No record can then be in the changes twice.
  private func isAscending(_ changes: ChangeSet) -> Bool {
    guard changes.updated.isEmpty, changes.deleted.isEmpty else { return false }
    // By index, because the snapshots themselves are not needed.
    return changes.inserted.indices.dropFirst().allSatisfy {
      changes.inserted[$0].persistentIdentifier
        .isAfter(changes.inserted[$0 - 1].persistentIdentifier)
    }
  }
}

/// The identifiers that messages use for records whose own identifiers are not published yet.
typealias RecordNames = [PersistentIdentifier: PersistentIdentifier]

/// The rule for a field, in a form that accepts nearly all valid values with one comparison.
private struct FieldRule {
  private let kind: ValueKind
  private let isOptional: Bool

  init(_ field: Schema.Attribute) {
    kind = field.type.kind
    isOptional = field.isOptional
  }

  /// True if the value is valid; false if it requires the complete check.
  @inline(__always)
  func isMet(by value: Value) -> Bool {
    guard value.kind == kind else { return value.isNull && isOptional }
    return switch value {
    case .text(let text), .json(let text): text.utf8.count < Span.countLimit
    case .links(let links): links.isEmpty
    case .link: false
    case .integer, .number, .boolean, .uuid: true
    default: value.brokenRule == nil
    }
  }
}

/// An entity that a field of a table refers to.
private struct LinkedEntity: Hashable {
  var place: Int
  var slot: Int
  var scope: IdentifierScope
}

/// Checks the records of a change set against the table, one at a time.
private struct ChangeValidator {
  let table: RecordTable
  private let names: RecordNames
  /// The new records that links may refer to although they have no permanent identifier yet.
  private let temporary: Set<PersistentIdentifier>
  private var places = ScopePlaces()
  private var ownScope: IdentifierScope?
  /// The rules for the fields of the most recently checked entity.
  private var rules: (place: Int, layout: SnapshotLayout, fields: [FieldRule])?
  /// Entities that fields may refer to, so that each is checked only once.
  private var accepted: Set<LinkedEntity> = []
  private let changes: ChangeSet
  /// The records that the changes insert or delete.
  private lazy var ownRecords = Set(
    (changes.inserted + changes.deleted).map(\.persistentIdentifier)
  )

  init(table: RecordTable, changes: ChangeSet, names: RecordNames) {
    self.table = table
    self.names = names
    self.changes = changes
    temporary = Set(changes.inserted.lazy.map(\.persistentIdentifier).filter(\.isTemporary))
  }

  private mutating func isOwn(_ identifier: PersistentIdentifier) -> Bool {
    let scope = identifier.identifierScope
    if scope == ownScope { return true }
    guard identifier.storeIdentifier == table.storeIdentifier else { return false }
    ownScope = scope
    return true
  }

  mutating func validateInsertion(_ snapshot: DefaultSnapshot) throws {
    let identifier = snapshot.persistentIdentifier
    let place = try place(of: snapshot)
    if !identifier.isTemporary {
      guard isOwn(identifier) else {
        throw PersistenceError(
          .invalidIdentifier,
          "\(identifier.entityName) \(identifier): belongs to store \(identifier.storeIdentifier ?? "")"
        )
      }
      guard table.tables[place].row(of: identifier) == nil else {
        throw PersistenceError(
          .conflict,
          "\(identifier.entityName) \(identifier): already exists"
        )
      }
    }
    let rules = rules(of: place)
    for slot in rules.indices where !rules[slot].isMet(by: snapshot.orderedValues[slot]) {
      try validate(slot, of: snapshot, place)
    }
  }

  private mutating func rules(of place: Int) -> [FieldRule] {
    if let rules, rules.place == place { return rules.fields }
    let entity = table.tables[place].entity
    let fields = entity.fields.map(FieldRule.init)
    rules = (place, entity.layout, fields)
    return fields
  }

  /// Finds the record of an update.
  mutating func find(_ before: DefaultSnapshot, _ after: DefaultSnapshot) throws -> (
    place: Int, row: Int
  ) {
    let place = try place(of: after)
    guard before.layout == after.layout else { throw wrongLayout(before) }
    let identifier = after.persistentIdentifier
    guard before.persistentIdentifier == identifier else {
      throw PersistenceError(
        .invalidIdentifier,
        "record \(identifier): the identifier cannot change"
      )
    }
    return (place, try row(of: identifier, place))
  }

  /// Checks a changed value of an update.
  mutating func validateChange(
    from before: DefaultSnapshot,
    to after: DefaultSnapshot,
    _ slot: Int,
    _ found: (place: Int, row: Int)
  ) throws {
    try compare(before, slot, found.place, found.row)
    try validate(slot, of: after, found.place)
    try requireTargets(of: after, before, slot, found.place)
  }

  /// Checks that the records of new links exist: another program may have deleted them.
  ///
  /// New records may have links to nothing, because a whole store with such links can be saved elsewhere.
  private mutating func requireTargets(
    of after: DefaultSnapshot,
    _ before: DefaultSnapshot,
    _ slot: Int,
    _ place: Int
  ) throws {
    let new = after.orderedValues[slot].linkedIdentifiers
    if new.isEmpty { return }
    let former = Set(before.orderedValues[slot].linkedIdentifiers)
    for link in new where !former.contains(link) && !link.isTemporary {
      if let target = table.place(of: link.entityName),
        table.tables[target].row(of: link) == nil, !ownRecords.contains(link)
      {
        throw PersistenceError(
          .conflict,
          "\(name(slot, place)): \(link.entityName) record \(link) no longer exists "
            + "(record \(name(of: after))); give the field another value, or undo the change"
        )
      }
    }
  }

  mutating func validateDeletion(_ snapshot: DefaultSnapshot) throws {
    let place = try place(of: snapshot)
    let row = try row(of: snapshot.persistentIdentifier, place)
    for slot in snapshot.orderedValues.indices { try compare(snapshot, slot, place, row) }
  }

  private mutating func place(of snapshot: DefaultSnapshot) throws -> Int {
    guard let place = places.place(of: snapshot.persistentIdentifier, in: table) else {
      _ = try table.schema.entity(named: snapshot.persistentIdentifier.entityName)
      preconditionFailure("every entity has a table")
    }
    if let rules, rules.place == place, rules.layout === snapshot.layout { return place }
    guard snapshot.layout == table.tables[place].entity.layout else { throw wrongLayout(snapshot) }
    return place
  }

  private func wrongLayout(_ snapshot: DefaultSnapshot) -> PersistenceError {
    let identifier = snapshot.persistentIdentifier
    return PersistenceError(
      .invalidValue,
      "\(identifier.entityName) \(identifier): fields do not match the schema (found "
        + snapshot.layout.names.joined(separator: ", ") + ")"
    )
  }

  private func row(of identifier: PersistentIdentifier, _ place: Int) throws -> Int {
    if let row = table.tables[place].row(of: identifier) { return row }
    throw PersistenceError(
      .conflict,
      "\(identifier.entityName) record \(identifier) no longer exists"
    )
  }

  private func compare(
    _ before: DefaultSnapshot,
    _ slot: Int,
    _ place: Int,
    _ row: Int
  ) throws {
    let column = table.tables[place].columns[slot]
    guard !column.holds(before.orderedValues[slot], at: row) else { return }
    throw PersistenceError(
      .conflict,
      "\(name(slot, place)): changed by another program to "
        + "\(Value.quoted(column.value(at: row).text)) (record \(before.persistentIdentifier))"
    )
  }

  private func name(_ slot: Int, _ place: Int) -> String {
    let entity = table.tables[place].entity
    return "\(entity.name).\(entity.fields[slot].name)"
  }
}

extension ChangeValidator {
  private mutating func validate(_ slot: Int, of snapshot: DefaultSnapshot, _ place: Int) throws {
    let attribute = table.tables[place].entity.fields[slot]
    let value = snapshot.orderedValues[slot]
    guard attribute.accepts(value) else {
      throw wrong(
        slot,
        snapshot,
        place,
        value.isNull
          ? "a value is required"
          : "\(Value.quoted(value.text)) is not a valid \(attribute.type.description)"
      )
    }
    if let rule = value.brokenRule { throw wrong(slot, snapshot, place, rule) }
    switch value {
    case .text(let text), .json(let text):
      guard text.utf8.count < Span.countLimit else {
        throw PersistenceError(
          .limitExceeded,
          "\(name(slot, place)): exceeds 256 MiB (record \(name(of: snapshot)))"
        )
      }
    case .link(let link): try validate(link, slot, snapshot, place)
    case .links(let links): for link in links { try validate(link, slot, snapshot, place) }
    default: break
    }
  }

  private mutating func validate(
    _ link: PersistentIdentifier,
    _ slot: Int,
    _ snapshot: DefaultSnapshot,
    _ place: Int
  ) throws {
    let linked = LinkedEntity(place: place, slot: slot, scope: link.identifierScope)
    if !accepted.contains(linked) {
      let destination = table.tables[place].entity.fields[slot].type.destination ?? ""
      guard table.schema.accepts(link.entityName, for: destination) else {
        throw wrong(
          slot,
          snapshot,
          place,
          "links to \(destination) records, not \(link.entityName) records"
        )
      }
      accepted.insert(linked)
    }
    guard !link.isTemporary || temporary.contains(link) else {
      let name = names[link] ?? link
      throw wrong(slot, snapshot, place, "refers to record \(name), which has not been saved")
    }
  }

  private func wrong(
    _ slot: Int,
    _ snapshot: DefaultSnapshot,
    _ place: Int,
    _ what: String
  ) -> PersistenceError {
    PersistenceError(
      .invalidValue,
      "\(name(slot, place)): \(what) (record \(name(of: snapshot)))"
    )
  }

  private func name(of snapshot: DefaultSnapshot) -> PersistentIdentifier {
    names[snapshot.persistentIdentifier] ?? snapshot.persistentIdentifier
  }
}

extension RecordUpdate {
  /// Checks the update where it is: reading it out of an array retains its values.
  fileprivate func validate(by validator: inout ChangeValidator) throws {
    let found = try validator.find(before, after)
    for slot in after.orderedValues.indices
    where before.orderedValues[slot] != after.orderedValues[slot] {
      try validator.validateChange(from: before, to: after, slot, found)
    }
  }
}
