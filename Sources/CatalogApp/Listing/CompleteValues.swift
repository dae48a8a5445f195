package import OpenSwiftData

/// The values of a field that begin with a text, in order, and how many of the records read have each; of a link also
/// the titles of the records that it refers to.
struct CompleteValues: Question {
  let field: String
  let text: String
  /// True for the titles of linked records.
  var areTitles = false
  var work: String { "counting values" }
  var urgency: Urgency { .completion }

  func answer(by reader: ListReader) throws -> [ValueCount]? {
    areTitles
      ? try reader.titles(of: field, matching: text) : try reader.values(of: field, prefix: text)
  }
}

/// The names of the views of the entity that are records of the store.
struct ListStoredViews: Question {
  var work: String { "working" }
  var urgency: Urgency { .completion }

  func answer(by reader: ListReader) throws -> [String]? {
    let session = reader.session
    let texts = try session.entityName.map { try StoredViews(session).texts(of: $0) } ?? [:]
    return texts.keys.sorted()
  }
}

/// The files whose path begins with a text; those of folders end in a slash.
struct ListFiles: Question {
  let beginning: String
  var work: String { "working" }
  var urgency: Urgency { .completion }

  func answer(by reader: ListReader) -> [String]? {
    reader.session.services.paths(beginning: beginning)
  }
}

/// The current day, for relative dates.
struct ReadClock: Question {
  var work: String { "working" }
  var urgency: Urgency { .background }

  func answer(by reader: ListReader) -> CalendarDate? { reader.session.services.clock.today }
}

/// The number of records of the list with each value of a field, for its groups.
struct CountGroups: Question {
  let field: String
  let entity: String
  var work: String { "counting values" }
  var urgency: Urgency { .background }

  func answer(by reader: ListReader) throws -> [Value: Int]? {
    // The list may be that of another entity by now.
    guard reader.list.spec?.entityName == entity else { return nil }
    return try reader.counts(of: field, ofMarked: false)
  }
}

/// How often a value occurs.
package struct ValueCount: Identifiable, Hashable, Sendable {
  package let value: Value
  /// How many records have it.
  package let count: Int
  /// The titles of the records that it refers to; nil for other values.
  package var title: String?
  /// The value.
  package var id: Value { value }
}
