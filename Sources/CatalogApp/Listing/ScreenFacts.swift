import OpenSwiftData

/// What the screen showed when an effect was requested, as far as performing the effect depends on it.
struct ScreenFacts: Sendable {
  /// The entity of the table; nil if the store has none.
  var entityName: String?
  /// The marked records.
  var marks = MarkedRecords()
  /// The record under the cursor; nil if there is none or its values are not loaded.
  var cursor: PersistentIdentifier?
  /// The row of the cursor.
  var row = 0
  /// The filter of the table as it was typed; nil without one.
  var filter: String?
  /// The columns of the table, shown and hidden.
  var columns = ColumnArrangement()
  /// The names of the columns that the table shows, as they are on the screen; nil if they were not arranged.
  var arrangedColumns: [String]?
  /// The paths and the links that the table shows.
  var shownPaths: [String] = []
  var shownLinks: [Int] = []
  /// The width of the screen in cells.
  var width = 80
  /// The record from which the cursor moved to a new one, by the new one.
  var arrivals: [PersistentIdentifier: PersistentIdentifier] = [:]
  /// The reason why a save has nothing to do; nil if it has something to do.
  var nothingToSaveReason: String?
  /// The reason why there is no record for an action; nil if there is one.
  var noTargetReason: String?
  /// True if the open conflicts are on the screen.
  var showsConflicts = false
}
