import OpenSwiftData

/// The conversion of a field to another type, which consists of several steps and a value for each record.
struct FieldTypeChange: Hashable, Sendable {
  let entity: String
  let field: String
  /// The former type; nil if the conversion is undone, because the steps do not name it then.
  let former: String?
  let type: String

  /// The name of the field with the former values until they are dropped.
  static func formerName(of field: Schema.Attribute, in entity: Schema.Entity) -> String {
    var name = "\(field.name) (\(field.type))"
    while entity.fieldsByName[name] != nil { name += "'" }
    return name
  }

  /// The conversion that consists of three steps; nil for any others.
  private init?(_ steps: ArraySlice<SchemaStep>) {
    let steps = Array(steps)
    if let undone = Self(undoing: steps) {
      self = undone
      return
    }
    guard steps.count == 3, case .renameAttribute(let entity, let from, let to) = steps[0],
      case .addAttribute(entity, let added, _) = steps[1], added.name == from,
      steps[2] == .dropAttribute(entity: entity, name: to), to.hasPrefix(from + " (")
    else { return nil }
    self.entity = entity
    field = from
    type = added.type.description
    former = to.dropFirst(from.count + 2).prefix { $0 != ")" }.description
  }

  /// The conversion that three steps undo; nil for any others.
  private init?(undoing steps: [SchemaStep]) {
    guard steps.count == 3, case .addAttribute(let entity, let added, _) = steps[0],
      case .dropAttribute(entity, let field) = steps[1], added.name.hasPrefix(field + " ("),
      steps[2] == .renameAttribute(entity: entity, from: added.name, to: field)
    else { return nil }
    (self.entity, self.field, former) = (entity, field, nil)
    type = added.type.description
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
      if let change = FieldTypeChange(steps[place..<min(place + 3, steps.count)]) {
        parts.append(.conversion(change))
        place += 3
      } else {
        parts.append(.step(place))
        place += 1
      }
    }
    return parts
  }

  /// The conversions among the steps of one save.
  static func all(in steps: [SchemaStep]) -> [FieldTypeChange] {
    parts(of: steps).compactMap { if case .conversion(let change) = $0 { change } else { nil } }
  }

  /// The steps of one save in words, with conversions in place of theirs.
  static func words(of steps: [SchemaStep], _ changes: ChangeSet) -> [String] {
    parts(of: steps).map { part in
      switch part {
      case .step(let place): steps[place].words
      case .conversion(let change): change.words(changes)
      }
    }
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

  /// `field type Book year: text → integer (2 values)`.
  func words(_ changes: ChangeSet) -> String {
    let count = changes.updated.count { update in
      update.persistentIdentifier.entityName == entity
        && update.changedSlots.contains { isConverted(slot: $0, of: update) }
    }
    return "\(words) (\(Session.counted(count, "value")))"
  }

  /// The conversion as the command that makes it.
  var command: String {
    "field type \(CommandText.quoted(entity)) \(CommandText.quoted(field)) \(type)"
  }

  /// True for a value that the conversion has set.
  func isConverted(slot: Int, of update: RecordUpdate) -> Bool {
    update.persistentIdentifier.entityName == entity && update.after.layout.names[slot] == field
      && (update.before.arranged(as: update.after.layout).orderedValues[slot]).isNull
  }
}

extension Transaction {
  /// The conversions of fields among its changes of the schema.
  var conversions: [FieldTypeChange] { FieldTypeChange.all(in: steps) }

  /// Its changes of the schema one by one; empty for other replacements of the whole schema.
  var steps: [SchemaStep] {
    let steps = schemaSteps.map { SchemaStep($0) }
    return steps.contains(nil) ? [] : steps.compactMap { $0 }
  }
}
