/// A store whose calls that read first look whether other programs have saved, and can rely on a recent look instead.
package protocol LookReusingStore: ChangeFeedingStore {
  /// Refreshes; until the moment, calls that read rely on this look, and do not look again.
  ///
  /// `refresh()` and calls that save look regardless.
  ///
  /// - Throws: As `refresh()`; nothing is relied on then.
  func refresh(reliedOnUntil moment: ContinuousClock.Instant) throws

  /// Makes the next call look, regardless of the last one.
  func forgetLook()
}
