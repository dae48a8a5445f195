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
  /// The entity with the computed columns of its table.
  private let named: Schema.Entity
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
  var sample: SampleSize?
  /// What becomes the columns and the cells of a pivot.
  private var pivot: (column: Item, values: [Item])?
  /// The values that become rows.
  private var unpivot: (written: ComputedColumns.Unpivot, inLine: ListUnpivot)?

  /// Prepares the reading of a line; with `takesOneRow`, of a command that gives each record one value.
  init(
    _ line: CommandText,
    of entity: Schema.Entity,
    takesOneRow: Bool = false,
    in session: Session
  ) throws {
    (self.line, self.entity, schema) = (line, entity, session.context.schema)
    let computed =
      takesOneRow
      ? [] : session.computedPaths(of: entity).map(\.name).filter { line.text.contains($0) }
    named = computed.isEmpty ? entity : session.withComputedColumns(entity)
    // Most lists have no path.
    let linked: [String] =
      !takesOneRow && line.text.utf8.contains(UInt8(ascii: "."))
      ? FieldPath.paths(in: line.text, of: entity, schema).compactMap {
        if case .link(let path) = $0 { path.name } else { nil }
      } : []
    paths = linked + computed
    files = try JoinReader(
      line,
      session.expressionScope(of: entity, paths: paths),
      takesOneRow: takesOneRow,
      session
    )
    if !takesOneRow { files.scope.names = Self.names(in: line) }
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
        error.problem == .limit || looksComputed || addsNames || goesOn(word, before)
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
      of: named,
      in: schema,
      as: use
    ).map { item(of: $0, at: (word?.start ?? 0)..<(word?.end ?? 0), as: nil) }
  }

  /// True if the list goes on after its first word.
  private func goesOn(_ word: CommandText.Word, _ arguments: Arguments) -> Bool {
    word.text.hasSuffix(",") && arguments.remaining.count > 1
  }

  /// True if there are names beside those of the fields.
  private var addsNames: Bool { files.joinsFiles || unpivot != nil }

  /// Reads `ROWS by COLUMN VALUE, …`.
  mutating func takePivot(_ arguments: inout Arguments) throws {
    let example = "pivot FIELD by FIELD count()"
    keys = try items(&arguments, after: "pivot", as: .columns)
    guard arguments.take("by") else {
      throw CommandError("pivot: expected by after the fields of the rows; write \(example)")
    }
    let columns = try items(&arguments, after: "by", as: .columns)
    guard columns.count == 1 else {
      throw CommandError(
        "pivot: expected one field after by, found \(columns.count); write \(example)"
      )
    }
    let clauses = RecordSelection.Shape.pivot.clauses
    guard let next = arguments.peek, !clauses.contains(where: { next.isKeyword($0) }) else {
      throw CommandError("pivot: missing what to compute, such as count(); write \(example)")
    }
    let values = try items(&arguments, after: columns[0].field.name, as: .columns)
    try checkNames(of: keys)
    try checkNames(of: values)
    pivot = (columns[0], values)
  }

  /// Reads `A,B as NAME,VALUE`.
  mutating func takeUnpivot(_ arguments: inout Arguments) throws {
    files.scope.names = []
    let example = "unpivot A,B as NAME,VALUE"
    guard let start = arguments.peek?.start else {
      throw CommandError("missing field after \"unpivot\"; write \(example)")
    }
    do {
      var parts: [Item] = []
      var place: Int? = start
      while let start = place {
        let (item, next) = try item(at: start, as: .columns, isNamed: false)
        arguments.skip(before: next)
        parts.append(item)
        place = line.placeAfterComma(next)
      }
      guard arguments.take("as"), let word = arguments.peek else {
        throw CommandError("unpivot: expected as NAME,VALUE after the fields; write \(example)")
      }
      var scanner = SyntaxScanner(line.text, from: word.start)
      let name = try scanner.listName()
      guard let next = line.placeAfterComma(scanner.position) else {
        throw CommandError(
          "unpivot: expected a comma and a second name after \(name); write \(example)"
        )
      }
      scanner.position = next
      let value = try scanner.listName()
      arguments.skip(before: scanner.position)
      let list = try ListUnpivot(parts.map(inLine), in: scope)
      let others = entity.fields.map(\.name).filter { !isUsed($0, by: list) } + files.columnNames
      let taken = [name, value].first { others.contains($0) || files.isName($0) }
      if let taken = taken ?? (name == value ? name : nil) {
        throw CommandError("unpivot: \(Value.quoted(taken)) is a name already; choose another one")
      }
      files.scope.fields += list.fields(named: name, value)
      unpivot = (.init(parts: parts.map(\.written), name: name, value: value), list)
      columns = (others + [name, value]).map {
        item(of: .init(name: $0, isDescending: false), at: 0..<0, as: nil)
      }
    } catch let error as SyntaxProblem { throw CommandError(error, in: line) }
  }

  private func isUsed(_ field: String, by list: ListUnpivot) -> Bool {
    scope.place(ofField: field).map(list.usedFields.contains) ?? false
  }

  /// Reads `N [seed S]`; the word can be left out.
  mutating func takeSample(_ arguments: inout Arguments) throws {
    let count = try arguments.requireCount("sample")
    let isSeed = arguments.take("seed")
    guard isSeed || arguments.peek.map({ Int64($0.text) != nil }) ?? false else {
      return sample = SampleSize(count)
    }
    let word = try arguments.require("number after \"seed\"")
    guard let seed = Int64(word.text) else {
      throw CommandError("seed: \(Value.quoted(word.text)) is not a whole number")
    }
    sample = SampleSize(count, seed: seed)
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
  private func item(at start: Int, as use: FieldList.Use, isNamed: Bool = true) throws -> (
    Item, next: Int
  ) {
    let bytes = Array(line.text.utf8)
    let sign = use == .sortKeys ? bytes.dropFirst(start).first : nil
    let isDescending = sign == UInt8(ascii: "-")
    let start = isDescending || sign == UInt8(ascii: "+") ? start + 1 : start
    let end = nameEnd(bytes, start)
    if use == .sortKeys { try checkMinus(after: end, bytes) }
    if !isOperator(at: end), let field = field(bytes[start..<end]) {
      let (name, next) = isNamed ? try givenName(after: end) : (nil, end)
      let directed = FieldList.Item(name: field.name, isDescending: isDescending)
      return (item(of: directed, at: start..<end, as: name), next)
    }
    let (expression, range, _) = try ExpressionParser.parse(line.text, from: start, in: scope)
    let text = line.typed(range)
    let (given, next) =
      isNamed ? try givenName(after: range.upperBound) : (nil, range.upperBound)
    let name = given ?? expression.listName(in: scope)
    var item = computed(expression, text, as: name ?? text, isDescending)
    item.isComputed =
      name != nil || expression.isComputed || expression.isCondition || addsNames
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
    let items = try? FieldList.items(name, of: named, in: schema, as: .columns) { _, read in
      try read()
    }
    return items?.first.flatMap { scope.names.contains($0.name) ? nil : $0 }
  }

  private func item(of field: FieldList.Item, at range: Range<Int>, as name: String?) -> Item {
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
    !keys.isEmpty || !per.isEmpty || having != nil || addsNames || sample != nil
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
    (clauses.unpivot, clauses.sample) = (unpivot?.inLine, sample)
    clauses.keys = try keys.map(inLine)
    clauses.columns = try columns.map(inLine)
    clauses.having = having?.inLine
    clauses.per = try per.map(inLine)
    let columns =
      pivot != nil
      ? keys : columns.isEmpty ? try defaultColumns(isGrouped: clauses.areGrouped) : columns
    clauses.columns = try columns.map(inLine)
    try checkNames(of: columns)
    // The store sorts records by fields.
    let isComputedHere = clauses.areGrouped || sample != nil || unpivot != nil
    let sort = isComputedHere || sort.contains(where: \.isComputed) ? sort : []
    clauses.sort = try sort.map { (try inLine($0), $0.written.isDescending) }
    let spread = try pivot.map { (try inLine($0.column), try $0.values.map(inLine)) }
    do {
      if let (column, values) = spread {
        _ = try PivotPlan(clauses, by: column, values, in: scope)
      } else {
        _ = try ListPlan(clauses, in: scope)
      }
    } catch { throw CommandError(error, in: line) }
    var computed = ComputedColumns()
    computed.files = files.written
    computed.keys = keys.map(\.written)
    computed.columns = columns.map(\.written)
    computed.having = having?.written
    computed.sort = sort.map(\.written)
    computed.per = per.map(\.written)
    computed.pivot = pivot.map { ($0.column.written, $0.values.map(\.written)) }
    (computed.unpivot, computed.sample) = (unpivot?.written, sample)
    computed.failing = failing ?? .refused
    computed.paths = paths
    computed.hasDefaultColumns = self.columns.isEmpty
    return computed
  }

  /// Checks the files and the order of a command that is not a list.
  ///
  /// - Throws: `CommandError` with the place of a type that does not fit.
  func checkOrder() throws {
    guard files.joinsFiles || !sort.isEmpty || !per.isEmpty else { return }
    var clauses = ListClauses()
    files.add(to: &clauses)
    clauses.sort = try sort.map { (try inLine($0), $0.written.isDescending) }
    clauses.per = try per.map(inLine)
    do { _ = try ListPlan(clauses, in: scope) } catch { throw CommandError(error, in: line) }
  }

  private func inLine(_ item: Item) throws -> ListItem {
    guard let inLine = item.inLine else {
      throw CommandError(
        "\(item.field.name) cannot be used with groups, samples or computed sort keys"
      )
    }
    return inLine
  }

  private func checkNames(of columns: [Item]) throws {
    var names: Set<String> = []
    for name in columns.map(\.written.name) where !names.insert(name).inserted {
      throw CommandError("duplicate column \(Value.quoted(name)); add as NAME")
    }
  }

  /// Makes the number of records the last column, after the keys of groups.
  mutating func count(by items: [Item] = []) throws {
    (keys, columns) = (items, items + [try countItem(as: items.isEmpty ? "count" : "count()")])
  }

  /// Reads `[where P] [join …]` to the end of the line.
  mutating func takeRecords(_ arguments: inout Arguments, _ query: inout Query, _ session: Session)
    throws
  {
    var given: Set<String> = []
    while !arguments.isEmpty {
      if try arguments.takeOnce("where", &given) {
        let filter = try files.takeFilter(&arguments, of: entity, session)
        if let filter { query.filter = filter }
      } else if arguments.take("join") {
        try files.takeJoin(&arguments)
      } else {
        try arguments.finish()
      }
    }
  }

  private func countItem(as name: String = "count") throws -> Item {
    let count = "count()"
    let expression = try ExpressionParser.parse(count, in: scope)
    return Item(
      field: .init(name: count, isDescending: false),
      written: .init(text: count, isName: false, name: name, isDescending: false),
      inLine: ListItem(expression, in: count, as: name),
      isComputed: true
    )
  }

  /// The keys and the number of records of a group; the identifier and all fields of a record.
  private func defaultColumns(isGrouped: Bool) throws -> [Item] {
    guard isGrouped else {
      return ([entity.identifierKey] + entity.fields.map(\.name) + files.columnNames).map {
        item(of: .init(name: $0, isDescending: false), at: 0..<0, as: nil)
      }
    }
    return keys + [try countItem()]
  }
}
