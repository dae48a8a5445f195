extension Schema {
  /// True when a link that declares one entity may refer to a record of the other.
  ///
  /// So it may to the entity itself, and to one that has all its fields with the same types. Entities of
  /// subclasses have; stores do not keep which class is whose subclass.
  ///
  /// - Complexity: O(n) in the number of fields.
  package func accepts(_ entityName: String, for declared: String) -> Bool {
    if entityName == declared { return true }
    guard let entity = entitiesByName[entityName], let other = entitiesByName[declared] else {
      return false
    }
    return other.fields.allSatisfy { entity.fieldsByName[$0.name]?.type == $0.type }
  }
}
