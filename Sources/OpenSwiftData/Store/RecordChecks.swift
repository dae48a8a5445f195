/// Short texts that tell whether the records of an entity, which are known by their positions, are still the same.
package struct RecordChecks: Sendable {
  private let text: @Sendable (PersistentIdentifier) -> String?

  /// Takes what makes the text for a record; it returns nil for one that is not in the store.
  package init(_ text: @escaping @Sendable (PersistentIdentifier) -> String?) { self.text = text }

  /// The text for a record; nil if it is not in the store.
  package subscript(identifier: PersistentIdentifier) -> String? { text(identifier) }
}
