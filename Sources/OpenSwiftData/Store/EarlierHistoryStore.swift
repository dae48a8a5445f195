/// A store that reads the history of earlier runs only when it is needed.
package protocol EarlierHistoryStore: HistoryKeepingStore {
  /// The token of the last transaction from before the store was opened; 0 if there is none, nil without a history.
  ///
  /// Reads the history.
  var lastEarlierToken: Int64? { get }
}
