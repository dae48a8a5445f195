/// The fields of the current schema under the names that they had before transactions, which are walked back one by one.
///
/// A field that replaced another one, as the conversion of a field to another type does, is the same field: its values
/// before the replacement are in the history only if they were changed.
package struct FormerFields {
  private let schema: Schema
  /// By entity whose fields have changed since then: its fields.
  private var fields: [String: [PastField]] = [:]
  /// By entity and slot: the transaction that dropped the field, which a later one has added again.
  private(set) var dropped: [String: [Int: Int64]] = [:]
  /// By entity: the slots of fields that replaced one of another type.
  private(set) var replaced: [String: Set<Int>] = [:]

  /// True if no transaction that changes the schema is left out.
  private let isComplete: Bool

  /// The fields now.
  ///
  /// - Parameters:
  ///   - schema: The current schema.
  ///   - isComplete: False if transactions that change the schema are left out.
  package init(_ schema: Schema, isComplete: Bool) {
    (self.schema, self.isComplete) = (schema, isComplete)
  }

  /// The values of a record from the history by current slots; nil for fields that did not exist then.
  ///
  /// A record that has a value in a field of this name had the field: those of a file without a schema come and go with
  /// their values.
  package func values(of snapshot: DefaultSnapshot, in entity: Schema.Entity) -> [Value?] {
    guard let former = fields[entity.name] else {
      guard isComplete else { return entity.arranged(snapshot).orderedValues }
      // Changed values alone have the present names, which other fields may have had before.
      return entity.fields.map { field in
        let isTaken = entity.fieldsByName[field.originalName] != nil
        return snapshot[field.name] ?? (isTaken ? nil : snapshot[field.originalName])
          ?? field.defaultValue
      }
    }
    return zip(former, entity.fields).map { past, field in
      guard past.exists else {
        let isTaken = former.contains { $0.exists && $0.name == field.name }
        return isTaken ? nil : snapshot[field.name]
      }
      return snapshot[past.name] ?? (isComplete ? nil : snapshot[field.originalName])
    }
  }

  /// The current slot of a field; nil if no field had the name.
  package func slot(of name: String, in entity: Schema.Entity) -> Int? {
    past(of: entity).firstIndex { $0.exists && $0.name == name }
  }

  /// True if the entity had the field, as far as the history was walked back.
  package func has(_ slot: Int, of entity: String) -> Bool { fields[entity]?[slot].exists ?? true }

  private func past(of entity: Schema.Entity) -> [PastField] {
    fields[entity.name] ?? entity.fields.map { PastField(name: $0.name) }
  }

  /// The slots of the fields that the transaction has added.
  func slots(addedBy transaction: Transaction, to entity: Schema.Entity) -> [Int] {
    guard let change = FieldChange(transaction, of: entity.name) else { return [] }
    let past = past(of: entity)
    return past.indices.filter { past[$0].exists && change.origin(of: past[$0].name) == nil }
  }

  /// Goes back to the schema before the transaction.
  package mutating func goBack(before transaction: Transaction) {
    for entity in schema.entities {
      guard let change = FieldChange(transaction, of: entity.name) else { continue }
      fields[entity.name] = past(of: entity).enumerated().map { slot, field in
        if field.exists, let origin = change.origin(of: field.name) {
          return PastField(name: origin)
        }
        let past = change.past(field)
        if past.exists {
          replaced[entity.name, default: []].insert(slot)
          if !field.exists { dropped[entity.name, default: [:]][slot] = transaction.token }
        }
        return past
      }
    }
  }
}
