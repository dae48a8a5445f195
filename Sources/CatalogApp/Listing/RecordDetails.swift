package import OpenSwiftData

/// What the details pane needs of other records.
package struct DetailsRequest: Question {
  /// The record.
  package let identifier: PersistentIdentifier
  /// The records that it refers to.
  package let links: [PersistentIdentifier]
  /// True if the records that refer to it are wanted, too, which takes longer.
  package let includesReferrers: Bool

  package var work: String { "reading related records" }
  package var urgency: Urgency { .background }

  /// Without an answer, the pane shows the identifiers instead of the titles.
  package func answer(by reader: ListReader) -> RecordDetails? { try? reader.details(for: self) }
}

/// The records of an entity whose titles match a text, best first, with the current one if the text is empty.
struct ListRecordsByTitle: Question {
  struct Reply: Hashable, Sendable {
    let records: [RecordDetails.Record]
    /// The number of records they were found among.
    let total: Int
  }

  let entity: String
  let text: String
  var current: PersistentIdentifier?
  var work: String { "searching" }
  var urgency: Urgency { .replacedByTyping }

  func answer(by reader: ListReader) throws -> Reply? {
    try reader.records(of: entity, matching: text, current: current)
  }
}

/// The values of a field that contain a text, in order, from all records, and the current value if it is one of them.
struct SearchValues: Question {
  struct Reply: Hashable, Sendable {
    let values: [Value]
    /// The number of all that contain the text.
    let total: Int
  }

  let field: String
  let text: String
  let current: String?
  var work: String { "searching" }
  var urgency: Urgency { .replacedByTyping }

  func answer(by reader: ListReader) throws -> Reply? {
    try reader.values(of: field, containing: text, current: current)
  }
}

/// What the details pane shows of other records.
package struct RecordDetails: Hashable, Sendable {
  /// The request that it answers.
  package let request: DetailsRequest
  /// The titles of the records that the record refers to; those that no longer exist are missing.
  package let titles: [PersistentIdentifier: String]
  /// The records that refer to it; nil if they were not read.
  package let referrers: [Referrer]?

  /// The records that refer to a record by one field.
  package struct Referrer: Hashable, Sendable {
    /// The entity of the records.
    package let entityName: String
    /// The field that refers to the record.
    package let field: String
    /// The first of the records, with their titles.
    package let records: [Record]
    /// True if there are more.
    package let continues: Bool

    /// The entity and the field, such as `Film.studio`.
    package var name: String { "\(entityName).\(field)" }

    /// The number of records, with a plus if there are more.
    var countText: String { "\(records.count)\(continues ? "+" : "")" }
  }

  /// A record with its title.
  package struct Record: Hashable, Sendable {
    /// The record.
    package let identifier: PersistentIdentifier
    /// Its title; empty if it has none.
    package let title: String
  }

  /// The maximum number of titles of links, and of records by each field.
  package static let most = 50
}

extension DetailsRequest {
  /// What is needed for a row; nil if it refers to no record and nothing else is wanted.
  init?(_ row: TableRow, includesReferrers: Bool) {
    identifier = row.identifier
    links = Array(row.values.lazy.flatMap(\.linkedRecords).prefix(RecordDetails.most))
    self.includesReferrers = includesReferrers
    if links.isEmpty, !includesReferrers { return nil }
  }
}
