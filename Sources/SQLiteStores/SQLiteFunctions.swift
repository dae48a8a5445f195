import CSQLite
import Foundation
import OpenSwiftData
import SQL

/// The functions and collations of the program that the statements of a connection use.
///
/// `catalog_match(N, cell, …)` tests the text of some cells, `catalog_filter(N, cell, …)` a filter on cells; `N` is the number
/// of what was registered. `catalog_mixed(converts, cell)` is the text of a cell with any type of value.
final class SQLiteFunctions {
  /// A test of the text of some columns.
  ///
  /// An object, because a copy for each row would cost more than most tests.
  private final class Match {
    private let matcher: TextMatcher
    private let forms: [ColumnForm]
    private let areTexts: [Bool]

    init(_ matcher: TextMatcher, _ forms: [ColumnForm]) {
      (self.matcher, self.forms) = (matcher, forms)
      areTexts = forms.map { $0 == .text }
    }

    /// Tests a cell of the column with this number.
    func matches(_ cell: OpaquePointer, _ column: Int) -> Bool {
      let type = sqlite3_value_type(cell)
      if type == SQLITE_NULL { return false }
      if areTexts[column], type == SQLITE_TEXT, let first = sqlite3_value_text(cell) {
        let bytes = UnsafeBufferPointer(start: first, count: Int(sqlite3_value_bytes(cell)))
        if TextFolding.isASCII(bytes) { return matcher.matches(utf8: bytes) }
      }
      guard let value = forms[column].value(of: SQLValue(cell)), !value.isNull else { return false }
      return matcher.matches(value.text)
    }
  }

  /// A condition on some columns.
  private struct Condition {
    let filter: BoundFilter
    let forms: [ColumnForm]
  }

  private var matches: [Match] = []
  private var conditions: [Condition] = []

  /// The number of conditions after which those of earlier statements are dropped.
  private static let limit = 1000

  /// The number of cells that a call tests; a function has at most 127 arguments.
  private static let cellLimit = 100

  /// Drops the conditions of earlier statements if they are many; called before a statement is made.
  func dropOld() {
    if matches.count > Self.limit { matches = [] }
    if conditions.count > Self.limit { conditions = [] }
  }

  /// The condition of a filter that SQL cannot say.
  ///
  /// - Throws: `PersistenceError` for unknown fields and invalid patterns.
  func condition(_ filter: Filter, _ table: TableDescription) throws -> SQLText {
    switch filter {
    case .text(let name, let match):
      return try condition(match, [table.columns[try table.slots(of: [name])[0]]])
    case .anyText(let match): return try condition(match, table.columns)
    default:
      let names = (filter.attributeNames ?? []).sorted()
      let columns = try table.slots(of: names).map { table.columns[$0] }
      conditions.append(
        Condition(
          filter: try BoundFilter(filter, layout: SnapshotLayout(names)),
          forms: columns.map(\.form)
        )
      )
      let cells = columns.map { ", " + $0.name.quotedName }.joined()
      return SQLText("catalog_filter(?\(cells))", [.integer(Int64(conditions.count - 1))])
    }
  }

  private func condition(_ match: TextMatch, _ columns: [ColumnDescription]) throws -> SQLText {
    let matcher = try TextMatcher(match)
    if columns.isEmpty { return "0" }
    let tests = stride(from: 0, to: columns.count, by: Self.cellLimit).map { start in
      let some = columns[start..<min(start + Self.cellLimit, columns.count)]
      matches.append(Match(matcher, some.map(\.form)))
      let cells = some.map { ", " + $0.name.quotedName }.joined()
      return SQLText("catalog_match(?\(cells))", [.integer(Int64(matches.count - 1))])
    }
    return "(" + .joined(tests, by: " OR ") + ")"
  }

  // MARK: Calls

