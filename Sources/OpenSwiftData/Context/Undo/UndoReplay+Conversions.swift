/// Conversions of fields, whose undo and redo replace all values of the field by former ones.
extension UndoReplay {
  /// Checks that the fields whose conversion a step undoes or repeats have the values that the step knows.
  ///
  /// Values that another program has saved since would be lost without a word: the field that has them is dropped.
  ///
  /// - Parameter step: The step as it is applied.
  /// - Throws: `PersistenceError` with code `.conflict` that names the first record with another value; the error of the
  ///   store, `Interruption.Stopped`.
  /// - Complexity: O(n) in the records of the entity, for a step with a conversion.
  func checkConversions(of step: UndoStep) throws {
    guard step.changes.changesSchema else { return }
    for case .schema(let edit, let isInverse) in step.changes {
      guard
        case .convertAttribute(let entity, let conversion) = isInverse ? edit.inverse : edit.step
      else { continue }
      let field = Field(entity: entity, name: conversion.attribute.name)
      let known =
        isInverse
        ? replacedValues(by: step, field)
        : try schemaStaging.formerValues(of: edit, in: entity)
      let isText = conversion.attribute.type == .text && !isInverse
      try check(conversion, field, known, isText ? newValues(by: step, field) : [:])
    }
  }

  private struct Field {
    let entity: String
    let name: String
  }

  /// The values of a converted field before the step that undoes the conversion, as far as it changes or deletes them.
  private func replacedValues(by step: UndoStep, _ field: Field) -> [PersistentIdentifier: Value] {
    var values: [PersistentIdentifier: Value] = [:]
    func note(_ value: Value?, of recorded: PersistentIdentifier) {
      let identifier = resolve(recorded)
      if values[identifier] == nil { values[identifier] = value?.remapped(remapping) }
    }
    for change in step.changes where change.identifier?.entityName == field.entity {
      switch change {
      case .update(let recorded, let layout, let slot, let old, _)
      where layout.slot(of: field.name) == slot:
        note(old, of: recorded)
      case .delete(let snapshot):
        note(snapshot[field.name], of: snapshot.persistentIdentifier)
      default: break
      }
    }
    return values
  }

  /// The values that the step which repeats a conversion gives to the records.
  private func newValues(by step: UndoStep, _ field: Field) -> [PersistentIdentifier: Value] {
    var values: [PersistentIdentifier: Value] = [:]
    for case .update(let recorded, let layout, let slot, _, let new) in step.changes
    where recorded.entityName == field.entity && layout.slot(of: field.name) == slot {
      let identifier = resolve(recorded)
      // A later one is not the conversion.
      if values[identifier] == nil { values[identifier] = new }
    }
    return values
  }

  /// True if a text can be what a value was converted to.
  ///
  /// Databases compare with the present records, so that they find no other values.
  private func isText(_ text: Value?, of value: Value, _ type: AttributeType) -> Bool {
    guard let text else { return false }
    switch type {
    case .integer, .number, .decimal, .boolean, .date, .datetime, .uuid:
      return (try? Value(parsing: text.text, as: type)) == value
    case .text, .json, .link, .links: return true
    }
  }

  private func check(
    _ conversion: AttributeConversion,
    _ field: Field,
    _ known: [PersistentIdentifier: Value],
    _ texts: [PersistentIdentifier: Value]
  ) throws {
    guard let entity = stores.schema.entitiesByName[field.entity],
      let type = entity.fieldsByName[field.name]?.type
    else { return }
    try fetching.forEachPage(matching: Query(entity.name)) { page in
      try Interruption.check()
      guard let slot = page.layout.slot(of: field.name) else { return }
      for (place, value) in page.values(slot: slot).enumerated() {
        let identifier = page.identifier(at: place)
        let isMade =
          value.isNull || texts.isEmpty || isText(texts[identifier], of: value, type)
        if isMade, value == known[identifier] ?? .null { continue }
        throw PersistenceError(
          .conflict,
          "\(field.name) of \(entity.name) record \(identifier) has been changed by another program since its "
            + "conversion, and would be lost; use \"field type \(field.name) \(conversion.attribute.type)\" to convert it"
        )
      }
    }
  }
}
