import Expressions
import OpenSwiftData

/// A file that a command joins to its records, as it was when the command was read.
final class JoinedFile: Sendable {
  let table: FileTable
  /// What it is called in the command: its columns are `NAME.COLUMN`.
  let name: String
  /// Its columns as names in an expression.
  let fields: [ExpressionScope.Field]

  /// Gives a file a name.
  init(_ table: FileTable, as name: String) {
    (self.table, self.name) = (table, name)
    fields = zip(table.columns, table.types).map { .init("\(name).\($0)", $1) }
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
      file.table.path,
      by: keys,
      columns,
      named: file.table.columns,
      rows: file.table.rows,
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
