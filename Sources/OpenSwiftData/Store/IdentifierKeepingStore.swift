/// A store that holds records under the identifiers with which they are inserted, whatever kind of key these have.
///
/// Records that are copied from one such store to another keep their keys.
package protocol IdentifierKeepingStore: QueryableStore {
  /// True if the records keep their identifiers, including in the file.
  var keepsIdentifiers: Bool { get }
  /// True if the records of an entity are identified only by their places, which say nothing elsewhere.
  func identifiesByPlace(_ entityName: String) -> Bool
}

extension IdentifierKeepingStore {
  /// Returns false.
  package func identifiesByPlace(_ entityName: String) -> Bool { false }
}

extension DataStore {
  /// True if the store declares that its records keep their identifiers.
  package var isIdentifierKeeping: Bool {
    (self as? any IdentifierKeepingStore)?.keepsIdentifiers ?? false
  }

  /// True if the store declares that the identifiers of an entity are only the places of the records.
  package func isIdentifyingByPlace(_ entityName: String) -> Bool {
    (self as? any IdentifierKeepingStore)?.identifiesByPlace(entityName) ?? false
  }
}
