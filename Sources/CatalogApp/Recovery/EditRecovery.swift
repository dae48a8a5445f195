import Foundation
import OpenSwiftData

/// Applies the recovered changes of a crashed run to the current records, as unsaved changes.
///
/// Changes that no longer apply are reported and skipped. Confined to the thread of its context.
struct EditRecovery {
  let context: ModelContext
  /// Records of recovered insertions, by their identifiers in the recovery file.
  private var new: [RecoveryLink: Record] = [:]
  /// The records that are identified by a position and have another one now.
  private var moved: [RecoveryLink: PersistentIdentifier] = [:]
  /// Those of them that are known by a key.
  private var keyed: Set<RecoveryLink> = []
  /// Records that had equal ones, of which another program has left fewer.
  private var unsure: Set<RecoveryLink> = []
  /// The entities whose records are identified only by their positions.
  private(set) var entitiesByPlace: Set<String> = []
  /// By entity, the records of the store by their keys, if another program may have added some of them.
  private var others: [String: RecordsByKey] = [:]
  /// Why the records of links may be other ones now, by what was read of them.
  private(set) var doubtfulLinks: [RecoveryRead: RecordDoubt] = [:]
  /// The changes that no longer apply, one line each.
  var conflicts: [String] = []
  /// The number of records that were inserted, changed or deleted.
  var count = 0
  /// The number of recovered schema changes.
  private(set) var changeCount = 0
  /// The number of changes to records that still exist.
  var metCount = 0

  init(into context: ModelContext) { self.context = context }

  private static let fewerCopies = "fewer equal records are left than before"

  /// Applies the changes of one file.
  ///
  /// - Parameters:
  ///   - found: The changes.
  ///   - isOutdated: True if the store has changed since.
  /// - Throws: The error of a store that cannot be read.
  mutating func recover(_ found: RecoveryFileEdits, isOutdated: Bool) throws {
    new = [:]
    (moved, keyed) = ([:], [])
    if found.steps.isEmpty { try widenTypes(toHold: found.edits) }
    let matching = try RecoveryMatching(
      found.edits,
      in: context,
      isOutdated: isOutdated,
      identifier: identifier
    )
    (moved, keyed, unsure) = (matching.moved, matching.keyed, matching.unsure)
    entitiesByPlace = matching.entitiesByPlace
    others = isOutdated ? try othersByKey(found.edits) : [:]
    if let schema = found.header?.schema { try createEntities(schema) }
    var edits = found.edits
    for step in found.steps {
      if case .removeEntity(let name) = step {
        // An entity with records cannot be dropped, so its records are deleted first.
        try delete(edits.filter { $0.change == .delete && $0.record.entity == name })
        edits.removeAll { $0.change == .delete && $0.record.entity == name }
      }
      change(step)
    }
    doubtfulLinks = try doubts(aboutLinksOf: edits)
    let inserts = edits.filter { $0.change == .insert }
    let counter = WorkCounter(of: inserts.count)
    for edit in inserts {
      try insert(edit)
      try counter.add()
    }
    for edit in inserts { setLinks(edit) }
    // Groups come first, because they are compared with the values in the store.
    var doomed: [PersistentIdentifier] = []
    for group in found.groups {
      if group.group.change == .delete {
        doomed += try self.doomed(group)
      } else {
        try update(group)
      }
    }
    // Updates come before deletions, because a deletion may depend on a changed link.
    try update(edits.filter { $0.change == .update })
    try delete(edits.filter { $0.change == .delete }, and: doomed)
    context.deduceConsequences()
    for edit in found.lost {
      refuse(edit, "the new record was saved, and it is not known which one it is")
    }
    // A deletion that was stopped counts as refused above.
    try Interruption.check()
  }

  /// Lets columns of separated values have the types again that they had with the recovered values.
  ///
  /// An undone save, for example, had brought back `n/a` into a column that has nothing but numbers in the file.
  private func widenTypes(toHold edits: [RecoveryEdit]) throws {
    guard context.infersTypes, context.unsavedSchemaSteps.isEmpty else { return }
    var types: FieldTypes = [:]
    for edit in edits where edit.change != .delete {
      guard let entity = context.schema.entitiesByName[edit.record.entity] else { continue }
      for (name, field) in edit.fields {
        guard case .text(let text)? = field.after, let type = entity.fieldsByName[name]?.type,
          type.destination == nil, !Self.isKept(text, in: type)
        else { continue }
        let isNumber = type.isNumeric && Self.isKept(text, in: .decimal)
        types.add(isNumber ? .decimal : .text, of: name, in: entity.name)
      }
    }
    _ = try context.widenTypes(toHold: types)
  }

