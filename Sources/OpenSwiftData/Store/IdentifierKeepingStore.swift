/// A store that holds records under the identifiers with which they are inserted, whatever kind of key these have.
///
/// Records that are copied from one such store to another keep their keys.
package protocol IdentifierKeepingStore: QueryableStore {
  /// True if the records keep their identifiers, including in the file.
  var keepsIdentifiers: Bool { get }
  /// True if records are identified only by their places in a file, which say nothing elsewhere.
  var identifiesByPlace: Bool { get }
}

extension IdentifierKeepingStore {
  /// Returns false.
  package var identifiesByPlace: Bool { false }
}

extension DataStore {
  /// True if the store declares that its records keep their identifiers.
  package var isIdentifierKeeping: Bool {
    (self as? any IdentifierKeepingStore)?.keepsIdentifiers ?? false
  }

  /// True if the store declares that its identifiers are only the places of the records in a file.
  package var isIdentifyingByPlace: Bool {
    (self as? any IdentifierKeepingStore)?.identifiesByPlace ?? false
  }
}
