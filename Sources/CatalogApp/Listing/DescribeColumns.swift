package import OpenSwiftData

/// What the first records of the list say about each column.
struct DescribeColumns: Question {
  struct Reply: Hashable, Sendable {
    let columns: [ColumnFacts]
    /// The number of records that were read.
    let examined: Int
    /// True if these are all.
    let isAll: Bool
  }

  var work: String { "counting values" }

  func answer(by reader: ListReader) throws -> Reply? { try reader.describeColumns() }
}

/// The columns inside a column: the members of its objects, or the fields of the records that it refers to.
struct ListMembers: Question {
  let column: String
  var work: String { "counting values" }

  func answer(by reader: ListReader) throws -> [TableColumn]? { try reader.members(of: column) }
}

/// What is wrong with the first of the paths into JSON at which no record has a value; no answer if all have some.
struct CheckPaths: Question {
  let paths: [String]
  var work: String { "counting values" }

  func answer(by reader: ListReader) throws -> String? { try reader.unknownPath(paths) }
}

/// The column that tells the records of an entity apart.
struct FindTitle: Question {
  struct Reply: Hashable, Sendable {
    /// Nil if none does.
    let column: TableColumn?
  }

  let entity: String
  var work: String { "counting values" }

  func answer(by reader: ListReader) throws -> Reply? { try reader.findTitle(of: entity) }
}

/// What the records say about a column.
package struct ColumnFacts: Hashable, Sendable {
  /// The name of the column.
  package let name: String
  /// The number of records without a value.
  package let missing: Int
  /// The number of different values.
  package let distinct: Int
  /// Some of the values.
  package let sample: [Value]
}
