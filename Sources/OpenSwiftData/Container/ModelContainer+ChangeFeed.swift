extension ModelContainer {
  /// Takes in what others saved to the stores by now: contexts get it, observers are told.
  ///
  /// Stores on files do so by themselves as soon as the system tells of a change; this is for whoever
  /// cannot wait for that.
  ///
  /// - Throws: What the first store says that cannot be read.
  public func refresh() throws {
    for store in stores { try (store as? any ChangeFeedingStore)?.refresh() }
  }

  /// From now on takes in what others save as soon as it can be known.
  package func startWatching() {
    for store in stores { (store as? any ChangeFeedingStore)?.startWatching() }
  }

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
