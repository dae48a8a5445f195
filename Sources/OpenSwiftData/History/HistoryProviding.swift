/// A store that can say what was saved, when and by whom.
///
/// Every `QueryableStore` is one by default. A store that is written straight against `DataStore` may
/// bring transactions of its own type; without, contexts answer with what was saved through their
/// container since it was opened.
public protocol HistoryProviding {
  /// What one save looks like in the history.
  associatedtype HistoryType: HistoryTransaction

  /// What one save looks like in the history.
  static var historyType: HistoryType.Type { get }

  /// The transactions that the descriptor asks for, oldest first unless it says otherwise.
  ///
  /// - Throws: `SwiftDataError.historyTokenExpired` when it asks for what follows a token, and some of
  ///   that was deleted.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Forgets the transactions that the descriptor asks for; records stay as they are.
  ///
  /// - Throws: `PersistenceError` with code `.unsupported` when the store cannot forget just these.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension HistoryProviding {
  /// What one save looks like in the history.
  public static var historyType: HistoryType.Type { HistoryType.self }
}
