/// Records of files without identifiers.
extension ModelContext {
  /// The checks of the records of an entity that are known by their positions; nil if they have identifiers.
  ///
  /// - Complexity: O(n) in the number of values.
  package func checks(of entityName: String) -> RecordChecks? {
    stores.matchingStores.lazy.compactMap { $0.checks(of: entityName) }.first
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

  /// Lets fields alone decide which records these are, until their changes are saved or undone.
  package func identify(
    _ records: [PersistentIdentifier],
    of entityName: String,
    by fields: [String]
  ) {
    stores.readSets.addNames(fields, of: entityName, records)
  }

  /// What the unsaved changes rest on.
  package var grounds: ChangeGrounds { stores.readSets.grounds }

  /// Says that values of some fields, or all if nil, were computed from others or found by them: they are conflicts if
  /// another program has changed one of these before they are saved.
  package func compute(
    _ computed: Set<String>?,
    of records: [PersistentIdentifier],
    of entityName: String,
    from fields: [String]
  ) {
    stores.readSets.add(fields, of: entityName, records, for: computed)
  }

  /// Says that fields got values that were not computed: no other fields are compared for them before they are saved.
  package func noteTyped(
    _ fields: [String],
    of records: [PersistentIdentifier],
    of entityName: String
  ) {
    stores.readSets.release(fields, of: entityName, records)
  }

  /// The fields by which the records of an entity are known; empty if they have identifiers, or are known as a whole or
  /// by a guess.
  package func keyFields(of entityName: String) -> [String] {
    stores.matchingStores.lazy.compactMap { $0.keyFields(of: entityName) }.first ?? []
  }

  /// By what some records are known.
  package func knownKeys(of identifiers: [PersistentIdentifier]) -> KnownKeys {
    stores.readSets.knownKeys(of: identifiers)
  }

  /// How the changes of other programs were merged last, unless a sure key decided.
  package var mergingWords: [String] { stores.matchingStores.compactMap(\.mergingWords) }
}

/// Records whose keys another program can give to other ones.
extension ModelContext {
  /// True if the values decide whether a key of the entity is still on the same record.
  package func checksKeys(of entityName: String) -> Bool {
    stores.checkingStores.contains { $0.checksKeys(of: entityName) }
  }

  /// Why records, given as they were read, may be other ones now; those without a doubt are left out.
  ///
  /// - Throws: The error of a store that cannot be read.
  package func doubts(about records: [DefaultSnapshot]) throws -> [PersistentIdentifier:
    RecordDoubt]
  {
    try stores.doubts(about: records)
  }
}
