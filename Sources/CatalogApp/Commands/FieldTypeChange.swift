import OpenSwiftData

/// The conversion of a field to another type, which consists of several steps and a value for each record.
struct FieldTypeChange: Hashable, Sendable {
  let entity: String
  let field: String
  /// The former type; nil if the conversion is undone, because the steps do not name it then.
  let former: String?
  let type: AttributeType
  /// The name of the field after all steps; nil if they drop it.
  private(set) var finalName: String?

  /// The name of the field with the former values until they are dropped.
  static func formerName(of field: Schema.Attribute, in entity: Schema.Entity) -> String {
    var name = "\(field.name) (\(field.type))"
    while entity.fieldsByName[name] != nil { name += "'" }
    return name
  }

  /// The conversion that consists of these steps; nil for any others.
  private init?(_ steps: ArraySlice<SchemaStep>) {
    guard let conversion = SchemaStep.Conversion(steps) else { return nil }
    (entity, field, type) = (conversion.entity, conversion.field, conversion.type)
    finalName = field
    former = conversion.formerName.map { name in
      name.dropFirst(conversion.field.count + 2).prefix { $0 != ")" }.description
    }
  }

  /// A change of the schema for people: a step, or a conversion.
  enum Part {
    case step(Int)
    case conversion(FieldTypeChange)
  }

  /// The steps of one save, with conversions in place of their steps.
  static func parts(of steps: [SchemaStep]) -> [Part] {
    var parts: [Part] = []
    var place = 0
    while place < steps.count {
      let end = min(place + SchemaStep.Conversion.stepCount, steps.count)
      if let change = FieldTypeChange(steps[place..<end]) {
        parts.append(.conversion(change))
        place = end
      } else {
        parts.append(.step(place))
        place += 1
      }
    }
    for (index, part) in parts.enumerated() {
      guard case .conversion(var change) = part else { continue }
      for case .step(let place) in parts[(index + 1)...] { change.follow(steps[place]) }
      parts[index] = .conversion(change)
    }
    return parts
  }

  private mutating func follow(_ step: SchemaStep) {
    switch step {
    case .renameAttribute(entity, let from, let to) where from == finalName: finalName = to
    case .dropAttribute(entity, let name) where name == finalName: finalName = nil
    default: break
    }
  }

  /// The conversions among the steps of one save.
  static func all(in steps: [SchemaStep]) -> [FieldTypeChange] {
    parts(of: steps).compactMap { if case .conversion(let change) = $0 { change } else { nil } }
  }

  /// The steps of one save in words without numbers of values, with conversions in place of theirs.
  static func words(of steps: [SchemaStep]) -> [String] {
    parts(of: steps).map { part in
      switch part {
      case .step(let place): steps[place].words
      case .conversion(let change): change.words
      }
    }
  }

  /// `field type Book year: text → integer`.
  var words: String {
    "field type \(entity) \(field): " + (former.map { "\($0) → \(type)" } ?? "back to \(type)")
  }

  /// The conversion as the command that makes it.
  var command: String {
    "field type \(CommandText.quoted(entity)) \(CommandText.quoted(field)) \(type)"
  }
}

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
    return "\(change.words) (\(Session.counted(count, "value")))"
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
