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
