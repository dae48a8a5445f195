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

/// What there is to choose from for a field, as far as it matches a text.
///
/// With an empty text, the current record is among the records; the current value is among the values that match.
struct ListChoices: Question {
  enum Source: Hashable, Sendable {
    /// The records of an entity, found by their titles, best first.
    case records(String)
    /// The values of a field in all records, in order.
    case values(String)
  }

  struct Choice: Identifiable, Hashable, Sendable {
    let answer: String
    let text: String
    /// The identifier of a record; empty for a value.
    var identifier = ""

    var id: String { answer }
  }

  struct Reply: Hashable, Sendable {
    let choices: [Choice]
    /// The number of records, or of values that contain the text.
    let total: Int
  }

  let source: Source
  let text: String
  var current: Value?
  var work: String { "searching" }
  var urgency: Urgency { .replacedByTyping }

  func answer(by reader: ListReader) throws -> Reply? {
    switch source {
    case .records(let entity):
      try reader.records(of: entity, matching: text, current: current?.linkedIdentifiers.first)
    case .values(let field):
      try reader.values(of: field, containing: text, current: current?.text)
    }
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
  package struct Referrer: Identifiable, Hashable, Sendable {
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
    /// The name.
    package var id: String { name }

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
    links = Array(row.values.lazy.flatMap(\.linkedIdentifiers).prefix(RecordDetails.most))
    self.includesReferrers = includesReferrers
    if links.isEmpty, !includesReferrers { return nil }
  }
}
