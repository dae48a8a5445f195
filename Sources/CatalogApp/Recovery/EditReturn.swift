import Foundation
import OpenSwiftData

/// Makes edits that were left behind unsaved edits again, as far as they fit the records as they are.
///
/// What does not fit is told in words and changes nothing. Confined to the thread of its context.
struct EditReturn {
  private let context: ModelContext
  /// New records by the name that they had when they were kept.
  private var new: [KeptLink: Record] = [:]
  /// What did not fit, one line each.
  private(set) var conflicts: [String] = []
  /// How many records were inserted, changed or deleted.
  private(set) var count = 0
  /// How many changes of the schema came back.
  private(set) var changeCount = 0
  /// How many edits are of records that are there.
  private(set) var metCount = 0

  init(into context: ModelContext) { self.context = context }

  /// Brings the edits of one file back.
  ///
  /// - Throws: What the store says when it cannot be read.
  mutating func bringBack(_ found: FoundEdits) throws {
    new = [:]
    if let schema = found.header?.schema { try createEntities(schema) }
    for step in found.steps { change(step) }
    let inserts = found.edits.filter { $0.change == .insert }
    for edit in inserts { insert(edit) }
    for edit in inserts { setLinks(edit) }
    let others = found.edits.filter { $0.change != .insert }
    let stored = try context.snapshots(for: others.compactMap { identifier($0.record) })
    for edit in others {
      guard let identifier = identifier(edit.record), let snapshot = stored[identifier],
        context.pendingKind(of: identifier) != .deleted
      else {
        refuseMissing(edit)
        continue
      }
      metCount += 1
      if edit.change == .update { try update(edit, snapshot) } else { try delete(edit, snapshot) }
    }
  }

  /// Makes the entities that an unsaved store had.
  private func createEntities(_ schema: Schema) throws {
    for entity in schema.entities where context.schema.entitiesByName[entity.name] == nil {
      try context.stage(.createEntity(entity))
    }
  }

  /// Changes the schema as it was changed when the edits were made.
  private mutating func change(_ step: SchemaStep) {
    do {
      let count = context.unsavedSchemaSteps.count
      try context.stage(step: step)
      changeCount += context.unsavedSchemaSteps.count - count
    } catch {
      conflicts.append(
        "the schema: \(step.words) is not possible: \(ScriptRunner.line(for: error))"
      )
    }
  }

  // MARK: New records

  private mutating func insert(_ edit: KeptEdit) {
    guard let entity = context.schema.entitiesByName[edit.record.entity] else {
      refuse(edit, "there is no such entity any more")
      return
    }
    let record = Record(entity: entity)
    // What was null when it was kept is null, whatever the default is.
    for slot in entity.fields.indices { record.persistentState.set(.null, at: slot) }
    for (name, field) in edit.fields.sorted(by: { $0.key < $1.key }) {
      guard let slot = entity.layout.slot(of: name) else {
        conflicts.append(refusal(edit, name, field.after, "there is no such field any more"))
        continue
      }
      let attribute = entity.fields[slot]
      guard attribute.type.destination == nil else { continue }
      set(field.after, at: slot, attribute, of: record, edit)
    }
    context.insert(record)
    new[edit.record] = record
    count += 1
  }

  private mutating func setLinks(_ edit: KeptEdit) {
    guard let record = new[edit.record] else { return }
    for (slot, attribute) in record.entity.fields.enumerated()
    where attribute.type.destination != nil {
      guard let field = edit.fields[attribute.name] else { continue }
      set(field.after, at: slot, attribute, of: record, edit)
    }
  }

  private mutating func set(
    _ kept: KeptValue?,
    at slot: Int,
    _ attribute: Schema.Attribute,
    of record: Record,
    _ edit: KeptEdit
  ) {
    do {
      record.persistentState.set(try value(kept, for: attribute), at: slot)
    } catch {
      conflicts.append(refusal(edit, attribute.name, kept, "\(error)"))
    }
  }

