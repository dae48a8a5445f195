/// A field whose past is followed from change to change of the schema, the last one first.
struct PastField {
  /// Its name at the moment that was reached; of a field that did not exist then, the first one that it had later.
  var name: String
  var exists = true

  fileprivate mutating func goBack(before step: SchemaStep) {
    switch step {
    case .renameAttribute(_, let from, let to) where exists && to == name: name = from
    case .addAttribute(_, let added, _) where exists && added.name == name: exists = false
    case .dropAttribute(_, let dropped) where !exists && dropped == name: exists = true
    default: break
    }
  }
}

/// What a change of the schema has made of the fields of an entity.
struct FieldChange {
  /// The steps for the entity; none if they are not known.
  private let steps: [SchemaStep]
  /// The former name of each field that has kept its values; nil for a single step.
  private let origins: [String: String]?
  /// The former fields that none has kept the values of, as far as they are known; nil for a single step.
  private let gone: Set<String>?
  /// The former fields that were converted.
  private var converted: Set<String> = []
  /// The fields after the change that have not kept values.
  private var new: Set<String> = []

  /// Follows the fields of an entity through a replacement of the schema; nil if their records are gone.
  ///
  /// - Parameters:
  ///   - replacement: The replacement.
  ///   - steps: The changes that it combines; none if they are not known.
  ///   - former: The names of the fields before it; nil if they are known only from the steps.
  ///   - entity: The name of the entity.
  init?(
    _ replacement: SchemaReplacement,
    _ steps: [SchemaStep],
    former: Set<String>?,
    of entity: String
  ) {
    guard let origins = replacement.origins[entity] else { return nil }
    let own = steps.filter { $0.entityName == entity }
    let names = former ?? Set(own.compactMap(\.formerField))
    (self.steps, self.origins, gone) = (own, origins, names.subtracting(origins.values))
    for (place, step) in own.enumerated() {
      guard let conversion = step.conversion else { continue }
      var field = PastField(name: conversion.attribute.name)
      for step in own[..<place].reversed() { field.goBack(before: step) }
      if field.exists { converted.insert(field.name) }
    }
    let fields = replacement.schema.entitiesByName[entity]?.layout.names ?? []
    new = Set(fields).subtracting(origins.keys)
  }

  /// Nil if the transaction has left the fields of the entity as they were.
  init?(_ transaction: Transaction, of entity: String) {
    guard let change = transaction.schemaChange else { return nil }
    if case .replaceSchema(let replacement) = change {
      let former = transaction.formerSchema?.entitiesByName[entity]
      self.init(
        replacement,
        transaction.steps,
        former: former.map { Set($0.layout.names) },
        of: entity
      )
    } else {
      guard change.entityName == entity, let step = SchemaStep(change) else { return nil }
      if case .createEntity = step { return nil }
      self.init(step)
    }
  }

  private init(_ step: SchemaStep) { (steps, origins, gone) = ([step], nil, nil) }

  /// The former name of a field that has kept its values; nil for any other.
  func origin(of name: String) -> String? {
    if let origins { return origins[name] }
    let field = past(PastField(name: name))
    return field.exists ? field.name : nil
  }

  /// The field before the change, if it did not keep its values: that whose place it took, as a conversion does.
  func past(_ field: PastField) -> PastField {
    var past = field
    for step in steps.reversed() { past.goBack(before: step) }
    guard let gone else { return past }
    if past.exists, gone.contains(past.name) { return past }
    // A field that another one has replaced is that one, whatever field gets its name later.
    let name = field.name
    let isFree =
      gone.contains(name) && !converted.contains(name) && (field.exists || !new.contains(name))
    return PastField(name: isFree || !field.exists ? name : past.name, exists: isFree)
  }
}

extension SchemaStep {
  /// The field that the step renames, removes or converts.
  fileprivate var formerField: String? {
    if case .renameAttribute(_, let from, _) = self { from } else { droppedField }
  }
}
