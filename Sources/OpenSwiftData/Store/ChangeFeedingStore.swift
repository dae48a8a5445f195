/// A store that tells what changed in it although no context of its container saved it: another process
/// wrote the file, a server sent news.
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
/// The container takes it from there: contexts read again what changed, observers are told, and
/// `ModelContainer.remoteChange` is posted. They may fetch before `send` returns, so a store calls it
/// after it has released its lock.
public protocol ChangeFeedingStore: DataStore {
  /// Where the store says what changed.
  var changeFeed: StoreChangeFeed { get }

  /// Takes in what others saved by now, and sends it before it returns.
  ///
  /// A store that hears of changes by itself has nothing to do here.
  ///
  /// - Throws: What keeps the store from reading; it is then as before.
  func refresh() throws

  /// From now on takes in what others save as soon as it can be known.
  func startWatching()
}

extension ChangeFeedingStore {
  /// Does nothing: the store hears of changes by itself.
  public func refresh() throws {}

  /// Does nothing: the store hears of changes by itself.
  public func startWatching() {}

  /// Takes in what others saved; where that fails, whoever listens is told to look, and is told why.
  package func refreshOrTell() {
    do { try refresh() } catch { changeFeed.send(.everything) }
  }
}
