import Expressions
import OpenSwiftData

/// Reads the keys, columns and sort keys of a list: names of fields, or expressions.
struct ListClauseReader {
  /// What was read, in the line and for later.
  struct Item {
    /// For a plain list.
    let field: FieldList.Item
    let written: ComputedColumns.Item
    /// Nil for a key that only stores can sort by.
    fileprivate let inLine: ListItem?
    /// True if only a list with computed columns has it: an expression, or something with another name.
    fileprivate(set) var isComputed: Bool
  }

  private let line: CommandText
  private let entity: Schema.Entity
  private let schema: Schema
  /// The files that are joined.
  var files: JoinReader
  private var scope: ExpressionScope { files.scope }
  let paths: [String]
  var keys: [Item] = []
  var columns: [Item] = []
  var sort: [Item] = []
  var per: [Item] = []
  private(set) var having: (written: String, inLine: ListItem)?
  var failing: FailingValues?

  /// Prepares the reading of a line.
  init(_ line: CommandText, of entity: Schema.Entity, in session: Session) throws {
    (self.line, self.entity, schema) = (line, entity, session.context.schema)
    // Most lists have no path.
    paths =
      line.text.utf8.contains(UInt8(ascii: "."))
      ? FieldPath.paths(in: line.text, of: entity, schema).compactMap {
        if case .link(let path) = $0 { path.name } else { nil }
      } : []
    files = try JoinReader(line, session.expressionScope(of: entity, paths: paths), session)
    files.scope.names = Self.names(in: line)
  }

  /// The names after `as`, which can be used before they are given.
  private static func names(in line: CommandText) -> [String] {
    let files = Set(line.joinedFiles.map(\.name.start))
    return line.words.indices.dropLast().filter {
      line.words[$0].isKeyword("as") && !files.contains(line.words[$0 + 1].start)
    }.compactMap { place in
      var scanner = SyntaxScanner(line.text, from: line.words[place].end)
      return try? scanner.listName()
    }
  }

  // MARK: Clauses

  /// Reads the items of a clause.
  ///
  /// - Throws: `CommandError` with the place.
  func items(_ arguments: inout Arguments, after clause: String, as use: FieldList.Use) throws
    -> [Item]
  {
    var plain = arguments
    let problem: any Error
    do {
      let items = try plainItems(&plain, after: clause, as: use)
      let isPlain = items.allSatisfy { item in
        !scope.names.contains(item.field.name) && (use == .sortKeys || !item.field.isDescending)
      }
      if isPlain, !continues(plain) {
        arguments = plain
        return items
      }
      return try expressions(&arguments, as: use)
    } catch let error as SyntaxProblem {
      throw CommandError(error, in: line)
    } catch { problem = error }
    // What is no list of fields may be one of expressions.
    guard let word = arguments.peek else { throw problem }
    let before = arguments
    do {
      let items = try expressions(&arguments, as: use)
      if items.contains(where: \.isComputed) { return items }
      // Without spaces after its commas the list has been read before: a name in it is wrong.
      guard goesOn(word, before) else { throw problem }
      try checkNames(items, as: use)
      return items
    } catch let error as SyntaxProblem {
      let looksComputed = word.text.utf8.contains(where: "+*/%()?".utf8.contains)
      let isCertain =
        error.problem == .limit || looksComputed || files.joinsFiles || goesOn(word, before)
      throw isCertain ? CommandError(error, in: line) : problem
    }
  }

  /// The names of fields in one word.
  private func plainItems(
    _ arguments: inout Arguments,
    after clause: String,
    as use: FieldList.Use
  ) throws -> [Item] {
    let word = arguments.peek
    return try arguments.requireFields(
      "field after \"\(clause)\"",
      of: entity,
      in: schema,
      as: use
    ).map { named($0, at: (word?.start ?? 0)..<(word?.end ?? 0), as: nil) }
  }

  /// True if the list goes on after its first word.
  private func goesOn(_ word: CommandText.Word, _ arguments: Arguments) -> Bool {
    word.text.hasSuffix(",") && arguments.remaining.count > 1
  }

  /// Reads the condition that a group meets.
  mutating func takeHaving(_ arguments: inout Arguments) throws {
    having = try files.condition(&arguments, after: "having")
  }

