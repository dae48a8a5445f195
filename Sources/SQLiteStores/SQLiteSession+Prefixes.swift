import OpenSwiftData
import SQL

/// Finding records by the beginning of their identifier.
extension SQLiteSession {
  func identifiers(withPrefix prefix: String, entityName: String?, limit: Int) throws
    -> [PersistentIdentifier]
  {
    var found: [PersistentIdentifier] = []
    for table in ordered where entityName == nil || table.entity.name == entityName {
      guard found.count < limit else { break }
      tableInUse = table.name
      do {
        try find(prefix, in: table, limit, &found)
      } catch let failure as SQLiteFailure where entityName == nil && failure.isOfStatement {
        // A table with a collation or a function that this program lacks does not hide the others.
        continue
      }
    }
    return found
  }

  private func find(
    _ prefix: String,
    in table: TableDescription,
    _ limit: Int,
    _ found: inout [PersistentIdentifier]
  ) throws {
    for condition in conditions(for: prefix, table) {
      let sql = try table.select([], where: condition)
      try connection.visit(sql) { row in
        let parts = row.values
        guard let identifier = table.key.identifier(parts, in: table.scope),
          identifier.hasPrefix(prefix), found.count < limit
        else { return found.count < limit }
        found.append(identifier)
        return found.count < limit
      }
    }
  }

  /// Conditions that all keys with the prefix match, and as few others as possible.
  private func conditions(for prefix: String, _ table: TableDescription) -> [SQLText] {
    let column = table.keyColumns[0]
    if prefix.isEmpty { return ["1"] }
    switch table.key {
    case .number: return Self.numbers(beginningWith: prefix, column)
    case .own:
      // The text is the reverse of what people type, except for the few other keys.
      let end = String(prefix.reversed())
      let isKey = RecordKey.Prefix(prefix) != nil
      let others = SQLText("(\(column) < '0' OR \(column) >= '{')")
      return isKey
        ? [
          others,
          SQLText(
            "(\(column) >= '0' AND substr(\(column), ?) = ?)",
            [.integer(Int64(-end.utf8.count)), .text(end)]
          ),
        ]
        : [others]
    case .columns(let converts, _):
      var end = Array(prefix.utf8)
      end[end.count - 1] += 1
      let (first, last) = (SQLValue.text(prefix), SQLValue.damagedText(end))
      let operand = table.keyOperand(with: first, last)
      let range =
        isWide
        ? SQLText("typeof(\(column)) = 'text'")
        : SQLText("(\(operand) >= ? AND \(operand) < ?)", [first, last])
      let numbers = SQLText("typeof(\(column)) <> 'text'")
      return converts.count == 1 ? [range, numbers] : ["1"]
    }
  }

  /// The ranges of numbers that begin with these digits.
  private static func numbers(beginningWith prefix: String, _ column: String) -> [SQLText] {
    if prefix == "-" { return [SQLText("\(column) < 0")] }
    guard let number = Int64(prefix), String(number) == prefix else { return [] }
    var ranges: [SQLText] = []
    var (low, high) = (number, number)
    while true {
      let (first, last) = number < 0 ? (high, low) : (low, high)
      ranges.append(
        SQLText("\(column) BETWEEN ? AND ?", [.integer(first), .integer(last)])
      )
      let digit: Int64 = number < 0 ? -9 : 9
      let (nextLow, lowOverflows) = low.multipliedReportingOverflow(by: 10)
      let (product, highOverflows) = high.multipliedReportingOverflow(by: 10)
      let (nextHigh, sumOverflows) = product.addingReportingOverflow(digit)
      if number == 0 || lowOverflows || highOverflows || sumOverflows { return ranges }
      (low, high) = (nextLow, nextHigh)
    }
  }
}
