/// How a database spells what SQL leaves open.
///
/// What this folder has besides is SQLite's, too: the types of its columns and the tables that it describes.
package struct SQLDialect: Sendable {
  /// The condition that always holds.
  var always: SQLText = "1"
  /// The condition that never holds.
  var never: SQLText = "0"
  /// The operator between operands that are equal, or both missing.
  var isSame = "IS"
  /// The operator between others.
  var isOther = "IS NOT"
  /// What a comparison that ignores the case of ASCII ends with.
  var ignoringCase = "COLLATE NOCASE"
  /// The function for the place of a text in another one, from 1; 0 if it has none.
  var search = "instr"
  /// What stands before the name of a table.
  var schema = "main."
  /// The greatest number.
  var infinity: SQLText = "9e999"
  /// The limit of a query that needs one but has none.
  var noLimit = SQLValue.integer(-1)
  /// True if missing values come before all others in an order.
  var missingValuesAreLeast = true

  /// That of SQLite.
  static let sqlite = SQLDialect()
}

extension SQLValue {
  /// The value as SQL spells it, for values without a form of their own and for statements that are shown.
  package var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): Self.spelling(number)
    case .text(let text): "'" + text.replacing("'", with: "''") + "'"
    case .bytes(let bytes): "x'" + Self.hexadecimal(bytes) + "'"
    case .damagedText(let bytes): "CAST(x'" + Self.hexadecimal(bytes) + "' AS TEXT)"
    }
  }

  private static func spelling(_ number: Double) -> String {
    if number.isInfinite { return number < 0 ? "-9e999" : "9e999" }
    return number.isNaN ? "NULL" : number.description
  }
}