  /// True if what follows makes the last name a part of an expression, or gives it another name.
  private func continues(_ arguments: Arguments) -> Bool {
    guard let word = arguments.peek else { return false }
    if word.isKeyword("as") { return true }
    var scanner = SyntaxScanner(line.text, from: word.start, parameters: scope.parameters)
    guard let token = try? scanner.expressionToken() else { return false }
    if case .symbol = token.kind { return true }
    return token.isWord(in: ExpressionParser.operatorWords)
  }

  /// Refuses a field that a plain list names twice.
  private func checkNames(_ items: [Item], as use: FieldList.Use) throws {
    var names: Set<String> = []
    for name in items.map(\.field.name) where use == .columns && !names.insert(name).inserted {
      throw CommandError("duplicate field \(Value.quoted(name))")
    }
  }

  // MARK: Items

  private func expressions(_ arguments: inout Arguments, as use: FieldList.Use) throws -> [Item] {
    var items: [Item] = []
    var place = arguments.peek?.start ?? 0
    while true {
      let (item, next) = try item(at: place, as: use)
      items.append(item)
      guard let following = line.placeAfterComma(next) else {
        arguments.skip(before: next)
        return items
      }
      place = following
    }
  }

  /// Reads an item, and returns the place after it.
  private func item(at start: Int, as use: FieldList.Use) throws -> (Item, next: Int) {
    let bytes = Array(line.text.utf8)
    let sign = use == .sortKeys ? bytes.dropFirst(start).first : nil
    let isDescending = sign == UInt8(ascii: "-")
    let start = isDescending || sign == UInt8(ascii: "+") ? start + 1 : start
    let end = nameEnd(bytes, start)
    if use == .sortKeys { try checkMinus(after: end, bytes) }
    if !isOperator(at: end), let field = field(bytes[start..<end]) {
      let (name, next) = try givenName(after: end)
      let directed = FieldList.Item(name: field.name, isDescending: isDescending)
      return (named(directed, at: start..<end, as: name), next)
    }
    let (expression, range, _) = try ExpressionParser.parse(line.text, from: start, in: scope)
    let text = String(decoding: bytes[range], as: UTF8.self)
    let (given, next) = try givenName(after: range.upperBound)
    let name = given ?? expression.listName(in: scope)
    var item = computed(expression, text, as: name ?? text, isDescending)
    item.isComputed = name != nil || expression.isComputed || files.joinsFiles
    return (item, next)
  }

  private func computed(
    _ expression: ValueExpression,
    _ text: String,
    as name: String,
    _ isDescending: Bool = false
  ) -> Item {
    Item(
      field: FieldList.Item(name: text, isDescending: isDescending),
      written: .init(text: text, isName: false, name: name, isDescending: isDescending),
      inLine: ListItem(expression, in: line.text, as: name),
      isComputed: true
    )
  }

  /// The field, identifier or path with exactly this name, unless the list gives the name to something else; nil for
  /// anything else.
  private func field(_ name: ArraySlice<UInt8>) -> FieldList.Item? {
    if name.first.map("+-".utf8.contains) ?? true { return nil }
    let items = try? FieldList.items(name, of: entity, in: schema, as: .columns) { _, read in
      try read()
    }
    return items?.first.flatMap { scope.names.contains($0.name) ? nil : $0 }
  }

  private func named(_ field: FieldList.Item, at range: Range<Int>, as name: String?) -> Item {
    let place = scope.place(ofField: field.name)
    let isName = place != nil || field.name == entity.identifierKey
    let written = ComputedColumns.Item(
      text: field.name,
      isName: isName,
      name: name ?? field.name,
      isDescending: field.isDescending
    )
    let inLine =
      isName
      ? ListItem(field: place, at: range, in: line.text, as: written.name)
      : memberItem(field.name, as: written.name)
    return Item(field: field, written: written, inLine: inLine, isComputed: name != nil)
  }

  /// The item of a path into JSON, which is an expression, too; nil for a key such as `title[l]`.
  private func memberItem(_ text: String, as name: String) -> ListItem? {
    (try? ExpressionParser.parse(text, in: scope)).map { ListItem($0, in: text, as: name) }
  }

  /// The end of a name: the next comma or space outside quotes and brackets.
  private func nameEnd(_ bytes: [UInt8], _ start: Int) -> Int {
    var quote: UInt8?
    var place = start
    while place < bytes.count {
      let byte = bytes[place]
      if let open = quote {
        if byte == open { quote = nil }
      } else if "\"'`".utf8.contains(byte) {
        quote = byte
      } else if byte == UInt8(ascii: ",") || [0x20, 0x09, 0x0A, 0x0D].contains(byte) {
        break
      }
      place += 1
    }
    return place
  }

