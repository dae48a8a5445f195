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

  /// `field type Book year: text → integer (2 values)`.
  func words(ofValues count: Int) -> String { "\(words) (\(counted(count, "value")))" }

  /// The conversion as the command that makes it.
  var command: String {
    "field type \(CommandText.quoted(entity)) \(CommandText.quoted(field)) \(type)"
  }
}
