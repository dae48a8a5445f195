/// The fields of the current schema under the names that they had before transactions, which are walked back one by one.
///
/// A field that replaced another one, as the conversion of a field to another type does, is the same field: its values
/// before the replacement are in the history only if they were changed.
struct FormerFields {
  private let schema: Schema
  /// By entity whose fields have changed since then: the former name of each field; nil for one that did not exist.
  private var names: [String: [String?]] = [:]
  /// By entity: the last known name of each field.
  private var lastNames: [String: [String]] = [:]
  /// By entity and slot: the transaction that dropped the field, which a later one has added again.
  private(set) var dropped: [String: [Int: Int64]] = [:]
  /// By entity: the slots of fields that replaced one of another type.
  private(set) var replaced: [String: Set<Int>] = [:]

  /// True if no transaction that changes the schema is left out.
  private let isComplete: Bool

  init(_ schema: Schema, isComplete: Bool) { (self.schema, self.isComplete) = (schema, isComplete) }

  /// The values of a record from the history by current slots; nil for fields that did not exist then.
  func values(of snapshot: DefaultSnapshot, in entity: Schema.Entity) -> [Value?] {
    guard let names = names[entity.name] else {
      guard isComplete else { return entity.arranged(snapshot).orderedValues }
      // Changed values alone have the present names, which other fields may have had before.
      return entity.fields.map { field in
        let isTaken = entity.fieldsByName[field.originalName] != nil
        return snapshot[field.name] ?? (isTaken ? nil : snapshot[field.originalName])
          ?? field.defaultValue
      }
    }
    return zip(names, entity.fields).map { name, field in
      name.flatMap { snapshot[$0] ?? (isComplete ? nil : snapshot[field.originalName]) }
    }
  }

  /// The current slot of a field; nil if no field had the name, or no field has changed since.
  func slot(of name: String, in entity: String) -> Int? { names[entity]?.firstIndex(of: name) }

  /// True if the entity had the field, as far as the history was walked back.
  func has(_ slot: Int, of entity: String) -> Bool { names[entity].map { $0[slot] != nil } ?? true }

  /// The slots of the fields that the transaction has added.
  func slots(addedBy transaction: Transaction, to entity: Schema.Entity) -> [Int] {
    guard let change = FieldChange(transaction, of: entity.name) else { return [] }
    let names: [String?] = names[entity.name] ?? entity.fields.map(\.name)
    return names.indices.filter { slot in
      names[slot].map { change.origin(of: $0) == nil } ?? false
    }
  }

  /// Goes back to the schema before the transaction.
  mutating func goBack(before transaction: Transaction) {
    guard transaction.schemaChange != nil else { return }
    for entity in schema.entities {
      guard let change = FieldChange(transaction, of: entity.name) else { continue }
      goBack(before: change, transaction.token, entity)
    }
  }

  private mutating func goBack(
    before change: FieldChange,
    _ token: Int64,
    _ entity: Schema.Entity
  ) {
    var former: [String?] = names[entity.name] ?? entity.fields.map(\.name)
    var last = lastNames[entity.name] ?? entity.fields.map(\.name)
    for slot in former.indices {
      if let name = former[slot] {
        last[slot] = name
        former[slot] = change.origin(of: name)
        guard former[slot] == nil else { continue }
        if let origin = change.replacedField(of: name) {
          former[slot] = origin
          replaced[entity.name, default: []].insert(slot)
        } else {
          last[slot] = change.addedNames[name] ?? name
        }
      } else if let name = change.dropped[last[slot]] {
        former[slot] = name
        dropped[entity.name, default: [:]][slot] = token
        replaced[entity.name, default: []].insert(slot)
      }
    }
    (names[entity.name], lastNames[entity.name]) = (former, last)
  }
}

/// What a transaction has changed in the fields of an entity.
private struct FieldChange {
  /// By the last name of each dropped field: its name before.
  let dropped: [String: String]
  /// By the name of an added field: that with which it was added, if the same transaction has renamed it.
  let addedNames: [String: String]
  private let added: Set<String>
  private let renamed: (from: String, to: String)?
  /// The former name of each field, if the whole schema was replaced.
  private let origins: [String: String]?
  /// By the name of each field that replaced another one: the name of that.
  private let replaced: [String: String]

  /// Nil if the transaction has left the entity as it was.
  init?(_ transaction: Transaction, of entity: String) {
    var dropped: [String: String] = [:]
    var added: Set<String> = []
    var renamed: (from: String, to: String)?
    var origins: [String: String]?
    var replaced: [String: String] = [:]
    var addedNames: [String: String] = [:]
    switch transaction.schemaChange {
    case nil, .createEntity: return nil
    case .addAttribute(let name, let attribute):
      guard name == entity else { return nil }
      added = [attribute.name]
    case .renameAttribute(let name, let from, let to):
      guard name == entity else { return nil }
      renamed = (from, to)
    case .dropAttribute(let name, let attribute):
      guard name == entity else { return nil }
      dropped = [attribute: attribute]
    case .replaceSchema(let replacement):
      guard let known = replacement.origins[entity] else { return nil }
      origins = known
      let gone = transaction.formerNames(of: entity).subtracting(known.values)
      if let former = transaction.formerSchema?.entitiesByName[entity] {
        let steps = transaction.schemaSteps.compactMap { SchemaStep($0) }
        replaced = ReplacedFields.formerNames(of: former, replacement, steps)
        let course = ReplacedFields.follow(steps, from: former)
        dropped = course.dropped.filter { gone.contains($0.value) }
        addedNames = course.added
      }
      // A field that another one has replaced is that one, whatever field gets its name later.
      for name in gone.subtracting(dropped.values).subtracting(replaced.values) {
        dropped[name] = dropped[name] ?? name
      }
    }
    (self.dropped, self.added, self.renamed, self.origins) = (dropped, added, renamed, origins)
    (self.replaced, self.addedNames) = (replaced, addedNames)
  }

  /// The name of the field that an added one replaced; nil if there is none.
  func replacedField(of name: String) -> String? {
    replaced[name]
      ?? (dropped.values.contains(name) && !replaced.values.contains(name) ? name : nil)
  }

  /// The name of a field before the transaction; nil if it was added.
  func origin(of name: String) -> String? {
    if let origins { return origins[name] }
    if let renamed, renamed.to == name { return renamed.from }
    return added.contains(name) ? nil : name
  }
}

extension Transaction {
  /// The fields that an entity had before a change of the whole schema, as far as they are known.
  fileprivate func formerNames(of entity: String) -> Set<String> {
    if let former = formerSchema?.entitiesByName[entity] { return Set(former.fields.map(\.name)) }
    return Set(
      schemaSteps.compactMap { step in
        switch step {
        case .renameAttribute(entity, let from, _): from
        case .dropAttribute(entity, let name): name
        default: nil
        }
      }
    )
  }
}