  private func isOperator(at end: Int) -> Bool {
    var scanner = SyntaxScanner(line.text, from: end, parameters: scope.parameters)
    guard let token = try? scanner.expressionToken() else { return false }
    if case .symbol(let symbol) = token.kind { return symbol != "," }
    return token.isWord(in: ExpressionParser.operatorWords)
  }

  /// Refuses `a -b`, which may mean two keys or one.
  private func checkMinus(after end: Int, _ bytes: [UInt8]) throws {
    var scanner = SyntaxScanner(line.text, from: end)
    guard scanner.skipSpace(), scanner.position > end else { return }
    let sign = scanner.position
    guard bytes[sign] == UInt8(ascii: "-"), !scanner.isSpace(at: sign + 1) else { return }
    throw SyntaxProblem(offset: sign, message: "write sort a,-b, or a - b")
  }

  /// Reads `as NAME` if it comes next.
  private func givenName(after end: Int) throws -> (name: String?, next: Int) {
    var scanner = SyntaxScanner(line.text, from: end)
    guard let word = try? scanner.expressionToken(), word.isWord("as") else { return (nil, end) }
    let name = try scanner.listName()
    return (name, scanner.position)
  }

  // MARK: The list

  /// True for clauses that a plain list of fields does not have.
  private var isComputed: Bool {
    !keys.isEmpty || !per.isEmpty || having != nil || files.joinsFiles
      || (columns + sort).contains(where: \.isComputed)
  }

  /// The clauses of a list with computed columns; nil for a plain one.
  ///
  /// - Throws: `CommandError` if a type does not fit, or if two columns have one name.
  func computed(_ query: Query) throws -> ComputedColumns? {
    guard isComputed else {
      guard failing == nil else {
        throw CommandError("\"missing\" and \"skip\" are about columns that are computed")
      }
      return nil
    }
    if !per.isEmpty, query.offset > 0 { throw CommandError("offset cannot be used with per") }
    var clauses = ListClauses()
    files.add(to: &clauses)
    clauses.keys = try keys.map(inLine)
    clauses.columns = try columns.map(inLine)
    clauses.having = having?.inLine
    clauses.per = try per.map(inLine)
    let columns = columns.isEmpty ? try defaultColumns(isGrouped: clauses.areGrouped) : columns
    clauses.columns = try columns.map(inLine)
    try checkNames(of: columns)
    // The store sorts records by fields.
    let sort = clauses.areGrouped || sort.contains(where: \.isComputed) ? sort : []
    clauses.sort = try sort.map { (try inLine($0), $0.written.isDescending) }
    do { _ = try ListPlan(clauses, in: scope) } catch { throw CommandError(error, in: line) }
    var computed = ComputedColumns(
      files: files.written,
      keys: keys.map(\.written),
      columns: columns.map(\.written),
      having: having?.written,
      sort: sort.map(\.written),
      per: per.map(\.written),
      failing: failing ?? .refused,
      paths: paths
    )
    computed.hasDefaultColumns = self.columns.isEmpty
    return computed
  }

  private func inLine(_ item: Item) throws -> ListItem {
    guard let inLine = item.inLine else {
      throw CommandError("\(item.field.name) cannot be used with groups or computed sort keys")
    }
    return inLine
  }

  private func checkNames(of columns: [Item]) throws {
    var names: Set<String> = []
    for name in columns.map(\.written.name) where !names.insert(name).inserted {
      throw CommandError("duplicate column \(Value.quoted(name)); add as NAME")
    }
  }

  /// Makes the number of records the only column.
  mutating func count() throws { columns = [try countItem()] }

  private func countItem() throws -> Item {
    let count = "count()"
    let expression = try ExpressionParser.parse(count, in: scope)
    return Item(
      field: .init(name: count, isDescending: false),
      written: .init(text: count, isName: false, name: "count", isDescending: false),
      inLine: ListItem(expression, in: count, as: "count"),
      isComputed: true
    )
  }

  /// The keys and the number of records of a group; the identifier and all fields of a record.
  private func defaultColumns(isGrouped: Bool) throws -> [Item] {
    guard isGrouped else {
      return ([entity.identifierKey] + entity.fields.map(\.name) + files.columnNames).map {
        named(.init(name: $0, isDescending: false), at: 0..<0, as: nil)
      }
    }
    return keys + [try countItem()]
  }
}
