/// A store that can tell later whether a save was made that was interrupted.
///
/// It calls `SaveWitness.note(_:)` in each save.
package protocol SaveTracingStore: QueryableStore {
  /// True if the save was made that left a trace, false if it was not; nil if the store cannot tell.
  ///
  /// - Throws: The error of a store that cannot be read.
  func holdsSave(_ trace: SaveTrace) throws -> Bool?
}
