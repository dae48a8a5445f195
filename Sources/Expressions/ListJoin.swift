package import OpenSwiftData

/// Rows of a file that take part in a list, each beside the records with the same key.
package struct ListJoin: Sendable {
  /// The file, for messages.
  let name: String
  /// What a record is found by.
  let keys: [ListItem]
  /// The columns with the same values, by their numbers.
  let columns: [Int]
  let columnNames: [String]
  let rows: [[Value]]
  /// The number of columns.
  let width: Int
  /// True if a record occurs once for each row with its key.
  let takesAll: Bool

  /// Creates a join.
  ///
  /// - Precondition: There is a column for each key, and a value for each column of a row.
  package init(
    _ name: String,
    by keys: [ListItem],
    _ columns: [Int],
    named names: [String],
    rows: [[Value]],
    takesAll: Bool
  ) {
    (self.name, self.keys, self.columns) = (name, keys, columns)
    (self.rows, self.takesAll, width) = (rows, takesAll, names.count)
    columnNames = columns.map { names[$0] }
  }
}

/// A join whose keys are compiled.
struct CompiledJoin: Sendable {
  let join: ListJoin
  let keys: [CompiledPart]
}

/// The rows of a joined file by their keys.
struct JoinPartners {
  private let join: ListJoin
  let keys: [Evaluation]
  private var rows: [[Value]: [Int]] = [:]

  /// Reads the cells of the keys as the types of these.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of rows.
  init(_ compiled: CompiledJoin) throws {
    join = compiled.join
    keys = compiled.keys.map(\.evaluation)
    var meter = WorkMeter()
    for (place, row) in join.rows.enumerated() {
      try meter.count()
      var key: [Value] = []
      for (column, part) in zip(join.columns, compiled.keys) {
        guard let cell = row[column].read(as: part.type) else { break }
        key.append(Computed.value(cell).groupKey)
      }
      if key.count == join.columns.count { rows[key, default: []].append(place) }
    }
  }

  /// The values beside a record without a partner.
  var noValues: [Value] { Array(repeating: .null, count: join.width) }

  /// The values beside a record with these keys: those of each row with them, or no value once.
  ///
  /// - Throws: `ExpressionFailure` if several rows have them and only one is wanted.
  func values(for keys: [Computed]) throws(ExpressionFailure) -> [[Value]] {
    let places = keys.contains(where: \.isNull) ? [] : rows[keys.map(\.content.groupKey)] ?? []
    guard let first = places.first else {
      return [noValues]
    }
    guard places.count == 1 || join.takesAll else {
      let key = zip(join.columnNames, keys).map { "\($0) \($1.text)" }.joined(separator: ", ")
      throw ExpressionFailure(
        "\(join.name): rows \(first + 1) and \(places[1] + 1) have \(key); write \"join all\" for a row for each"
      )
    }
    return places.map { join.rows[$0] }
  }
}

extension Value {
  /// The cell of a file as a value of the type of a key; nil if it is none.
  fileprivate func read(as type: ExpressionType) -> Value? {
    guard let kind, !text.isEmpty else { return nil }
    let own = ExpressionType(kind)
    if own == type || type == .json || own.isNumeric && type.isNumeric { return self }
    let wanted: AttributeType
    switch type {
    case .text: return .text(text)
    case .integer, .decimal, .number: wanted = .decimal
    case .boolean: wanted = .boolean
    case .date: wanted = .date
    case .datetime: wanted = .datetime
    case .uuid: wanted = .uuid
    case .null, .json, .link, .links, .duration: return nil
    }
    // A cell that is no such value has no partner.
    return try? Value(parsing: text, as: wanted)
  }
}