  /// True if a field of the type holds what the text says; false for `010`, which would become the number 10.
  private static func isKept(_ text: String, in type: AttributeType) -> Bool {
    guard let value = try? Value(parsing: text, as: type) else { return false }
    return value.spelledAlike == Value.spelledAlike(text)
  }

  /// Creates the entities of an unsaved store.
  private func createEntities(_ schema: Schema) throws {
    for entity in schema.entities where context.schema.entitiesByName[entity.name] == nil {
      try context.stage(.createEntity(entity))
    }
  }

  /// Repeats a schema change.
  private mutating func change(_ step: SchemaStep) {
    do {
      let count = context.unsavedSchemaSteps.count
      try context.stage(step: step)
      changeCount += context.unsavedSchemaSteps.count - count
    } catch {
      conflicts.append(
        "schema: cannot \(step.words): \(errorLine(error))"
      )
    }
  }

  // MARK: New records

  private mutating func insert(_ edit: RecoveryEdit) throws {
    guard let entity = context.schema.entitiesByName[edit.record.entity] else {
      refuse(edit, "the entity no longer exists")
      return
    }
    if refusesTakenKey(edit) { return }
    guard let record = try newRecord(edit, entity) else { return }
    // A value that was null when it was written stays null, regardless of the default.
    for slot in entity.fields.indices { record.persistentState.set(.null, at: slot) }
    for (name, field) in edit.fields.sorted(by: { $0.key < $1.key }) {
      guard let slot = entity.layout.slot(of: name) else {
        conflicts.append(refusal(edit, name, field.after, "the field no longer exists"))
        continue
      }
      let attribute = entity.fields[slot]
      guard attribute.type.destination == nil else { continue }
      set(field.after, at: slot, attribute, of: record, edit)
    }
    if record.modelContext == nil { context.insert(record) }
    new[edit.record] = record
    count += 1
  }

  /// The record for an insertion, whose values the caller sets; nil if it exists already.
  ///
  /// A record that was deleted and restored gets its identifier back, unless another record uses it.
  private mutating func newRecord(_ edit: RecoveryEdit, _ entity: Schema.Entity) throws -> Record? {
    guard edit.record.isNew != true, let identifier = identifier(edit.record) else {
      return Record(entity: entity)
    }
    if let present = try snapshots([edit])[edit.record] {
      // A number may be only a position in the file, which may now belong to another record.
      if identifier.numberKey != nil { return Record(entity: entity) }
      metCount += 1
      let others = entity.layout.names.filter { name in
        present[name].flatMap { RecoveryValue($0) } != edit.fields[name]?.after
      }
      if !others.isEmpty {
        refuse(edit, "already exists with a different \(others.joined(separator: ", "))")
      }
      return nil
    }
    context.insertAgain(identifier, entity.fields.map { _ in .null }, in: entity)
    return try context.records(for: [identifier]).first
  }

  private mutating func setLinks(_ edit: RecoveryEdit) {
    guard let record = new[edit.record] else { return }
    for (slot, attribute) in record.entity.fields.enumerated()
    where attribute.type.destination != nil {
      guard let field = edit.fields[attribute.name] else { continue }
      set(field.after, at: slot, attribute, of: record, edit)
    }
  }

  private mutating func set(
    _ kept: RecoveryValue?,
    at slot: Int,
    _ attribute: Schema.Attribute,
    of record: Record,
    _ edit: RecoveryEdit
  ) {
    do {
      let value = try value(kept, for: attribute)
      if case .links(let links) = kept, let doubt = doubt(about: links, of: edit) {
        throw CommandError(doubt)
      }
      record.persistentState.set(value, at: slot)
    } catch {
      conflicts.append(refusal(edit, attribute.name, kept, "\(error)"))
    }
  }

  // MARK: Records of the store

  /// The records of the changes that still exist.
  private func snapshots(_ edits: [RecoveryEdit]) throws -> [RecoveryLink: DefaultSnapshot] {
    var identifiers: [RecoveryLink: PersistentIdentifier] = [:]
    for edit in edits { identifiers[edit.record] = identifier(edit.record) }
    let found = try context.snapshots(for: Array(identifiers.values))
    return identifiers.compactMapValues { identifier in
      context.pendingKind(of: identifier) == .deleted ? nil : found[identifier]
    }
  }

  private mutating func update(_ edits: [RecoveryEdit]) throws {
    let stored = try snapshots(edits)
    let doubts = try doubts(about: edits, stored)
    let counter = WorkCounter(of: edits.count)
    for edit in edits {
      try counter.add()
      if unsure.contains(edit.record) {
        metCount += 1
        refuse(edit, Self.fewerCopies)
      } else if let doubt = identifier(edit.record).flatMap({ doubts[$0] }) {
        metCount += 1
        refuse(edit, doubt.reason)
      } else if let snapshot = stored[edit.record] {
        metCount += 1
        try update(edit, snapshot)
      } else {
        refuseMissing(edit)
      }
    }
  }

