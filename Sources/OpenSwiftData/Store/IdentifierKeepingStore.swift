/// A store that holds records under the identifiers with which they are inserted, whatever kind of key these have.
///
/// Records that are copied from one such store to another keep their keys.
package protocol IdentifierKeepingStore: QueryableStore {
  /// True if the records keep their identifiers, including in the file.
  var keepsIdentifiers: Bool { get }
}

extension DataStore {
  /// True if the store declares that its records keep their identifiers.
  package var isIdentifierKeeping: Bool {
    (self as? any IdentifierKeepingStore)?.keepsIdentifiers ?? false
  }
}
