/// What a context notes of its store when it is opened.
extension ModelContext {
  /// Makes the saves that the store has now the earlier ones: those that others make from now on are not undone here.
  ///
  /// A `TextBackedStore` knows them itself. For a store that does not number its saves, the first save of this
  /// context decides instead.
  package func noteEarlierSaves() {
    guard container.stores.count == 1,
      let store = container.stores[0] as? any HistoryKeepingStore & MigratableStore,
      store.keepsHistoryWhenClosed, !(store is any TextBackedStore),
      let last = store.migrationToken
    else { return }
    undoLog.noteSave(last + 1)
  }
}
