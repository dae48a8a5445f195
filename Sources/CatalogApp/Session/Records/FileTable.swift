import Expressions
import OpenSwiftData

/// The rows of a file that a command reads beside the store.
final class FileTable: Sendable {
  /// The path as it was typed.
  let path: String
  let columns: [String]
  let types: [ExpressionType]
  let rows: [[Value]]

  /// Reads a file with one kind of records, or the part that the path names; `-` is the standard input.
  ///
  /// - Throws: `CommandError`, `Interruption.Stopped`.
  /// - Complexity: O(n) in its size.
  fileprivate init(_ path: String, in session: Session) throws {
    let isStream = path == "-" || session.services.isStream(path)
    let opened =
      isStream
      ? try session.services.open(session.readInput(path), named: path)
      : try session.services.open(path, schema: nil, isReadOnly: true, reading: nil)
    let shown = Value.quoted(LocationText.withoutPasswords(path))
    guard opened.exists else { throw CommandError("\(shown) not found", code: .inaccessible) }
    let context = ModelContext(opened.container)
    let names = opened.entityName.map { [$0] } ?? context.schema.entities.map(\.name)
    guard let first = names.first else { throw CommandError("\(shown) has no records") }
    guard names.count == 1 else {
      throw CommandError(
        "\(shown) has several kinds of records: \(names.joined(separator: ", ")); write \(path)#\(first)"
      )
    }
    session.notes.remarks += opened.notes
    try context.settleTypes(for: Query(first))
    let entity = try context.schema.entity(named: first)
    self.path = path
    columns = entity.fields.map(\.name)
    types = entity.fields.map { ExpressionType($0.type.kind) }
    var rows: [[Value]] = []
    try context.forEachSnapshot(matching: Query(first)) { snapshot in
      rows.append(snapshot.arranged(as: entity.layout).orderedValues)
    }
    self.rows = rows
  }

  /// The number of a column.
  ///
  /// - Throws: `CommandError` that names those that there are.
  func column(named text: String) throws -> Int {
    if let place = columns.firstIndex(of: text) { return place }
    let alike = columns.indices.filter { columns[$0].lowercased() == text.lowercased() }
    guard alike.count == 1 else {
      throw CommandError(
        Suggestion.message("\(path) has no column", text, among: columns),
        code: .unknownField
      )
    }
    return alike[0]
  }
}

extension Session {
  /// The rows of a file, which a command reads once.
  ///
  /// - Throws: As `FileTable`.
  func fileTable(_ path: String) throws -> FileTable {
    if let known = fileTables[path] { return known }
    let table = try FileTable(path, in: self)
    fileTables[path] = table
    return table
  }
}

/// The columns of files for which the conditions of a line ask: `in FILE:COLUMN`.
struct ListedColumns {
  /// By how they are written.
  private(set) var columns: [String: ListedColumn] = [:]
  /// Why some cannot be read, by their columns in the line.
  private var errors: [Int: CommandError] = [:]

  /// Reads the columns; what is wrong is an error only where a condition asks for it.
  ///
  /// - Throws: `Interruption.Stopped`.
  init(_ line: CommandText, in session: Session) throws {
    for (word, next) in zip(line.words, line.words.dropFirst()) where word.isKeyword("in") {
      var scanner = SyntaxScanner(
        line.text,
        from: next.start,
        parameters: session.script.parameters
      )
      // An unknown parameter is told by the condition that has it.
      guard let found = try? scanner.fileColumn() else { continue }
      do {
        columns[found.text] = ListedColumn(try Self.values(found.text, session))
      } catch  where !(error is Interruption.Stopped) {
        let message = FailureCode.place(of: error).message
        columns[found.text] = ListedColumn(problem: message)
        let column = line.column(of: found.start)
        errors[column] = CommandError(message, column: column, code: FailureCode(error))
      }
    }
  }

  /// The column follows the last colon.
  private static func values(_ text: String, _ session: Session) throws -> [Value] {
    guard let colon = text.lastIndex(of: ":"), colon > text.startIndex else {
      throw CommandError(
        "expected a list such as (1, 2) or FILE:COLUMN, found \(Value.quoted(text))",
        code: .invalidPredicate
      )
    }
    let table = try session.fileTable(String(text[..<colon]))
    let column = try table.column(named: String(text[text.index(after: colon)...]))
    return table.rows.map { $0[column] }
  }

  /// The values of a field with which a record is found by a column.
  ///
  /// - Throws: `CommandError` if it cannot be read, or if only an expression compares values of this type with it.
  func values(_ text: String, for field: Schema.Attribute) throws -> [Value] {
    guard let column = columns[text] else {
      throw CommandError("expected a list such as (1, 2), found \(Value.quoted(text))")
    }
    if let problem = column.problem { throw CommandError(problem) }
    guard let values = column.values(of: field.type) else {
      throw CommandError("\(field.name): a field of type \(field.type) needs a computed condition")
    }
    return values
  }

  /// The error of the file that is named at a column of the line; nil for any other error.
  func error(at column: Int) -> CommandError? { errors[column] }
}
