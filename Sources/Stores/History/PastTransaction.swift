import OpenSwiftData

/// A transaction of an earlier run, or a mark for a change of the file that the history does not know.
struct PastTransaction {
  var transaction: Transaction
  let run: UInt64
  /// The fields by which its records were known; nil if that was not kept.
  var keys: HistoryKeys?
}
