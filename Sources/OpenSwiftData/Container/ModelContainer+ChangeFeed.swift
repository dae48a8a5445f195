import Synchronization

extension ModelContainer {
  /// Reads the changes that other programs or a server have saved; contexts merge them, observers are notified.
  ///
  /// Stores that watch their files do this when the system reports a change (see ``startWatching()``), and many do
  /// it with the next fetch as well. Call this method when the changes are needed immediately. Stores that are not
  /// a ``ChangeFeedingStore`` report no changes.
  ///
  /// - Throws: The error of the first store that cannot be read.
  public func refresh() throws {
    for store in stores { try (store as? any ChangeFeedingStore)?.refresh() }
  }

  /// Refreshes; until the moment, contexts may read what the stores contain now, without looking again.
  ///
  /// - Throws: As `refresh()`.
  package func refresh(reliedOnUntil moment: ContinuousClock.Instant) throws {
    for store in stores { try (store as? any ChangeFeedingStore)?.refresh(reliedOnUntil: moment) }
  }

  /// Ends the reliance on the last look.
  package func forgetLook() {
    for store in stores { (store as? any ChangeFeedingStore)?.forgetLook() }
  }

  /// Starts to watch the stores for changes of other programs, which contexts then merge as they are detected.
  ///
  /// A ``ResultsObserver``, a ``HistoryObserver`` and ``ModelContext/results(of:)`` start it themselves. Only the
  /// first call has an effect.
  public func startWatching() {
    guard !isWatching.exchange(true, ordering: .relaxed) else { return }
    for store in stores { (store as? any ChangeFeedingStore)?.startWatching() }
  }

  /// Subscribes to changes made to a store from outside this container, until either is deallocated.
  ///
  /// - Returns: Nil if the store does not report changes.
  func subscribe(toStoreAt place: Int) -> StoreChangeFeed.Subscription? {
    (stores[place] as? any ChangeFeedingStore)?.changeFeed.subscribe(noting: { [weak self] change in
      guard let self else { return nil }
      var saved = SavedChanges(change)
      if saved.isEmpty { return nil }
      // In the history first: observers may read it as soon as they are notified.
      if change.failure == nil {
        saved.tokens[links[place].identifier] = links[place].note(change)
      }
      return noteRemoteChanges(saved)
    })
  }
}

extension SavedChanges {
  /// Creates changes from a store's report.
  ///
  /// The report does not name the changed values, so contexts reload the records.
  init(_ change: StoreChange) {
    author = change.author
    inserted = change.inserted
    deleted = change.deleted
    changed = change.updated
    isUnknown = change.isIncomplete || change.isSchemaChanged
    failure = change.failure
  }
}
