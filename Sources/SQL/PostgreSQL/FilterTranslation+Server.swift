import OpenSwiftData

/// What a server with types says exactly, and what it can exclude otherwise.
extension FilterTranslation {
  /// The condition of a test of a text; nil if the server does not test it as the program does.
  func serverTest(_ column: ColumnDescription, _ match: TextMatch) -> SQLText? {
    guard match.options.isEmpty, !match.pattern.utf8.contains(0), let server = column.server else {
      return nil
    }
    let pattern: SQLText = "\(.text(match.pattern))::text"
    let operand = server.operand
    switch match.operation {
    case .equals: return comparison(column, .equal, .text(match.pattern))
    case .contains: return "\(dialect.search)(\(operand), \(pattern)) > 0"
    case .beginsWith: return "starts_with(\(operand), \(pattern))"
    case .endsWith:
      let count = match.pattern.unicodeScalars.count
      return count == 0
        ? "\(operand) IS NOT NULL"
        : "right(\(operand), \(count)) COLLATE \"C\" = \(pattern)"
    case .like, .matches: return nil
    }
  }

  /// A condition that all matches of a filter fulfill; nil if none is known.
  func superset(of filter: Filter) throws -> SQLText? {
    switch filter {
    case .text(let name, let match): return Self.superset(try column(name), match)
    case .anyText(let match):
      var conditions: [SQLText] = []
      for column in table.columns where column.mayShow(match.pattern) {
        guard let condition = Self.superset(column, match) else { return nil }
        conditions.append(condition)
      }
      if conditions.isEmpty { return dialect.never }
      return "(" + SQLText.joined(conditions, by: " OR ") + ")"
    default: return nil
    }
  }

  private static func superset(_ column: ColumnDescription, _ match: TextMatch) -> SQLText? {
    guard let server = column.server else { return nil }
    if column.form == .text { return TextSuperset(match: match).condition(server.expression) }
    // The text of a key, or of JSON in the spelling of the server: then only words are found in both.
    let isWord = match.pattern.unicodeScalars.allSatisfy {
      $0.isASCII && $0.properties.isAlphabetic
    }
    guard server.type == .text, isWord, match.operation != .like, match.operation != .matches else {
      return nil
    }
    let options = match.options.subtracting(.jsonStrings)
    let words = TextMatch(.contains, match.pattern, options: options)
    return TextSuperset(match: words).condition(server.expression)
      .map { "(" + $0 + " OR strpos(\(server.expression), E'\\\\') > 0)" }
  }
}

extension ColumnDescription {
  /// A constant as it is compared with the column; nil if the database would not compare it exactly.
  func compared(_ stored: SQLValue) -> SQLText? {
    server == nil ? "\(stored)" : server?.constant(stored)
  }
}
