package import OpenSwiftData

/// A column of a server that knows its type: how it is read, and compared with constants.
package struct ServerOperand: Hashable, Sendable {
  /// The type of the values that are read.
  package let type: ServerType
  /// The column as it is read and compared; a type that is not known is read as its text.
  let expression: String
  /// True if the server may take different texts for equal.
  let isLoose: Bool

  /// Describes a column.
  package init(_ column: String, as type: ServerType, isText: Bool = true, isLoose: Bool = false) {
    self.type = type
    expression = isText ? column : column + "::text"
    self.isLoose = isLoose
  }

  /// The column as an operand that is equal to a text with the same bytes only.
  ///
  /// Without a collation of its own, an index serves it.
  var operand: String { isLoose ? orderedOperand : expression }

  /// The column as an operand whose texts have the order of their bytes.
  var orderedOperand: String { type == .text ? expression + " COLLATE \"C\"" : expression }

  /// A constant for a comparison; nil if the server would not compare it exactly.
  func constant(_ stored: SQLValue) -> SQLText? {
    switch (type.form, stored) {
    case (.integer, .real(let number)):
      if let whole = Int64(exactly: number) { return "\(.integer(whole))::int8" }
      return number.isInfinite ? "\(stored)::float8" : "\(stored)::numeric"
    case (.number, .integer(let number)) where Double(exactly: number) == nil: return nil
    case (_, .text(let text)) where text.utf8.contains(0): return nil
    case (_, .damagedText): return nil
    default: return "\(stored)\(type.cast)"
    }
  }
}

extension SQLDialect {
  /// That of PostgreSQL.
  package static let postgres = SQLDialect(
    always: "TRUE",
    never: "FALSE",
    isSame: "IS NOT DISTINCT FROM",
    isOther: "IS DISTINCT FROM",
    ignoringCase: nil,
    search: "strpos",
    schema: "",
    infinity: "'Infinity'::float8",
    noLimit: .null,
    missingValuesAreLeast: false,
    checksReferencesAtOnce: true,
    shell: "psql"
  )
}

extension SQLText {
  /// The text with `$1`, `$2` … for the values.
  package var numberedText: String { text { number, _ in "$\(number)" } }

  /// The text with the values in it, for statements that take none.
  package var serverText: String { text { $1.serverText.map(SQLText.constant) ?? "NULL" } }

  /// A text as a constant, whatever `standard_conforming_strings` says.
  package static func constant(_ text: String) -> String {
    "E'" + text.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
  }
}

extension SQLValue {
  /// The value as the server reads it for any type; nil for a missing one.
  ///
  /// - Precondition: A text has no NUL.
  package var serverText: String? {
    switch self {
    case .null: nil
    case .integer(let number): String(number)
    case .real(let number):
      number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    case .text(let text): text
    case .bytes(let bytes), .damagedText(let bytes): "\\x" + Self.hexadecimal(bytes)
    }
  }
}

// MARK: Keys

extension TableDescription {
  /// The condition that the key is one of these, whose parts are lists in one parameter each.
  func serverCondition(forKeys keys: [[SQLValue]]) -> SQLText {
    let lists = keyOperands.enumerated().map { place, operand -> SQLText in
      "\(.text(Self.list(keys.map { $0[place] })))\(operand.type.cast)[]"
    }
    if lists.count == 1 { return "\(keyOperands[0].expression) = ANY(" + lists[0] + ")" }
    let columns = keyOperands.map(\.expression).joined(separator: ", ")
    return "(\(columns)) IN (SELECT * FROM unnest(" + .joined(lists, by: ", ") + "))"
  }

  /// The condition that the key comes after this one in the order of the table.
  package func condition(afterKey parts: [SQLValue]) -> SQLText {
    let values: [SQLText] = zip(parts, keyOperands).map { "\($0)\($1.type.cast)" }
    return "(\(keyColumns.joined(separator: ", "))) > (" + .joined(values, by: ", ") + ")"
  }

  /// The values of the columns of the key; nil if no record can have this identifier.
  package func serverKey(of identifier: PersistentIdentifier) -> [SQLValue]? {
    guard let parts = key.parts(of: identifier), parts.count == keyOperands.count,
      zip(parts, keyOperands).allSatisfy({ $1.type.accepts($0) })
    else { return nil }
    return parts
  }

  /// A list as PostgreSQL reads it.
  private static func list(_ values: [SQLValue]) -> String {
    let elements = values.map { value -> String in
      switch value {
      case .integer(let number): String(number)
      case .text(let text):
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
      default: "NULL"
      }
    }
    return "{" + elements.joined(separator: ",") + "}"
  }

  /// Conditions that all keys with the beginning match, and as few others as possible.
  package func serverConditions(forPrefix prefix: String) -> [SQLText] {
    guard let operand = keyOperands.first, !isCounted else { return [] }
    if prefix.isEmpty { return [dialect.always] }
    if key == .number { return numbers(beginningWith: prefix) }
    // In a key of several parts, these characters separate or escape.
    let start = keyOperands.count == 1 ? prefix[...] : prefix.prefix { !"/%".contains($0) }
    return start.utf8.contains(0)
      ? [] : ["starts_with(\(operand.expression)::text, \(.text(String(start))))"]
  }
}
