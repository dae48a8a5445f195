package import Foundation

/// What a store is about to write with a save, by which it can tell later whether it did.
///
/// A program may die after a save was written and before it knows that. With this in its recovery file, the next start
/// does not repeat the changes.
package struct SaveTrace: Codable, Hashable, Sendable {
  /// A transaction in a history that is written together with the records.
  package struct Entry: Codable, Hashable, Sendable {
    /// The identifier of the transaction.
    package let id: UUID
    /// Its token, or a smaller one.
    package let token: Int64

    /// Creates a description.
    package init(id: UUID, token: Int64) { (self.id, self.token) = (id, token) }
  }

  /// The content of a file that is replaced as a whole, as digests.
  package struct Content: Codable, Hashable, Sendable {
    /// The content that the save replaces; nil if there is no file.
    package let before: String?
    /// The content that the save writes.
    package let after: String

    /// Creates a description.
    package init(before: String?, after: String) { (self.before, self.after) = (before, after) }
  }

  /// A record as the save leaves it.
  package struct SavedRecord: Codable, Hashable, Sendable {
    /// The name of the entity.
    package let entity: String
    /// The permanent identifier, as text.
    package let key: String
    /// A digest of the values before the save; nil for a new record.
    package let before: String?
    /// A digest of the values after it.
    package let after: String

    /// Creates a description.
    package init(entity: String, key: String, before: String?, after: String) {
      (self.entity, self.key, self.before, self.after) = (entity, key, before, after)
    }
  }

  /// The transaction; nil for a store without such a history.
  package var transaction: Entry?
  /// The content; nil for a store that is not one file that is replaced.
  package var content: Content?
  /// Some of the inserted and changed records; nil for a store that recognizes a save otherwise.
  package var records: [SavedRecord]?

  /// Creates a trace.
  package init(
    transaction: Entry? = nil,
    content: Content? = nil,
    records: [SavedRecord]? = nil
  ) {
    (self.transaction, self.content, self.records) = (transaction, content, records)
  }
}

/// Receives what the save around it is about to write.
///
/// A class, because optimized code of the compiler (6.3.1) crashes when it sets a task-local value of a function type.
package final class SaveWitness: Sendable {
  /// Nil if no one has to know later whether a save was made.
  @TaskLocal private static var current: SaveWitness?

  private let note: @Sendable (SaveTrace) -> Void

  /// Creates a witness that calls the closure on the thread of the save.
  package init(_ note: @escaping @Sendable (SaveTrace) -> Void) { self.note = note }

  /// Runs a save, of which the witness is told.
  package static func watching<Result>(
    by witness: SaveWitness?,
    _ save: () throws -> Result
  ) rethrows -> Result {
    try Self.$current.withValue(witness) { try save() }
  }

  /// Tells the witness, if there is one, what is written next.
  ///
  /// A store calls it immediately before the step after which the save is made.
  package static func note(_ trace: @autoclosure () -> SaveTrace) {
    if let current { current.note(trace()) }
  }
}
