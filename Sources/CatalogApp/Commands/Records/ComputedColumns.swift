import Expressions
import OpenSwiftData

/// The clauses of a list with computed columns, groups or limits for each value, as they were written.
struct ComputedColumns: Hashable, Sendable {
  /// A key, a column or a sort key.
  struct Item: Hashable, Sendable {
    /// The expression, or the name of a field, of the identifier or of a field of a linked record.
    let text: String
    /// True for a name, which is not read as an expression.
    let isName: Bool
    /// What it is called in the list.
    let name: String
    let isDescending: Bool
  }

  /// Values that become rows.
  struct Unpivot: Hashable, Sendable {
    let parts: [Item]
    let name: String
    let value: String
  }

  var files = CommandFiles()
  var keys: [Item] = []
  var columns: [Item] = []
  var having: String?
  var sort: [Item] = []
  var per: [Item] = []
  /// What becomes the columns and the cells of a pivot; nil for any other list.
  var pivot: (column: Item, values: [Item])? {
    get { spread.first.map { ($0, Array(spread.dropFirst())) } }
    set { spread = newValue.map { [$0.column] + $0.values } ?? [] }
  }
  private var spread: [Item] = []
  /// The values that become rows, and the names of the columns for their names and for them.
  var unpivot: Unpivot?
  /// How many of the records are chosen at random.
  var sample: SampleSize?
  var failing = FailingValues.refused
  /// True if the columns were not named: the identifier and all fields, or the keys of groups.
  var hasDefaultColumns = false
  /// The fields of linked records that occur in the clauses.
  var paths: [String] = []

  /// The names that the clauses give.
  private var names: [String] {
    (keys + columns + spread).compactMap { $0.name == $0.text ? nil : $0.name }
  }

  /// The list to evaluate.
  ///
  /// - Throws: `CommandError` if a name or a type does not fit, as after a change of another program.
  func plan(_ query: Query, _ scope: ExpressionScope) throws -> any TablePlan {
    var scope = scope
    files.extend(&scope)
    scope.names = names
    do {
      var clauses = ListClauses()
      if let unpivot {
        let list = try ListUnpivot(unpivot.parts.map { try $0.item(in: scope) }, in: scope)
        scope.fields += list.fields(named: unpivot.name, unpivot.value)
        clauses.unpivot = list
      }
      clauses.sample = sample
      try files.add(to: &clauses, in: scope)
      clauses.keys = try keys.map { try $0.item(in: scope) }
      clauses.columns = try columns.map { try $0.item(in: scope) }
      clauses.sort = try sort.map { (try $0.item(in: scope), $0.isDescending) }
      clauses.per = try per.map { try $0.item(in: scope) }
      clauses.having = try having.map {
        ListItem(try ExpressionParser.parseCondition($0, from: 0, in: scope).expression, in: $0)
      }
      (clauses.limit, clauses.offset) = (query.limit, query.offset)
      guard let pivot else { return try ListPlan(clauses, in: scope) }
      let values = try pivot.values.map { try $0.item(in: scope) }
      return try PivotPlan(clauses, by: pivot.column.item(in: scope), values, in: scope)
    } catch let error as SyntaxProblem {
      throw CommandError(error.message, code: FailureCode(error))
    }
  }
}

extension ComputedColumns.Item {
  /// The item for a list.
  ///
  /// - Throws: `SyntaxProblem` if a name does not fit, as after a change of another program.
  func item(in scope: ExpressionScope) throws -> ListItem {
    guard isName else {
      return ListItem(try ExpressionParser.parse(text, in: scope), in: text, as: name)
    }
    return ListItem(
      field: scope.place(ofField: text),
      at: 0..<text.utf8.count,
      in: text,
      as: name
    )
  }
}

