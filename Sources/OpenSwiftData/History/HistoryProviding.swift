/// A store that provides a history of its saves, with times and authors.
///
/// A `HistoryKeepingStore` conforms by default. A store that implements `DataStore` directly can provide its
/// own transaction type. Without conformance, contexts return the saves through their container since it was
/// opened.
public protocol HistoryProviding {
  /// The type of one transaction in the history.
  associatedtype HistoryType: HistoryTransaction

  /// The type of one transaction in the history.
  static var historyType: HistoryType.Type { get }

  /// The transactions that match the descriptor, oldest first unless it sorts them differently.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` when some of the transactions after the requested token
  ///   were discarded.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Discards the transactions that match the descriptor; records are not affected.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` when the store cannot discard exactly these.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// The type of one transaction in the history.
  public static var historyType: HistoryType.Type { HistoryType.self }
}
