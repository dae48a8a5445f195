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
    let edits = step.changes.compactMap { change -> (edit: SchemaEdit, step: SchemaStep)? in
      guard case .schema(let edit, let isInverse) = change else { return nil }
      return (edit, isInverse ? edit.inverse : edit.step)
    }
    let steps = edits.map(\.step)
    let width = SchemaStep.Conversion.stepCount
    for start in 0..<max(0, steps.count - width + 1) {
      guard let conversion = SchemaStep.Conversion(steps[start..<(start + width)]) else { continue }
      let known =
        conversion.formerName == nil
        ? replacedValues(by: step, conversion)
        : try schemaStaging.formerValues(of: edits[start + width - 1].edit, in: conversion.entity)
      let made = conversion.formerName == nil ? nil : newValues(by: step, conversion)
      try check(conversion, known, made)
    }
  }

  /// The values of a converted field before the step that undoes the conversion, as far as it changes or deletes them.
  private func replacedValues(by step: UndoStep, _ conversion: SchemaStep.Conversion)
    -> [PersistentIdentifier: Value]
  {
    var values: [PersistentIdentifier: Value] = [:]
    func note(_ value: Value?, of recorded: PersistentIdentifier) {
      let identifier = resolve(recorded)
      if values[identifier] == nil { values[identifier] = value?.remapped(remapping) }
    }
    for change in step.changes where change.identifier?.entityName == conversion.entity {
      switch change {
      case .update(let recorded, let layout, let slot, let old, _)
      where layout.slot(of: conversion.field) == slot:
        note(old, of: recorded)
      case .delete(let snapshot):
        note(snapshot[conversion.field], of: snapshot.persistentIdentifier)
      default: break
      }
    }
    return values
  }

  /// The values that the step which repeats a conversion gives to the records.
  private func newValues(by step: UndoStep, _ conversion: SchemaStep.Conversion)
    -> [PersistentIdentifier: Value]
  {
    var values: [PersistentIdentifier: Value] = [:]
    for case .update(let recorded, let layout, let slot, _, let new) in step.changes
    where recorded.entityName == conversion.entity && layout.slot(of: conversion.field) == slot {
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
    _ conversion: SchemaStep.Conversion,
    _ known: [PersistentIdentifier: Value],
    _ made: [PersistentIdentifier: Value]?
  ) throws {
    guard let entity = stores.schema.entitiesByName[conversion.entity],
      let type = entity.fieldsByName[conversion.field]?.type
    else { return }
    let texts = conversion.type == .text && made?.isEmpty == false ? made : nil
    try fetching.forEachPage(matching: Query(entity.name)) { page in
      try Interruption.check()
      guard let slot = page.layout.slot(of: conversion.field) else { return }
      for (place, value) in page.values(slot: slot).enumerated() {
        let identifier = page.identifier(at: place)
        let isMade = value.isNull || texts.map { isText($0[identifier], of: value, type) } ?? true
        if isMade, value == known[identifier] ?? .null { continue }
        throw PersistenceError(
          .conflict,
          "\(conversion.field) of \(entity.name) record \(identifier) has been changed by another program since its "
            + "conversion, and would be lost; use \"field type \(conversion.field) \(conversion.type)\" to convert it"
        )
      }
    }
  }
}
