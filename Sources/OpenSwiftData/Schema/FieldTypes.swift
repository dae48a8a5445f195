/// By entity and field, the types that the fields of a file without a schema need for values that it does not have.
package typealias FieldTypes = [String: [String: AttributeType]]

extension FieldTypes {
  /// Adds the type of a value; a field gets one that holds all of its values.
  package mutating func add(_ type: AttributeType, of field: String, in entityName: String) {
    let known = self[entityName]?[field]
    self[entityName, default: [:]][field] = known.map { $0.holding(type) } ?? type
  }

  /// Adds types.
  package mutating func add(_ others: FieldTypes) {
    for (entity, types) in others {
      for (field, type) in types { add(type, of: field, in: entity) }
    }
  }
}

extension AttributeType {
  /// A type that holds the values of both.
  fileprivate func holding(_ other: AttributeType) -> AttributeType {
    if self == other { return self }
    guard isNumeric, other.isNumeric else { return .text }
    return [self, other].contains(.number) ? .number : .decimal
  }
}
