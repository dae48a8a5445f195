extension SQLDialect {
  /// That of SQLite.
  static let sqlite = SQLDialect(
    always: "1",
    never: "0",
    isSame: "IS",
    isOther: "IS NOT",
    ignoringCase: "COLLATE NOCASE",
    search: "instr",
    schema: "main.",
    infinity: "9e999",
    noLimit: .integer(-1),
    missingValuesAreLeast: true,
    checksReferencesAtOnce: false,
    shell: "sqlite3"
  )
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