  /// Why the records of changes may be other ones now.
  private func doubts(
    about edits: [RecoveryEdit],
    _ stored: [RecoveryLink: DefaultSnapshot]
  ) throws -> [PersistentIdentifier: RecordDoubt] {
    var found = try context.doubts(about: edits.compactMap { read($0, stored) })
    for edit in edits {
      guard let record = stored[edit.record], edit.isDone(in: record) else { continue }
      found.removeDone([record], in: [record.persistentIdentifier: record])
    }
    return found
  }

  /// The record as it was when the line was written; nil if the line does not have all of its values.
  private func read(_ edit: RecoveryEdit, _ stored: [RecoveryLink: DefaultSnapshot])
    -> DefaultSnapshot?
  {
    guard context.checksKeys(of: edit.record.entity), let identifier = identifier(edit.record),
      let entity = context.schema.entitiesByName[edit.record.entity]
    else { return nil }
    var values: [Value] = []
    for (slot, field) in entity.fields.enumerated() {
      let kept = edit.fields[field.name]
      // The line of a deletion has only the fields with a value.
      if kept == nil, edit.change != .delete { return nil }
      let now = stored[edit.record]?.orderedValues[slot]
      values.append((try? value(kept?.before, for: field)) ?? now ?? .null)
    }
    return DefaultSnapshot(
      persistentIdentifier: identifier,
      layout: entity.layout,
      orderedValues: values
    )
  }

  private mutating func update(_ edit: RecoveryEdit, _ snapshot: DefaultSnapshot) throws {
    guard let record = try context.records(for: [snapshot.persistentIdentifier]).first else {
      return refuseMissing(edit)
    }
    // If the record is identified by its position, another value means another record.
    let isSame =
      !entitiesByPlace.contains(edit.record.entity) || keyed.contains(edit.record)
      || edit.fields.allSatisfy { name, field in
        field.before != field.after || snapshot.layout.slot(of: name) == nil
          || snapshot[name].map { isFormer($0, field, of: edit) } == true
      }
    guard isSame else {
      refuse(edit, "a different record is at this position now")
      return
    }
    if refusesTakenKey(edit) { return }
    var changes = false
    for (name, field) in edit.fields.sorted(by: { $0.key < $1.key })
    where field.before != field.after {
      guard let slot = record.entity.layout.slot(of: name) else {
        conflicts.append(refusal(edit, name, field.after, "the field no longer exists"))
        continue
      }
      let current = RecoveryValue(snapshot.orderedValues[slot])
      if current == field.after { continue }
      guard isFormer(snapshot.orderedValues[slot], field, of: edit) else {
        let change =
          "it changed from \(RecoveryEdit.shown(field.before)) to \(RecoveryEdit.shown(current))"
        conflicts.append(refusal(edit, name, field.after, change))
        continue
      }
      if let ground = ground(of: name, in: edit, snapshot) {
        conflicts.append(refusal(edit, name, field.after, ground))
        continue
      }
      set(field.after, at: slot, record.entity.fields[slot], of: record, edit)
      changes = true
    }
    if changes {
      rest(edit, of: record.persistentModelID)
      count += 1
    }
  }

  /// True if a field still has the value before a change, in a file without types perhaps as one of another type.
  func isFormer(_ value: Value, _ field: RecoveryField?, of edit: RecoveryEdit) -> Bool {
    let (present, former) = (RecoveryValue(value), field?.before)
    return present == former
      || entitiesByPlace.contains(edit.record.entity)
        && present?.spelledAlike == former?.spelledAlike
  }

  private mutating func delete(
    _ edits: [RecoveryEdit],
    and others: [PersistentIdentifier] = []
  ) throws {
    let stored = try snapshots(edits)
    let doubts = try doubts(about: edits.filter { stored[$0.record] == nil }, stored)
    var doomed = others.map { Deletion(edit: nil, identifier: $0) }
    for edit in edits {
      if unsure.contains(edit.record) {
        metCount += 1
        refuse(edit, "not deleted: \(Self.fewerCopies)")
        continue
      }
      // A record that no longer exists needs no deletion, but one that was known by its position may have other values
      // now, and another record its position.
      let isByPlace =
        identifier(edit.record)?.numberKey != nil && entitiesByPlace.contains(edit.record.entity)
        && !keyed.contains(edit.record)
      let isUnknown = "not deleted: no record has these values"
      guard let snapshot = stored[edit.record] else {
        if let doubt = identifier(edit.record).flatMap({ doubts[$0] }) {
          refuse(edit, "not deleted: \(doubt.reason)")
        } else if isByPlace {
          refuse(edit, isUnknown)
        }
        continue
      }
      metCount += 1
      let remaining = edit.remainingNames(in: snapshot.layout)
      let changed = zip(snapshot.layout.names, snapshot.orderedValues).first { name, value in
        remaining?.contains(name) != false && !isFormer(value, edit.fields[name], of: edit)
      }
      if remaining?.isEmpty == true {
        refuse(edit, "not deleted: its fields no longer exist")
      } else if let (name, _) = changed {
        refuse(edit, isByPlace ? isUnknown : "not deleted: \(name) has changed")
      } else {
        doomed.append(Deletion(edit: edit, identifier: snapshot.persistentIdentifier))
      }
    }
    delete(doomed[...])
  }

