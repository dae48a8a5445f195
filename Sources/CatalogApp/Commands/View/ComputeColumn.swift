import OpenSwiftData

/// `column NAME = EXPRESSION`: shows a column that is computed from the values of its record.
struct ComputeColumn: Instruction {
  let name: String
  /// Empty to remove the column.
  let expression: String
  /// Where the expression begins in its line, in characters from 1.
  var place = 1
  /// The name of the column that it takes the place of; nil for the one with its own name, or for a new one.
  var replacing: String?

  static let command = Command(
    "column =",
    usage: "EXPRESSION",
    summary: "compute a column, as in column profit = gross - cost; without EXPRESSION, remove it",
    details: """
      The column is shown right of the one under the cursor, and can be sorted, filtered, grouped and counted like
      a field: "filter profit>10". It follows each change of what it uses, and is kept in the view. An expression
      can use fields, other computed columns, the functions of "help functions", and paths such as author.name.
      """,
    searchWords: "calculate formula derive add expression"
  ) { arguments, session in
    try ComputeColumn(reading: &arguments, session)
  }

  static let rename = Command(
    "column rename",
    usage: "NAME NEW",
    summary: "rename a computed column; \"field rename\" renames a field"
  ) { arguments, session in
    let entity = try session.entity()
    let word = try arguments.require("name of the column")
    let new = try arguments.require("new name").text
    return try arguments.locating(word) {
      let column = try session.requireColumn(word.text, of: entity)
      guard let expression = column.expression else {
        throw CommandError("\(column.name) is not computed; use \"field rename\" for a field")
      }
      return ComputeColumn(name: new, expression: expression.text, replacing: column.name)
    }
  }

  init(name: String, expression: String, place: Int = 1, replacing: String? = nil) {
    (self.name, self.expression) = (name, expression)
    (self.place, self.replacing) = (place, replacing)
  }

  /// Reads `[NAME] = EXPRESSION` from the next word on.
  init(reading arguments: inout Arguments, _ session: Session) throws {
    let line = arguments.line
    let start = arguments.peek?.start ?? line.text.utf8.count
    let definition = ColumnDefinition(line.typed(start...))
    _ = arguments.takeWords()
    guard
      let name = definition.name ?? (definition.expression.isEmpty ? nil : definition.expression)
    else { throw CommandError("missing expression; write column profit = gross - cost") }
    self.init(
      name: name,
      expression: definition.expression,
      place: line.column(of: start + definition.start)
    )
  }

  /// True if the next words define a computed column.
  static func isNext(_ arguments: Arguments) -> Bool {
    guard let word = arguments.peek else { return false }
    let text = arguments.line.typed(word.start...)
    let definition = ColumnDefinition(text)
    return definition.name != nil || text.hasPrefix("=")
  }

  func perform(in session: Session) throws -> Outcome {
    let entity = try session.entity()
    guard !expression.isEmpty else { return try session.show(.columns(.remove(name))) }
    let isTaken = entity.fieldsByName[name] != nil || name == entity.identifierKey
    guard !isTaken else {
      throw CommandError("\(name) is a field of \(entity.name); choose another name for the column")
    }
    do {
      let column = try session.computedColumn(name, expression, of: entity, replacing: replacing)
      return try session.show(.columns(.compute(column, replacing: replacing)))
    } catch let error as SyntaxProblem {
      let before = expression.utf8.prefix(error.offset)
      throw CommandError(
        error.message,
        column: place + String(decoding: before, as: UTF8.self).count,
        code: FailureCode(error)
      )
    }
  }
}
