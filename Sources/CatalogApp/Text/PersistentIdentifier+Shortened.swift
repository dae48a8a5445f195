import OpenSwiftData

extension PersistentIdentifier {
  /// The number of characters up to which a key of another program's table is shown whole.
  private static let longestKey = 16

  /// True if the beginning names the record: the store made the key.
  var canBeShortened: Bool { recordKey != nil || uuidKey != nil }

  /// The text by which people tell records apart.
  ///
  /// The beginning of a key that a store made, or of a UUID, suffices to name the record. The beginning of a number
  /// would be another number.
  func shortened(to count: Int) -> String {
    let text = description
    if isTemporary || numberKey != nil { return text }
    if canBeShortened { return String(text.prefix(count)) }
    return text.count > Self.longestKey ? text.prefix(Self.longestKey - 1) + "…" : text
  }
}