  /// A record that is to be deleted.
  private struct Deletion {
    /// The line about the record; nil if it is in a group.
    let edit: RecoveryEdit?
    let identifier: PersistentIdentifier
  }

  /// Deletes records together, since they may refer to each other; if that is not possible, deletes
  /// those that can be deleted.
  private mutating func delete(_ doomed: ArraySlice<Deletion>) {
    guard let first = doomed.first else { return }
    do {
      try context.delete(doomed.map(\.identifier))
      count += doomed.count
    } catch  where doomed.count > 1 {
      let middle = doomed.startIndex + doomed.count / 2
      delete(doomed[..<middle])
      delete(doomed[middle...])
    } catch {
      let reason = "not deleted: \(errorLine(error))"
      guard let edit = first.edit else {
        conflicts.append("\(first.identifier.entityName) \(first.identifier): \(reason)")
        return
      }
      refuse(edit, reason)
    }
  }

  /// Refuses a change that would give a record the key of one that another program has added.
  private mutating func refusesTakenKey(_ edit: RecoveryEdit) -> Bool {
    guard let others = others[edit.record.entity], edit.brings(others.fields),
      let other = others.records(of: edit, at: \.after).first
    else { return false }
    metCount += 1
    refuse(
      edit,
      "record \(other.persistentIdentifier) has \(other.words(forKey: others.fields)) now"
    )
    return true
  }

  private mutating func refuseMissing(_ edit: RecoveryEdit) {
    refuse(edit, "the record no longer exists")
  }

  private mutating func refuse(_ edit: RecoveryEdit, _ reason: String) {
    conflicts.append("\(edit.record.entity) \(edit.record.key): \(reason); skipped: \(edit.words)")
  }

  private func refusal(
    _ edit: RecoveryEdit,
    _ name: String,
    _ value: RecoveryValue?,
    _ reason: String
  )
    -> String
  {
    "\(edit.record.entity) \(edit.record.key): \(name) not set to \(RecoveryEdit.shown(value)): \(reason)"
  }

  // MARK: Values

  func value(_ kept: RecoveryValue?, for attribute: Schema.Attribute) throws -> Value {
    switch (attribute.type, kept) {
    case (_, nil): return .null
    case (.link, .links(let links)):
      return links.isEmpty ? .null : .link(try linked(links[0], from: attribute))
    case (.links, .links(let links)):
      return .links(try links.map { try linked($0, from: attribute) })
    case (_, .text(let text)): return try Value(parsing: text, as: attribute.type)
    case (_, .links): throw CommandError("the field is no longer a link")
    }
  }

  private func linked(_ link: RecoveryLink, from attribute: Schema.Attribute) throws
    -> PersistentIdentifier
  {
    guard let identifier = identifier(link),
      try !context.existing([identifier]).isEmpty,
      context.pendingKind(of: identifier) != .deleted
    else { throw CommandError("\(link.entity) record \(link.key) not found") }
    guard context.schema.accepts(link.entity, for: attribute.type.destination ?? "") else {
      throw CommandError("the field does not link to \(link.entity)")
    }
    return identifier
  }

  /// The current identifier of a record; nil for a new record that was not recovered.
  func identifier(_ link: RecoveryLink) -> PersistentIdentifier? {
    if let record = new[link] { return record.persistentModelID }
    if link.isNew == true { return nil }
    if let place = moved[link] { return place }
    return identifier(link.key, of: link.entity)
  }

  /// The identifier of an entity with this text.
  func identifier(_ text: String, of entity: String) -> PersistentIdentifier {
    store(of: entity)?.recordIdentifier(text, of: entity)
      ?? scope(of: entity).identifier(parsing: text)
  }

  /// The scope of the identifiers of an entity.
  func scope(of entity: String) -> IdentifierScope {
    IdentifierScope(store: store(of: entity)?.identifier, entity: entity)
  }

  private func store(of entity: String) -> (any DataStore)? {
    let stores = context.container.stores
    // No store has an entity that is itself unsaved.
    return stores.first { $0.schema.entitiesByName[entity] != nil } ?? stores.first
  }
}
