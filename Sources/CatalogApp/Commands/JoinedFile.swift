import Expressions
import OpenSwiftData

/// A file that a command joins to its records, as it was when the command was read.
final class JoinedFile: Sendable {
  /// The path as it was typed.
  let path: String
  /// What it is called in the command: its columns are `NAME.COLUMN`.
  let name: String
  let columns: [String]
  /// Its columns as names in an expression.
  let fields: [ExpressionScope.Field]
  let rows: [[Value]]

  /// Reads a file with one kind of records, or the part that the path names.
  ///
  /// - Throws: `CommandError`, `Interruption.Stopped`.
  /// - Complexity: O(n) in its size.
  init(_ path: String, as name: String, in session: Session) throws {
    let opened = try session.services.open(path, schema: nil, isReadOnly: true, reading: nil)
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
    (self.path, self.name) = (path, name)
    columns = entity.fields.map(\.name)
    fields = entity.fields.map { .init("\(name).\($0.name)", ExpressionType($0.type.kind)) }
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
        "\(path) has no column \(Value.quoted(text)); \(Suggestion.text(for: text, among: columns))",
        code: .unknownField
      )
    }
    return alike[0]
  }
}

/// The clause `join [all] FILE as NAME by KEY [= COLUMN], …`.
struct JoinClause: Hashable, Sendable {
  let file: JoinedFile
  let several: ListJoin.SeveralRows
  /// The expressions of the keys, as they were written.
  let keys: [String]
  let columns: [Int]

  /// The join of the keys in a text, or of those of the clause.
  func join(_ keys: [ListItem]) -> ListJoin {
    ListJoin(
      file.path,
      by: keys,
      columns,
      named: file.columns,
      rows: file.rows,
      several: several
    )
  }

  static func == (left: Self, right: Self) -> Bool {
    left.file === right.file && left.several == right.several && left.keys == right.keys
      && left.columns == right.columns
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(file))
    hasher.combine(keys)
    hasher.combine(columns)
  }
}

extension CommandText {
  /// A place where a file gets a name to be joined by.
  struct NamedFile {
    let path: CommandText.Word
    let name: CommandText.Word
  }

  /// The files of the clauses `join [all] FILE as NAME`.
  var joinedFiles: [NamedFile] {
    words.indices.compactMap { place in
      guard words[place].isKeyword("join"), words.count > place + 3 else { return nil }
      let start = words[place + 1].isKeyword("all") ? place + 2 : place + 1
      guard words.count > start + 2, words[start + 1].isKeyword("as") else { return nil }
      return NamedFile(path: words[start], name: words[start + 2])
    }
  }
}
