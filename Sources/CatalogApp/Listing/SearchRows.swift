import OpenSwiftData

/// The nearest row with a text, from a row on in a direction, wrapping around.
struct SearchRows: Question {
  struct Reply: Hashable, Sendable {
    /// Nil if no row has it; for a record of a folded group, the line of the group.
    let row: Int?
    /// The search may have counted on.
    let extent: ListExtent
    let folded: FoldedMatch?
  }

  let text: String
  let start: Int
  let isForward: Bool
  var work: String { "searching" }
  var urgency: Urgency { .replacedByTyping }

  func answer(by reader: ListReader) throws -> Reply? {
    let found = try reader.search(text, from: start, isForward: isForward)
    return Reply(row: found?.row, extent: reader.list.extent, folded: found?.folded)
  }
}

/// How many rows have a text, and the position of a row among them.
struct CountMatches: Question {
  let text: String
  let row: Int
  var work: String { "searching" }
  var urgency: Urgency { .background }

  func answer(by reader: ListReader) throws -> MatchCount? { try reader.count(text, at: row) }
}

/// A record in a folded group, such as one that a search found.
package struct FoldedMatch: Hashable, Sendable {
  let record: PersistentIdentifier
  /// The value that the records of the group have in common.
  let group: Value
}

/// The number of rows with a text, and the position of one row among them.
package struct MatchCount: Hashable, Sendable {
  package let text: String
  package let row: Int
  /// Its position among the rows with the text, from 1; nil if it is not one of them or they were not
  /// counted.
  package let place: Int?
  /// The number of rows that hold it.
  package let count: Int
  /// True if there may be more, because not all rows were counted.
  package let isCapped: Bool
}
