import Expressions
import OpenSwiftData

/// Reads the files that a command joins to its records, and the condition that may be about them.
struct JoinReader {
  private let line: CommandText
  /// The names in expressions: the fields of the records, then the columns of the files.
  var scope: ExpressionScope
  /// True for a command that gives each record one value, so that it takes one row for it.
  private let takesOneRow: Bool
  private let files: [JoinedFile]
  private let listed: ListedColumns
  private var joins: [(written: JoinClause, inLine: ListJoin)] = []
  /// The conditions about the joined files.
  private var conditions: [(written: String, inLine: ListItem)] = []

  /// True if the line joins files, whose columns a condition may compare.
  var joinsFiles: Bool { !files.isEmpty }

  /// The names of the columns of all files.
  var columnNames: [String] {
    files.flatMap { file in file.table.columns.map { "\(file.name).\($0)" } }
  }

  /// True if a file has this name.
  func isName(_ name: String) -> Bool { files.contains { $0.name == name } }

  /// What was read, for later.
  var written: CommandFiles {
    CommandFiles(
      joins: joins.map(\.written),
      conditions: conditions.map(\.written),
      columns: listed.columns
    )
  }

  /// Reads the joined files of a line, which can be used before their clauses.
  ///
  /// - Throws: `CommandError` with the place of one that cannot be read, or whose name is taken.
  init(
    _ line: CommandText,
    _ scope: ExpressionScope,
    takesOneRow: Bool = false,
    _ session: Session
  ) throws {
    (self.line, self.takesOneRow) = (line, takesOneRow)
    listed = try ListedColumns(line, in: session)
    var files: [JoinedFile] = []
    for file in line.joinedFiles {
      func locating<T>(_ word: CommandText.Word, _ body: () throws -> T) throws -> T {
        do { return try body() } catch  where !(error is Interruption.Stopped) {
          throw CommandError(
            errorLine(error),
            column: line.column(of: word.start),
            code: FailureCode(error)
          )
        }
      }
      let name = file.name.text
      try locating(file.name) {
        guard scope.place(ofField: name) == nil, !files.contains(where: { $0.name == name }) else {
          throw CommandError("\(Value.quoted(name)) has a meaning already; choose another name")
        }
      }
      files.append(
        try locating(file.path) { JoinedFile(try session.fileTable(file.path.text), as: name) }
      )
    }
    self.files = files
    self.scope = scope
    for file in files { self.scope.fields += file.fields }
    self.scope.columns = listed.columns
  }

  /// Puts the joins and conditions, with their places in the line, among the clauses of a list.
  func add(to clauses: inout ListClauses) {
    clauses.joins = joins.map(\.inLine)
    clauses.conditions = conditions.map(\.inLine)
  }

  /// Reads `[all] FILE as NAME by KEY [= COLUMN], …`.
  mutating func takeJoin(_ arguments: inout Arguments) throws {
    let all = arguments.peek
    let takesAll = arguments.take("all")
    guard !takesAll || !takesOneRow else {
      throw CommandError(
        "join all: a record has one value in each field; leave out \"all\"",
        column: all.map { line.column(of: $0.start) }
      )
    }
    let path = try arguments.require("file after \"join\"")
    guard arguments.take("as") else { throw CommandError("join: expected as NAME after the file") }
    let name = try arguments.require("name after \"as\"").text
    guard arguments.take("by") else {
      throw CommandError("join: expected by KEY after \(path.text) as \(name)")
    }
    guard joins.count < files.count, let start = arguments.peek?.start else {
      throw CommandError("missing key after \"by\"")
    }
    let file = files[joins.count]
    do {
      let (items, columns, next) = try joinKeys(from: start, of: file)
      arguments.skip(before: next)
      let written = JoinClause(
        file: file,
        several: takesOneRow ? .impossible : takesAll ? .taken : .refused,
        keys: items.map(\.name),
        columns: columns
      )
      joins.append((written, written.join(items)))
    } catch let error as SyntaxProblem { throw CommandError(error, in: line) }
  }

  /// Reads the keys of a join, and returns the place after them.
  private func joinKeys(from start: Int, of file: JoinedFile) throws -> ([ListItem], [Int], Int) {
    var items: [ListItem] = []
    var columns: [Int] = []
    var place = start
    // A row is found before its columns are known, and those of later files.
    var scope = scope
    scope.fields.removeLast(files[joins.count...].reduce(0) { $0 + $1.table.columns.count })
    while true {
      let (expression, range, next) = try ExpressionParser.parse(
        line.text,
        from: place,
        in: scope,
        before: "="
      )
      let item = ListItem(expression, in: line.text)
      items.append(item)
      var scanner = SyntaxScanner(line.text, from: next)
      let token = try scanner.expressionToken()
      var (column, at, end) = (item.name, range.lowerBound, range.upperBound)
      if token.isSymbol("=") {
        scanner.skipSpace()
        at = scanner.position
        column = try scanner.listName()
        end = scanner.position
      }
      do { columns.append(try file.table.column(named: column)) } catch {
        throw CommandError("\(error)", column: line.column(of: at), code: FailureCode(error))
      }
      guard let following = line.placeAfterComma(end) else { return (items, columns, end) }
      place = following
    }
  }

  // MARK: Conditions

  /// Reads the condition after `where`: one that the store can evaluate, or one about the files.
  ///
  /// - Returns: The filter of the store; nil for a condition about the files.
  mutating func takeFilter(
    _ arguments: inout Arguments,
    of entity: Schema.Entity,
    _ session: Session
  ) throws -> Filter? {
    var plain = arguments
    let problem: any Error
    do {
      let filter = try plain.requirePredicate(for: entity, in: session)
      arguments = plain
      return filter
    } catch { problem = error }
    guard joinsFiles, !(problem is Interruption.Stopped) else { throw problem }
    do {
      conditions.append(try condition(&arguments, after: "where"))
      return nil
    } catch {
      // What was understood further is nearer to what was meant.
      let (own, other) = (
        FailureCode.place(of: error).column, FailureCode.place(of: problem).column
      )
      throw own ?? 0 >= other ?? 0 ? error : problem
    }
  }

  /// Reads a condition that knows the columns of the files.
  func condition(_ arguments: inout Arguments, after clause: String) throws
    -> (written: String, inLine: ListItem)
  {
    guard let start = arguments.peek?.start else {
      throw CommandError("missing condition after \"\(clause)\"")
    }
    do {
      let (condition, next) = try ExpressionParser.parseCondition(line.text, from: start, in: scope)
      arguments.skip(before: next)
      let item = ListItem(condition, in: line.text)
      return (item.name, item)
    } catch {
      throw listed.error(at: line.column(of: error.offset)) ?? CommandError(error, in: line)
    }
  }
}

extension CommandText {
  /// The place of the next item of a list; nil without a comma.
  func placeAfterComma(_ end: Int) -> Int? {
    var scanner = SyntaxScanner(text, from: end)
    guard scanner.skipSpace(), scanner.byte(at: scanner.position) == UInt8(ascii: ",") else {
      return nil
    }
    scanner.position += 1
    scanner.skipSpace()
    return scanner.position
  }
}

extension SyntaxScanner {
  /// Reads the name after `as`.
  mutating func listName() throws(SyntaxProblem) -> String {
    let token = try expressionToken()
    switch token.kind {
    case .word(let name), .name(let name), .text(let name): return name
    default: throw SyntaxProblem(offset: token.start, message: "expected a name after \"as\"")
    }
  }
}

extension Arguments {
  /// Skips the words that begin before a place in the line.
  mutating func skip(before place: Int) {
    while let word = peek, word.start < place { _ = next() }
  }
}
