/// Fields of records whose values a command has read before it changed the records.
package struct RecordFields: Hashable, Sendable {
  package let entityName: String
  package let fields: [String]
  /// The fields whose changes rest on the values; nil for all.
  package var dependents: Set<String>?
  package internal(set) var records: Set<PersistentIdentifier>

  /// Creates a description.
  package init(_ entityName: String, by fields: [String], _ records: Set<PersistentIdentifier>) {
    (self.entityName, self.fields, self.records) = (entityName, fields, records)
  }
}

/// What unsaved changes rest on: what commands have read.
package struct ChangeGrounds: Sendable {
  /// The fields of the changed records.
  package let fields: [RecordFields]
  /// The records that links name.
  package let linked: LinkedRecords
}

/// The fields by which the records of files without identifiers are known.
package struct KnownKeys: Sendable {
  private let named: [RecordFields]
  /// By entity; nothing for those whose records have identifiers.
  private let fields: [String: [String]]
  /// How many records are equal as a whole to a record, with itself, if there are others.
  package let copies: [PersistentIdentifier: Int]

  init(
    _ named: [RecordFields],
    _ fields: [String: [String]],
    _ copies: [PersistentIdentifier: Int]
  ) {
    (self.named, self.fields, self.copies) = (named, fields, copies)
  }

  /// The fields of a record; empty if it is known as a whole, nil if it has an identifier.
  package subscript(identifier: PersistentIdentifier) -> [String]? {
    guard let known = fields[identifier.entityName] else { return nil }
    return named.first { $0.records.contains(identifier) }?.fields ?? known
  }
}
