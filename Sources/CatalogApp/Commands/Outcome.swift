package import OpenSwiftData

/// What a command has to show.
package enum Outcome: Sendable {
  /// Done; the text is for people who watch, scripts print nothing.
  case done(String)
  /// Done, with more than what was asked for; scripts print the line as well.
  case note(String)
  /// Nothing yet: a question to be answered first, and what there is to know. Only where somebody is
  /// asked.
  case question(String, details: [String])
  /// Records to list.
  case records(RecordListing)
  /// One record to show, value by value.
  case record(DefaultSnapshot, Schema.Entity)
  /// Text to print as it is, line by line.
  case lines([String])
  /// Rows under headings.
  case table(OutputTable)
  /// What was saved.
  case saved(SaveReport)
  /// The script shall end here; true to leave unsaved changes behind without a word.
  case quit(discarding: Bool)
}

/// Records in an order, to be read page by page.
package struct RecordListing: Sendable {
  /// The entity of the records.
  package let entity: Schema.Entity
  /// The attributes to show, in order.
  package let attributes: [Schema.Attribute]
  /// The records.
  package let identifiers: [PersistentIdentifier]

  /// Creates a listing.
  package init(
    entity: Schema.Entity,
    attributes: [Schema.Attribute],
    identifiers: [PersistentIdentifier]
  ) {
    self.entity = entity
    self.attributes = attributes
    self.identifiers = identifiers
  }
}

/// Rows under headings, with typed values.
package struct OutputTable: Hashable, Sendable {
  /// The headings.
  package let columns: [String]
  /// A value for each heading in each row.
  package let rows: [[Value]]

  /// Creates a table.
  package init(columns: [String], rows: [[Value]]) {
    self.columns = columns
    self.rows = rows
  }
}

/// What a save did.
package struct SaveReport: Hashable, Sendable {
  /// The numbers of records.
  package let inserted, updated, deleted: Int
  /// Temporary identifiers and what they became, in order of insertion.
  package let remapped: [Pair]
  /// What became of the schema, in words.
  package var schemaChanges: [String] = []
  /// What else was done behind the save, or could not be done, a line each.
  package var notes: [String] = []

  /// A temporary identifier and the permanent one that replaced it.
  package struct Pair: Hashable, Sendable {
    /// The identifier from before the save.
    package let temporary: PersistentIdentifier
    /// The identifier from now on.
    package let permanent: PersistentIdentifier
  }

  /// The line that says it.
  package var summary: String {
    "saved: \(inserted) inserted, \(updated) updated, \(deleted) deleted"
  }

  /// That line; where it would say that nothing was saved, another one for the schema.
  ///
  /// Scripts that change records as well read the lines behind it as they always did.
  package var printedLines: [String] {
    inserted + updated + deleted == 0 ? lines : [summary]
  }

  /// That line, and one for the schema when it changed.
  package var lines: [String] {
    schemaChanges.isEmpty
      ? [summary] : [summary, "schema: " + schemaChanges.joined(separator: "; ")]
  }
}