  func register(with handle: OpaquePointer) {
    let own = Unmanaged.passUnretained(self).toOpaque()
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
    sqlite3_create_function_v2(
      handle,
      "catalog_match",
      -1,
      flags,
      own,
      { context, count, values in
        let functions = SQLiteFunctions.of(context)
        guard let values, count > 0 else { return }
        let match = functions.matches[Int(sqlite3_value_int64(values[0]))]
        let isMatch = (1..<Int(count)).contains { place in
          values[place].map { match.matches($0, place - 1) } ?? false
        }
        sqlite3_result_int(context, isMatch ? 1 : 0)
      },
      nil,
      nil,
      nil
    )
    sqlite3_create_function_v2(
      handle,
      "catalog_filter",
      -1,
      flags,
      own,
      { context, count, values in
        let functions = SQLiteFunctions.of(context)
        guard let values, count > 0 else { return }
        let number = Int(sqlite3_value_int64(values[0]))
        let cells = (1..<Int(count)).map { SQLValue(values[$0]) }
        sqlite3_result_int(context, functions.holds(number, cells) ? 1 : 0)
      },
      nil,
      nil,
      nil
    )
    registerMixed(with: handle)
    registerGeometry(with: handle)
    registerCollations(with: handle)
  }

  private func registerMixed(with handle: OpaquePointer) {
    sqlite3_create_function_v2(
      handle,
      "catalog_mixed",
      2,
      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
      nil,
      { context, _, values in
        guard let values, let context else { return }
        let cell = SQLValue(values[1])
        if cell == .null { return sqlite3_result_null(context) }
        var text = MixedText.text(of: cell, convertsText: sqlite3_value_int(values[0]) != 0)
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) {
            // The destructor of -1 makes SQLite copy the text.
            let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            if let first = $0.baseAddress {
              sqlite3_result_text(context, first, Int32($0.count), copies)
            } else {
              sqlite3_result_text(context, "", 0, copies)
            }
          }
        }
      },
      nil,
      nil,
      nil
    )
  }

  private func registerCollations(with handle: OpaquePointer) {
    sqlite3_create_collation_v2(
      handle,
      ColumnDescription.byteCollation,
      SQLITE_UTF8,
      nil,
      { _, leftCount, left, rightCount, right in
        let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
        let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
        if left.lexicographicallyPrecedes(right) { return -1 }
        return left.count == right.count && left.elementsEqual(right) ? 0 : 1
      },
      nil
    )
    sqlite3_create_collation_v2(
      handle,
      "catalog_decimal",
      SQLITE_UTF8,
      nil,
      { _, leftCount, left, rightCount, right in
        let left = Decimal(string: SQLiteFunctions.text(left, leftCount)) ?? 0
        let right = Decimal(string: SQLiteFunctions.text(right, rightCount)) ?? 0
        return left < right ? -1 : left == right ? 0 : 1
      },
      nil
    )
    sqlite3_create_collation_v2(
      handle,
      "catalog_links",
      SQLITE_UTF8,
      nil,
      { _, leftCount, left, rightCount, right in
        let left = SQLiteFunctions.keys(SQLiteFunctions.text(left, leftCount))
        let right = SQLiteFunctions.keys(SQLiteFunctions.text(right, rightCount))
        if left == right { return 0 }
        return left.lexicographicallyPrecedes(right) ? -1 : 1
      },
      nil
    )
  }

  private static func text(_ start: UnsafeRawPointer?, _ count: Int32) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  private static func keys(_ text: String) -> [String] {
    (try? JSONDecoder().decode([String].self, from: Data(text.utf8))) ?? []
  }

  private static func of(_ context: OpaquePointer?) -> SQLiteFunctions {
    guard let own = sqlite3_user_data(context) else { preconditionFailure("registered with self") }
    return Unmanaged<SQLiteFunctions>.fromOpaque(own).takeUnretainedValue()
  }

  private func holds(_ number: Int, _ cells: [SQLValue]) -> Bool {
    let condition = conditions[number]
    let values = zip(condition.forms, cells).map { $0.value(of: $1) ?? .null }
    return condition.filter.matches(values)
  }
}

extension SQLValue {
  /// The argument of a function.
  init(_ value: OpaquePointer?) {
    guard let value else {
      self = .null
      return
    }
    switch sqlite3_value_type(value) {
    case SQLITE_INTEGER: self = .integer(sqlite3_value_int64(value))
    case SQLITE_FLOAT: self = .real(sqlite3_value_double(value))
    case SQLITE_TEXT:
      let first = sqlite3_value_text(value)
      self.init(
        text: UnsafeBufferPointer(start: first, count: Int(sqlite3_value_bytes(value)))
      )
    case SQLITE_BLOB:
      let first = sqlite3_value_blob(value)
      self = .bytes(
        Array(UnsafeRawBufferPointer(start: first, count: Int(sqlite3_value_bytes(value))))
      )
    default: self = .null
    }
  }
}
