/// A store that reports changes made outside its container, by another process or a server.
///
/// ```swift
/// final class NewsStore: DataStore, ChangeFeedingStore {
///   let changeFeed = StoreChangeFeed()
///   func received(_ news: News) {
///     …
///     changeFeed.send(StoreChange(inserted: identifiers))
///   }
/// }
/// ```
///
/// The container does the rest: contexts reload the changed records, observers are notified, and
/// `ModelContainer.remoteChange` is posted. For a store without a history of its own, each change becomes a
/// transaction of the history that the container keeps, marked with `isExternal`. Contexts may fetch before `send` returns, so release the store's lock
/// before calling it.
public protocol ChangeFeedingStore: DataStore {
  /// The feed through which the store reports changes.
  var changeFeed: StoreChangeFeed { get }

  /// Reads the changes that other programs have saved and sends them before it returns.
  ///
  /// A store that is notified of changes has nothing to do here.
  ///
  /// - Throws: The error that prevents reading; the store is then unchanged.
  func refresh() throws

  /// Refreshes; until the moment, calls that read may rely on this look at the store, and need not look again.
  ///
  /// `refresh()` and calls that save look regardless.
  ///
  /// - Throws: As `refresh()`; nothing is relied on then.
  func refresh(reliedOnUntil moment: ContinuousClock.Instant) throws

  /// Makes the next call look, regardless of the last one.
  func forgetLook()

  /// Starts to watch for changes of other programs and to send them as they are detected.
  ///
  /// The container calls it once, when the first observer is created or when the program asks for it. Send
  /// `StoreChange.failure(_:)` if what changed cannot be read.
  func startWatching()
}

extension ChangeFeedingStore {
  /// Does nothing, because the store is notified of changes.
  public func refresh() throws {}

  /// Refreshes, and relies on nothing.
  public func refresh(reliedOnUntil moment: ContinuousClock.Instant) throws { try refresh() }

  /// Does nothing, because the store relies on no look.
  public func forgetLook() {}

  /// Does nothing, because the store is notified of changes.
  public func startWatching() {}

  /// Refreshes; if that fails, sends the failure once.
  ///
  /// Revokes an earlier failure, even if the records are unchanged.
  public func refreshOrSendFailure() {
    do {
      try refresh()
      changeFeed.revokeFailure()
    } catch {
      changeFeed.sendFailure(error)
    }
  }
}