  // MARK: Records of the store

  private mutating func update(_ edit: KeptEdit, _ snapshot: DefaultSnapshot) throws {
    guard let record = try context.records(for: [snapshot.persistentIdentifier]).first else {
      return refuseMissing(edit)
    }
    // Where the place is the name, another value means another record.
    let isSame = edit.fields.allSatisfy { name, field in
      field.before != field.after || snapshot[name].map { KeptValue($0) } == .some(field.before)
    }
    guard isSame else {
      refuse(edit, "another record stands in this place now")
      return
    }
    var changes = false
    for (name, field) in edit.fields.sorted(by: { $0.key < $1.key })
    where field.before != field.after {
      guard let slot = record.entity.layout.slot(of: name) else {
        conflicts.append(refusal(edit, name, field.after, "there is no such field any more"))
        continue
      }
      let current = KeptValue(snapshot.orderedValues[slot])
      if current == field.after { continue }
      guard current == field.before else {
        let change =
          "it was \(KeptEdit.shown(field.before)) and is \(KeptEdit.shown(current)) by now"
        conflicts.append(refusal(edit, name, field.after, change))
        continue
      }
      set(field.after, at: slot, record.entity.fields[slot], of: record, edit)
      changes = true
    }
    if changes { count += 1 }
  }

  private mutating func delete(_ edit: KeptEdit, _ snapshot: DefaultSnapshot) throws {
    for (name, value) in zip(snapshot.layout.names, snapshot.orderedValues)
    where KeptValue(value) != edit.fields[name]?.before {
      refuse(edit, "not deleted, since its \(name) was changed")
      return
    }
    for record in try context.records(for: [snapshot.persistentIdentifier]) {
      context.delete(record)
      count += 1
    }
  }

  private mutating func refuseMissing(_ edit: KeptEdit) {
    // Deleting what is gone already is done.
    guard edit.change == .update else { return }
    refuse(edit, "there is no such record any more")
  }

  private mutating func refuse(_ edit: KeptEdit, _ reason: String) {
    conflicts.append("\(edit.record.entity) \(edit.record.key): \(reason); the edit: \(edit.words)")
  }

  private func refusal(_ edit: KeptEdit, _ name: String, _ value: KeptValue?, _ reason: String)
    -> String
  {
    "\(edit.record.entity) \(edit.record.key): \(name) is not \(KeptEdit.shown(value)): \(reason)"
  }

  // MARK: Values

  private func value(_ kept: KeptValue?, for attribute: Schema.Attribute) throws -> Value {
    switch (attribute.type, kept) {
    case (_, nil): return .null
    case (.link, .links(let links)):
      return links.isEmpty ? .null : .link(try linked(links[0], from: attribute))
    case (.links, .links(let links)):
      return .links(try links.map { try linked($0, from: attribute) })
    case (_, .text(let text)): return try Value(parsing: text, as: attribute.type)
    case (_, .links): throw CommandError("the field refers to no records any more")
    }
  }

  private func linked(_ link: KeptLink, from attribute: Schema.Attribute) throws
    -> PersistentIdentifier
  {
    guard let identifier = identifier(link),
      try context.snapshots(for: [identifier])[identifier] != nil,
      context.pendingKind(of: identifier) != .deleted
    else { throw CommandError("there is no record \(link.key) of \(link.entity)") }
    guard context.schema.mayStand(link.entity, for: attribute.type.destination ?? "") else {
      throw CommandError("the field refers to no records of \(link.entity)")
    }
    return identifier
  }

  private func identifier(_ link: KeptLink) -> PersistentIdentifier? {
    if link.isNew == true { return new[link]?.persistentModelID }
    let store = context.container.stores.first { $0.schema.entitiesByName[link.entity] != nil }
    return store.map {
      IdentifierScope(store: $0.identifier, entity: link.entity).identifier(parsing: link.key)
    }
  }
}
