/// A store that holds records under the identifiers with which they are inserted, whatever kind of key these have.
///
/// Records that are copied from one such store to another keep their keys.
package protocol IdentifierKeepingStore: QueryableStore {
  /// True if the records keep their identifiers, including in the file.
  var keepsIdentifiers: Bool { get }
  /// True if the records of an entity are identified only by their places, which say nothing elsewhere.
  func identifiesByPlace(_ entityName: String) -> Bool
  /// The identifier of an entity with this text: that of a record, if one has it.
  func identifier(parsing text: String, of entityName: String) -> PersistentIdentifier
}

extension IdentifierKeepingStore {
  /// Returns false.
  package func identifiesByPlace(_ entityName: String) -> Bool { false }

  /// Returns that of a number, a record key or a UUID if the text looks like one, else of the text itself.
  package func identifier(parsing text: String, of entityName: String) -> PersistentIdentifier {
    IdentifierScope(store: identifier, entity: entityName).identifier(parsing: text)
  }
}

extension DataStore {
  /// True if the store declares that its records keep their identifiers.
  package var isIdentifierKeeping: Bool {
    (self as? any IdentifierKeepingStore)?.keepsIdentifiers ?? false
  }

  /// The identifier of an entity with this text: that of a record, if one has it.
  package func recordIdentifier(_ text: String, of entityName: String) -> PersistentIdentifier {
    (self as? any IdentifierKeepingStore)?.identifier(parsing: text, of: entityName)
      ?? IdentifierScope(store: identifier, entity: entityName).identifier(parsing: text)
  }

  /// True if the store declares that the identifiers of an entity are only the places of the records.
  package func isIdentifyingByPlace(_ entityName: String) -> Bool {
    (self as? any IdentifierKeepingStore)?.identifiesByPlace(entityName) ?? false
  }
}
