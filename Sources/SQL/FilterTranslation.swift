import Foundation
package import OpenSwiftData

/// Makes the condition of a filter for a table.
///
/// What SQL cannot say exactly is left to `rest`: a function of the program in the database, or nothing; then the
/// condition matches more records than the filter, which is finished by who reads them.
package struct FilterTranslation {
  /// A condition, and whether it is exactly the filter.
  package struct Result {
    /// The condition.
    package var condition: SQLText
    /// False if it matches more than the filter.
    package var isExact = true
  }

  let table: TableDescription
  var dialect: SQLDialect { table.dialect }
  private let rest: (Filter) throws -> SQLText?
  private let misfit: (ColumnDescription) -> SQLText

  /// Prepares the translation.
  ///
  /// - Parameters:
  ///   - table: The table.
  ///   - rest: Makes the condition of a filter that SQL cannot say; nil for none.
  ///   - misfit: Makes the condition of a value in a column of texts that is not a text.
  package init(
    _ table: TableDescription,
    rest: @escaping (Filter) throws -> SQLText? = { _ in nil },
    misfit: @escaping (ColumnDescription) -> SQLText = { _ in "0" }
  ) {
    self.table = table
    self.rest = rest
    self.misfit = misfit
  }

  /// The greatest number of values that a list has in a statement.
  private static let listLimit = 5000

  /// The condition of a filter, which is true or not true; it may be null instead of false.
  package func translate(_ filter: Filter) throws -> Result {
    switch filter {
    case .constant(let isTrue): return Result(condition: isTrue ? dialect.always : dialect.never)
    case .and(let parts): return try combined(parts, " AND ", dialect.always)
    case .or(let parts):
      return try combined(Filter.gatheringEqualities(parts), " OR ", dialect.never)
    case .not(let part):
      let inner = try translate(part)
      guard inner.isExact else { return try finished(filter) }
      return Result(condition: "((" + inner.condition + ") IS NOT TRUE)")
    case .isNull(let name):
      return Result(condition: "\(try column(name).name.quotedName) IS NULL")
    default:
      if let condition = try native(filter) { return Result(condition: condition) }
      return try finished(filter)
    }
  }

  private func combined(_ parts: [Filter], _ word: String, _ none: SQLText) throws -> Result {
    let parts = try parts.map(translate)
    if parts.isEmpty { return Result(condition: none) }
    if parts.count == 1 { return parts[0] }
    return Result(
      condition: "(" + SQLText.joined(parts.map(\.condition), by: word) + ")",
      isExact: parts.allSatisfy(\.isExact)
    )
  }

  private func finished(_ filter: Filter) throws -> Result {
    if let condition = try rest(filter) { return Result(condition: condition) }
    return Result(condition: try superset(of: filter) ?? dialect.always, isExact: false)
  }

  func column(_ name: String) throws -> ColumnDescription {
    table.columns[try table.slots(of: [name])[0]]
  }

  /// The condition in SQL; nil if SQL cannot say it exactly.
  private func native(_ filter: Filter) throws -> SQLText? {
    switch filter {
    case .compare(let name, let comparison, let value):
      return self.comparison(try column(name), comparison, value)
    case .between(let name, let low, let high):
      let column = try column(name)
      guard let first = comparison(column, .greaterOrEqual, low),
        let last = comparison(column, .lessOrEqual, high)
      else { return nil }
      return "(" + first + " AND " + last + ")"
    case .isIn(let name, let values): return list(try column(name), values)
    case .compareAttributes(let left, let comparison, let right):
      return self.comparison(try column(left), comparison, try column(right))
    case .text(let name, let match): return test(try column(name), match)
    default: return nil
    }
  }

  func comparison(
    _ column: ColumnDescription,
    _ comparison: Filter.Comparison,
    _ value: Value
  ) -> SQLText? {
    let name = column.name.quotedName
    if value.isNull {
      switch comparison {
      case .equal: return "\(name) IS NULL"
      case .notEqual: return "\(name) IS NOT NULL"
      default: return dialect.never
      }
    }
    let isEquality = comparison == .equal || comparison == .notEqual
    guard
      column.form.isComparedAsStored || column.form == .decimal
        || isEquality && column.form.isEqualAsStored,
      let stored = Self.constant(value, for: column),
      let constant = column.compared(stored)
    else { return nil }
    let collation =
      column.server == nil ? column.form.collation.map { " COLLATE \($0)" } : nil
    let operand =
      collation.map { name + $0 }
      ?? (isEquality ? column.operand : column.orderedOperand(with: stored))
    switch comparison {
    case .equal, .notEqual:
      let sign = comparison == .equal ? "=" : dialect.isOther
      var condition: SQLText = "\(operand) \(sign) \(constant)"
      // An index that ignores the case finds the same text among others.
      if comparison == .equal, column.hasCollation, column.field.ignoresCase {
        condition = "(" + "\(name) = \(stored)" + " AND " + condition + ")"
      }
      return column.mayMisfitSpell(stored) ? deciding(column, condition) : condition
    // Texts, NaN among them, and bytes are greater than all numbers. The bound excludes them, and the database tests
    // it in less time than the type of each value.
    case .greater where column.isLooseNumber:
      return "(\(operand) > \(constant) AND \(operand) <= \(dialect.infinity))"
    case .greaterOrEqual where column.isLooseNumber:
      return "(\(operand) BETWEEN \(constant) AND \(dialect.infinity))"
    case .less where column.isLooseNumber, .lessOrEqual where column.isLooseNumber:
      return "\(operand) \(comparison.rawValue) \(constant)"
    default:
      let condition: SQLText = "\(operand) \(comparison.rawValue) \(constant)"
      let isBelow = comparison == .less || comparison == .lessOrEqual
      let mayMatch = isBelow ? column.mayMisfitPrecede(stored) : column.mayMisfitFollow(stored)
      return guarded(condition, column, mayMatch)
    }
  }

  /// The condition for values of the types that the form has: values of different types have an order, too.
  ///
  /// The database tests those that it finds by the condition, perhaps by an index, unless others may match as well.
  private func guarded(
    _ condition: SQLText,
    _ column: ColumnDescription,
    _ mayMisfitMatch: Bool
  ) -> SQLText {
    if mayMisfitMatch { return deciding(column, condition) }
    if column.misfitCondition != nil {
      return "(" + condition + " AND " + deciding(column, dialect.always) + ")"
    }
    return Self.withTypes(condition, column)
  }

  /// The condition, unless a value is not a text: then the program decides.
  private func deciding(_ column: ColumnDescription, _ condition: SQLText) -> SQLText {
    guard let misfits = column.misfitCondition else { return condition }
    return "CASE WHEN \(misfits) THEN " + misfit(column) + " ELSE " + condition + " END"
  }

  private static func withTypes(_ condition: SQLText, _ columns: ColumnDescription...) -> SQLText {
    let guards = columns.compactMap(\.typeGuard).map { SQLText($0) }
    return guards.isEmpty ? condition : "(" + .joined([condition] + guards, by: " AND ") + ")"
  }

  /// The value as it is compared with stored ones; nil if it cannot be.
  private static func constant(_ value: Value, for column: ColumnDescription) -> SQLValue? {
    let form = column.form
    switch (form, value) {
    case (.decimal, .integer(let number)) where column.server != nil: return .integer(number)
    // The spelling of the server is another one.
    case (.json, _) where column.server != nil: return nil
    case (.integer, .number(let number)), (.number, .number(let number)):
      return number.isNaN ? nil : .real(number)
    case (.number, .integer(let number)): return .integer(number)
    case (.decimal, .decimal(let number)) where !number.isFinite: return nil
    case (.link(let link), .link(let identifier)):
      return identifier.storeIdentifier == link.store ? form.stored(value) : nil
    default: return form.stored(value)
    }
  }

  private func list(_ column: ColumnDescription, _ values: [Value]) -> SQLText? {
    guard column.form.isEqualAsStored, values.count <= Self.listLimit else { return nil }
    let present = values.filter { !$0.isNull }
    let stored = present.compactMap { Self.constant($0, for: column) }
    let constants = stored.compactMap(column.compared)
    guard constants.count == present.count else { return nil }
    // SQL has no empty lists.
    var list: SQLText =
      constants.isEmpty
      ? dialect.never : "\(column.operand) IN (" + .joined(constants, by: ", ") + ")"
    if stored.contains(where: column.mayMisfitSpell) { list = deciding(column, list) }
    return present.count == values.count
      ? list : "(" + list + " OR \(column.name.quotedName) IS NULL)"
  }

  private func comparison(
    _ left: ColumnDescription,
    _ comparison: Filter.Comparison,
    _ right: ColumnDescription
  ) -> SQLText? {
    guard left.form == right.form, left.form != .number, left.form.isComparedAsStored,
      left.server?.type == right.server?.type, left.form != .json || left.server == nil
    else { return nil }
    var condition: SQLText
    switch comparison {
    case .equal, .notEqual:
      let sign = comparison == .equal ? dialect.isSame : dialect.isOther
      // Two columns with different collations have no order of their own.
      let operand = left.server == nil ? left.operand : left.orderedOperand
      condition = "\(operand) \(sign) \(right.operand)"
    default:
      // Neither column converts the texts of the other one.
      let sign = left.affinity.isNumeric == right.affinity.isNumeric ? "" : "+"
      condition = "\(sign)\(left.orderedOperand) \(comparison.rawValue) \(sign)\(right.operand)"
      if !left.form.isText { condition = Self.withTypes(condition, left, right) }
    }
    return deciding(left, deciding(right, condition))
  }

  private func test(_ column: ColumnDescription, _ match: TextMatch) -> SQLText? {
    guard column.form == .text else { return nil }
    if column.server != nil { return serverTest(column, match) }
    let pattern = SQLValue.text(match.pattern)
    if match.operation == .equals, match.options == .asciiCaseInsensitive,
      let ignoringCase = dialect.ignoringCase
    {
      let condition: SQLText = "\(column.name.quotedName) = \(pattern) \(ignoringCase)"
      return column.mayMisfitSpell(pattern) ? deciding(column, condition) : condition
    }
    guard match.options.isEmpty else { return nil }
    let name = column.operand
    switch match.operation {
    case .equals: return comparison(column, .equal, .text(match.pattern))
    case .contains: return deciding(column, "\(dialect.search)(\(name), \(pattern)) > 0")
    case .beginsWith:
      // The end of the range has no spelling in UTF-16.
      if column.isWide { return nil }
      var end = Array(match.pattern.utf8)
      guard !end.isEmpty else { return "\(name) IS NOT NULL" }
      // No byte of UTF-8 is the greatest one.
      end[end.count - 1] += 1
      let last = SQLValue.damagedText(end)
      let operand = column.orderedOperand(with: pattern, last)
      let condition: SQLText = "(\(operand) >= \(pattern) AND \(operand) < \(last))"
      return column.mayMisfitBegin(with: pattern) ? deciding(column, condition) : condition
    default: return nil
    }
  }
}
