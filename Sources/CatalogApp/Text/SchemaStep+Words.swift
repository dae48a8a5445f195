import OpenSwiftData

extension SchemaStep {
  /// A description of an unsaved schema change: `add stars to Film`.
  var words: String {
    switch self {
    case .createEntity(let entity): "create \(entity.name)"
    case .removeEntity(let name): "remove \(name)"
    case .addAttribute(let entity, let attribute, _): "add \(attribute.name) to \(entity)"
    case .renameAttribute(let entity, let from, let to): "rename \(from) to \(to) in \(entity)"
    case .dropAttribute(let entity, let name): "drop \(name) from \(entity)"
    case .convertAttribute(let entity, let conversion):
      "field type \(entity) \(conversion.attribute.name): \(conversion.words)"
    }
  }

  /// The same with the number of values that a conversion has made: `field type Book year: text → integer (2 values)`.
  func words(ofValues count: Int) -> String {
    conversion == nil ? words : "\(words) (\(counted(count, "value")))"
  }
}

extension AttributeConversion {
  /// `text → integer`, or `back to text`.
  var words: String {
    former.map { "\($0.type) → \(attribute.type)" } ?? "back to \(attribute.type)"
  }
}
