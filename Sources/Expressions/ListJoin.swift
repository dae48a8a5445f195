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
  /// What is done with several rows for one key.
  let several: SeveralRows

  /// What a command does with several rows for the key of one record.
  package enum SeveralRows: Hashable, Sendable {
    /// The record fails; `join all` would take all.
    case refused
    /// The record fails, because it has one value for each field.
    case impossible
    /// The record occurs once for each row.
    case taken
  }

  /// Creates a join.
  ///
  /// - Precondition: There is a column for each key, and a value for each column of a row.
  package init(
    _ name: String,
    by keys: [ListItem],
    _ columns: [Int],
    named names: [String],
    rows: [[Value]],
    several: SeveralRows
  ) {
    (self.name, self.keys, self.columns) = (name, keys, columns)
    (self.rows, self.several, width) = (rows, several, names.count)
    columnNames = columns.map { names[$0] }
  }
}

/// A join whose keys are compiled.
struct CompiledJoin: Sendable {
  let join: ListJoin
  let keys: [CompiledPart]
}

/// The rows of a joined file by their keys.
struct JoinPartners: Sendable {
  private let join: ListJoin
  let keys: [Evaluation]
  private let comparisons: [KeyComparison]
  private var rows: [[Value]: [Int]] = [:]

  /// Reads the cells of the keys as the types of these.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of rows.
  init(_ compiled: CompiledJoin) throws {
    join = compiled.join
    keys = compiled.keys.map(\.evaluation)
    comparisons = zip(compiled.keys, compiled.join.columns).map { part, column in
      KeyComparison(part.type, compiled.join.rows.lazy.map { $0[column] })
    }
    var meter = WorkMeter()
    for (place, row) in join.rows.enumerated() {
      try meter.count()
      var key: [Value] = []
      for (column, comparison) in zip(join.columns, comparisons) {
        guard let cell = comparison.key(ofCell: row[column]) else { break }
        key.append(cell)
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
    let key = zip(keys, comparisons).compactMap { $1.key(of: $0) }
    guard key.count == keys.count, let places = rows[key], let first = places.first else {
      return [noValues]
    }
    guard places.count == 1 || join.several == .taken else {
      let key = zip(join.columnNames, keys).map { "\($0) \($1.text)" }.joined(separator: ", ")
      let hint = join.several == .refused ? "; write \"join all\" for a row for each" : ""
      throw ExpressionFailure(
        "\(join.name): rows \(first + 1) and \(places[1] + 1) have \(key)\(hint)"
      )
    }
    return places.map { join.rows[$0] }
  }
}

/// Finds the rows of joined files beside records.
///
/// It is a value and may be used on several threads.
package struct JoinedRows: Sendable {
  private let partners: [JoinPartners]
  private let conditions: [Evaluation]
  private let unpivot: ListUnpivot?

  /// True without files and conditions: then each record is one row.
  var isEmpty: Bool { partners.isEmpty && conditions.isEmpty && unpivot == nil }

  /// Reads the keys of all rows of the files that a plan joins.
  ///
  /// - Throws: `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of rows.
  package init(_ plan: ListPlan) throws {
    partners = try plan.joins.map(JoinPartners.init)
    (conditions, unpivot) = (plan.conditions, plan.unpivot)
  }

  /// The record beside each row of the files with its keys that meets the conditions.
  ///
  /// - Returns: These rows, and why there is none where a key has no value or several rows. With `missing`, the columns of the file
  ///   have no values then.
  /// - Complexity: O(1) on average in the number of rows of the files.
  package func rows(beside record: ExpressionRow, failing: FailingValues)
    -> (rows: [ExpressionRow], failures: [ExpressionFailure])
  {
    var rows = [record]
    var failures: [ExpressionFailure] = []
    for partners in partners {
      var next: [ExpressionRow] = []
      for row in rows {
        do throws(ExpressionFailure) {
          var keys: [Computed] = []
          for key in partners.keys { keys.append(try key(row)) }
          for values in try partners.values(for: keys) { next.append(row.adding(values)) }
        } catch {
          failures.append(error)
          if failing == .missing { next.append(row.adding(partners.noValues)) }
        }
      }
      rows = next
    }
    let met =
      conditions.isEmpty
      ? rows
      : rows.filter { row in
        do throws(ExpressionFailure) {
          for condition in conditions where try condition(row) != .value(.boolean(true)) {
            return false
          }
          return true
        } catch {
          failures.append(error)
          return false
        }
      }
    guard let unpivot else { return (met, failures) }
    let unpivoted = met.flatMap { row -> [ExpressionRow] in
      do throws(ExpressionFailure) { return try unpivot.rows(of: row) } catch {
        failures.append(error)
        return []
      }
    }
    return (unpivoted, failures)
  }
}