extension RecordSelection {
  /// The rows of a list with computed columns.
  ///
  /// An export without named columns leaves out the numbers of rows, as that of a plain list does.
  ///
  /// - Throws: `CommandError` with the first records for which an expression has no value, the error of a store that
  ///   cannot be read, `Interruption.Stopped`.
  /// - Complexity: O(n) in the number of records, O(n log n) with an order that is computed.
  func table(of computed: ComputedColumns, in session: Session, isExport: Bool = false) throws
    -> OutputTable
  {
    let entity = try session.context.schema.entity(named: query.entityName)
    let scope = try session.expressionScope(of: entity, paths: computed.paths)
    var window = query
    if isDistinct { (window.limit, window.offset) = (nil, 0) }
    let plan = try computed.plan(window, scope)
    var (columns, rows) = try table(of: plan, scope, failing: computed.failing, session)
    if isDistinct {
      var seen: Set<[Value]> = []
      rows = rows.filter { seen.insert($0).inserted }
      rows = Array(rows[query.window(of: rows.count)])
    }
    let isNumbered =
      computed.hasDefaultColumns && computed.keys.isEmpty
      && session.context.checks(of: entity.name) != nil
    guard isExport, isNumbered else { return OutputTable(columns: columns, rows: rows) }
    columns.removeFirst()
    return OutputTable(
      columns: columns,
      rows: rows.map { Array($0.dropFirst()) }
    )
  }

  private func table(
    of plan: any TablePlan,
    _ scope: ExpressionScope,
    failing: FailingValues,
    _ session: Session
  ) throws -> (columns: [String], rows: [[Value]]) {
    let places = plan.fields.sorted()
    var read = self
    (read.isDistinct, read.computed) = (false, nil)
    // The rows are counted after they are computed.
    read.query.limit = plan.takesFirst ? query.limit.map { $0 + query.offset } : nil
    read.query.offset = 0
    read.columns = places.map { scope.fieldName(at: $0) }
    if places.isEmpty {
      read.columns = [try session.context.schema.entity(named: query.entityName).identifierKey]
    }
    let source = try read.source(in: session)
    let checks =
      hasIdentifier(of: source.entity) ? session.context.checks(of: source.entity.name) : nil
    var evaluation = try plan.evaluation(failing: failing)
    var values = [Value](repeating: .null, count: scope.fields.count)
    try source.forEachPage(in: session.context) { page in
      let columns = source.columns.map { page.values(of: $0) }
      for row in 0..<page.count {
        for (place, column) in zip(places, columns) { values[place] = column[row] }
        let identifier = page.identifier(at: row)
        // As in every list that asks for identifiers.
        if let check = checks?[identifier] {
          try evaluation.add(ExpressionRow(values: values, identifier: "\(identifier)~\(check)"))
        } else {
          try evaluation.add(ExpressionRow(values: values, of: identifier))
        }
      }
    }
    let table: (columns: [String], rows: [[Value]])
    do { table = try evaluation.table() } catch let error as PivotPlan.TooManyColumns {
      throw CommandError(error.description)
    }
    try finish(evaluation.failures, failing, &session.notes)
    return table
  }

  /// True if a column is the identifier.
  private func hasIdentifier(of entity: Schema.Entity) -> Bool {
    guard let computed, !computed.hasDefaultColumns else { return false }
    return computed.columns.contains { $0.isName && $0.text == entity.identifierKey }
  }

  private func finish(
    _ failures: RecordFailures,
    _ failing: FailingValues,
    _ notes: inout CommandNotes
  ) throws {
    guard let error = failures.error else { return }
    switch failing {
    case .refused: throw error
    case .missing: notes.remarks.append("values of \(counted(failures.count)) are missing")
    case .skip:
      let count = failures.count
      notes.remarks.append("\(counted(count)) \(count == 1 ? "is" : "are") not in the list")
    }
  }
}

extension RecordSource {
  /// Reads the records, page by page.
  ///
  /// - Throws: The error of a store that cannot be read, `Interruption.Stopped`.
  func forEachPage(in context: ModelContext, _ body: (any RecordPage) throws -> Void) throws {
    guard let identifiers else { return try context.forEachPage(matching: query, body) }
    let listing = listing(of: identifiers)
    for batch in identifiers.batches {
      try Interruption.check()
      try body(listing.page(of: Array(batch), in: context))
    }
  }
}
