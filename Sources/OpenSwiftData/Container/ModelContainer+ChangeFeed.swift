extension ModelContainer {
  /// Hears what changes in a store without a context of this container, until either is gone.
  func subscribe(to store: any ChangeFeedingStore) -> StoreChangeFeed.Subscription {
    store.changeFeed.observe { [weak self] change in
      self?.reportRemoteChanges(SavedChanges(change))
    }
  }
}

extension SavedChanges {
  /// Takes what a store says; which values of a record changed it does not say, so that contexts read
  /// the record again.
  init(_ change: StoreChange) {
    author = change.author
    inserted = change.inserted
    deleted = change.deleted
    changed = change.updated
    isUnknown = change.isIncomplete
  }
}
