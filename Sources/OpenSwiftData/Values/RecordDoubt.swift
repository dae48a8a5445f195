/// Why it is not certain which record of another program's version is one that was read before.
public struct RecordDoubt: Hashable, Sendable {
  /// The reason, such as `no record has sku 1002 now`.
  public let reason: String
  /// The most likely record; nil if none is alike.
  public let candidate: PersistentIdentifier?

  /// Creates a doubt.
  package init(_ reason: String, candidate: PersistentIdentifier?) {
    (self.reason, self.candidate) = (reason, candidate)
  }
}

extension [PersistentIdentifier: RecordDoubt] {
  /// Removes the doubts about records that are stored already as changes would make them.
  ///
  /// Both sides have made the same change, or it was saved here without an answer. A record that is elsewhere now was not
  /// changed.
  package mutating func removeDone(
    _ changed: some Sequence<DefaultSnapshot>,
    in stored: [PersistentIdentifier: DefaultSnapshot]
  ) {
    if isEmpty { return }
    for record in changed {
      let identifier = record.persistentIdentifier
      guard let doubt = self[identifier], doubt.candidate == nil else { continue }
      if stored[identifier] == record { self[identifier] = nil }
    }
  }
}
