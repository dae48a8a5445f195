/// Records of files without identifiers.
extension ModelContext {
  /// Short texts that tell whether records known by their position are still the same; nothing for other records.
  package func checks(of identifiers: [PersistentIdentifier]) -> [PersistentIdentifier: String] {
    stores.matchingStores.reduce(into: [:]) { found, store in
      found.merge(store.checks(of: identifiers)) { first, _ in first }
    }
  }

  /// The records of another context that are those of an entity here, if both have no identifiers; nil for others.
  ///
  /// - Throws: The error of a store that cannot be read.
  package func counterparts(of entityName: String, in other: ModelContext, _ otherName: String)
    throws -> RecordCounterparts?
  {
    for store in stores.matchingStores {
      for counterpart in other.stores.matchingStores {
        let found = try store.counterparts(of: entityName, in: counterpart, otherName)
        if let found { return found }
      }
    }
    return nil
  }

  /// Lets fields decide which record of an entity is which, until the unsaved changes are saved or discarded.
  package func identify(_ entityName: String, by fields: [String]) {
    stores.identify(entityName, by: fields)
  }
}
