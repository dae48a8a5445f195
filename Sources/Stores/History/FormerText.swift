import OpenSwiftData

/// The text that a record had in a file before a save changed or deleted it.
struct FormerText: Sendable {
  let bytes: [UInt8]
  /// The record with the values in the text.
  let snapshot: DefaultSnapshot
  /// The columns of separated values; empty for JSON.
  let columns: [String]
  /// The entity with the defaults of absent members in a catalog; nil for other files.
  let entity: Schema.Entity?
}
