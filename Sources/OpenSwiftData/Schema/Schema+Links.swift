extension Schema {
  /// True when a link declared for one entity may refer to records of the other.
  ///
  /// It may refer to the declared entity and to entities that have all its fields with the same types.
  /// Entities of subclasses do; stores do not save the class hierarchy.
  ///
  /// - Complexity: O(n) in the number of fields.
  package func accepts(_ entityName: String, for declared: String) -> Bool {
    if entityName == declared { return true }
    guard let entity = entitiesByName[entityName], let other = entitiesByName[declared] else {
      return false
    }
    // A foreign key refers to its own table, whatever other tables and views have the same columns.
    if other.fields.contains(where: { $0.form != nil }) { return false }
    return other.fields.allSatisfy { entity.fieldsByName[$0.name]?.type == $0.type }
  }
}
