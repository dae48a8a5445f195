import OpenSwiftData

/// The values that conversions of fields have made, among changes with the former values of these fields.
struct ConvertedValues {
  private let steps: [SchemaStep]
  private let conversions: [(entity: String, conversion: AttributeConversion, finalName: String?)]
  private let reading: ValueConversion

  /// Finds the conversions among the steps of one save.
  init(by steps: [SchemaStep], today: CalendarDate) {
    (self.steps, reading, conversions) = (steps, ValueConversion(today: today), steps.conversions)
  }

  /// True if no step is a conversion.
  var isEmpty: Bool { conversions.isEmpty }

  /// The conversion that has made a value; nil for a value that was changed in another way.
  func conversion(slot: Int, of update: RecordUpdate) -> AttributeConversion? {
    if conversions.isEmpty { return nil }
    let (entity, name) = (update.persistentIdentifier.entityName, update.after.layout.names[slot])
    let own = conversions.filter { $0.entity == entity && $0.finalName == name }
    if own.isEmpty { return nil }
    let before = update.before.arranged(as: update.after.layout)
    let (old, new) = (before.orderedValues[slot], update.after.orderedValues[slot])
    return own.last { _, conversion, _ in
      reading.hasMade(new, of: old, as: conversion.attribute.type, conversion.convention)
    }?.conversion
  }

  /// The steps as rows of a table of changes, for programs as commands.
  func rows(in changes: ChangeSet, inJSON: Bool) -> [[Value]] {
    guard inJSON else {
      return words(in: changes).map { [.text("schema"), .null, .null, .text($0)] }
    }
    return steps.map { step in
      let words = step.conversion == nil ? step.words : step.command
      return [.text("schema"), .text(step.entityName), .null, .null, .text(words)]
    }
  }

  /// The steps in words, conversions with the number of the values that they have made.
  func words(in changes: ChangeSet, others: (SchemaStep) -> String = \.words) -> [String] {
    var conversions = conversions[...]
    return steps.map { step in
      guard step.conversion != nil, let own = conversions.popFirst() else { return others(step) }
      let count = changes.updated.count { update in
        guard update.persistentIdentifier.entityName == own.entity,
          let slot = own.finalName.flatMap(update.after.layout.slot)
        else { return false }
        return !update.after.orderedValues[slot].isNull
          && conversion(slot: slot, of: update) == own.conversion
      }
      return step.words(ofValues: count)
    }
  }
}

extension ValueConversion {
  /// How former values of fields whose type has changed are restored.
  init(today: CalendarDate) {
    self.init { value, type, convention in
      let reader = EntryReader(today: today, convention: EntryConvention(words: convention))
      return FieldConversion.converted(value, to: type, by: reader)
    }
  }
}
