import OpenSwiftData

/// The values that conversions of fields have made, among changes with the former values of these fields.
struct ConvertedValues {
  let conversions: [FieldTypeChange]
  /// True if a conversion to the type may have made the second value of the first one.
  let isResult: (_ former: Value, _ new: Value, AttributeType) -> Bool

  /// The conversion that has made a value; nil for a value that was changed in another way.
  func conversion(slot: Int, of update: RecordUpdate) -> FieldTypeChange? {
    if conversions.isEmpty { return nil }
    let (entity, name) = (update.persistentIdentifier.entityName, update.after.layout.names[slot])
    let own = conversions.filter { $0.entity == entity && $0.finalName == name }
    if own.isEmpty { return nil }
    let before = update.before.arranged(as: update.after.layout)
    let (old, new) = (before.orderedValues[slot], update.after.orderedValues[slot])
    return own.last { old.converted(to: $0.type) == new || isResult(old, new, $0.type) }
  }

  /// The steps of one save in words, with conversions in place of theirs.
  func words(of steps: [SchemaStep], _ changes: ChangeSet) -> [String] {
    FieldTypeChange.parts(of: steps).map { part in
      switch part {
      case .step(let place): steps[place].words
      case .conversion(let change): words(of: change, changes)
      }
    }
  }

  /// `field type Book year: text → integer (2 values)`.
  func words(of change: FieldTypeChange, _ changes: ChangeSet) -> String {
    let count = changes.updated.count { update in
      change.finalName.flatMap { update.after.layout.slot(of: $0) }.map { slot in
        !update.after.orderedValues[slot].isNull && conversion(slot: slot, of: update) == change
      } ?? false
    }
    return change.words(ofValues: count)
  }
}

extension Session {
  /// The values that the conversions among steps have made.
  func convertedValues(by steps: [SchemaStep]) -> ConvertedValues {
    ConvertedValues(
      conversions: FieldTypeChange.all(in: steps),
      isResult: valueConversion.isResult
    )
  }
}

extension Transaction {
  /// Its changes of the schema one by one; empty for other replacements of the whole schema.
  var steps: [SchemaStep] {
    let steps = schemaSteps.map { SchemaStep($0) }
    return steps.contains(nil) ? [] : steps.compactMap { $0 }
  }
}
