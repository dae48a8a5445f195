import OpenSwiftData

/// The table of one entity: its query and its cursor, without the list itself.
struct TableState: Sendable {
  /// The entity; nil if the store has none.
  var entity: Schema.Entity?
  /// The current filter.
  var filter = FilterInput()
  /// The filter that shows the records that refer to another one; nil if there was none.
  var referrerFilter: ReferrerFilter?
  var sort: [SortKey] = []
  /// The name of the column by which the records are grouped; nil without groups.
  var group: String? {
    didSet {
      guard group != oldValue else { return }
      (groups, folds) = (ShownGroups(), nil)
    }
  }
  /// The groups that are folded; nil for none.
  var folds: GroupFolds?
  /// What is known of the groups in the list.
  var groups = ShownGroups()
  private var queries = Queries()
  /// What was changed since the list was queried.
  var edits = ListEdits()
  /// The number of records in the list, and of all records.
  var extent = ListExtent(count: 0, total: 0)
  /// The row of the cursor.
  var row = 0
  /// The column of the cursor.
  var column = 0
  /// The first row that is shown.
  var top = 0
  /// The first column that is shown.
  var left = 0
  /// The loaded values: those of the visible rows.
  var window = RowWindow()
  /// The order and the look of the columns.
  private(set) var arrangement = ColumnArrangement()
  /// The column that tells the records apart, as far as their values were compared.
  private var title: FoundTitle?
  /// The columns that are shown, in their order on the screen.
  private(set) var columns: [ShownColumn] = []
  private var widths = ColumnWidths()
  /// True if the identifiers of all records are shown.
  var showsIdentifiers: Bool { arrangement.showsIdentifier == true }
  /// The width of the identifiers; nil if they are hidden, and no new record is on the screen.
  var idWidth: Int? { showsIdentifiers ? widths.ofIdentifiers : widths.ofNewIdentifiers }
  /// The view that was shown or saved last, with what the table showed then; nil for none.
  private var namedView: (name: String, view: TableView)?
  /// The name of the view that was shown or saved last; nil for none.
  var viewName: String? { namedView?.name }
  /// The records that are marked.
  var marks = MarkedRecords()
  /// The row where marking a range began.
  var anchor: Int?
  /// The text that `n` looks for.
  var search = "" {
    didSet { if search != oldValue { matches = nil } }
  }
  /// The current day, for dates that are shown by their distance; nil if it is unknown.
  var today: CalendarDate?
  /// Changes by other programs that nobody has looked at yet.
  var unseen = UnseenChanges()
  /// The number of rows with that text; nil before they are counted.
  var matches: MatchCount?
  /// What could not be adopted for the entity as it is now; nil for nothing.
  var problem: String?

  private struct FoundTitle: Sendable {
    let column: TableColumn?
  }

  /// The list that is shown, and those that were asked for.
  private struct Queries: Sendable {
    /// Filter and order of the current list; nil before the first one.
    var listed: Settings?
    /// The queries whose results have not arrived, with the filter and the order that they belong to.
    var awaited: [(spec: QuerySpec, settings: Settings, top: Int?)] = []
  }

  private struct Settings: Sendable {
    let filter: FilterInput
    let sort: [SortKey]
    let group: String?
    let folds: GroupFolds?
  }

  private var settings: Settings {
    Settings(filter: filter, sort: sort, group: group, folds: folds)
  }

  /// Automatic column widths never exceed this, unless there is room left on the screen.
  static let widestColumn = 36

  init(entity: Schema.Entity? = nil) {
    self.entity = entity
    arrange(as: ColumnArrangement(of: entity))
  }

  /// The fields of the entity, shown or not.
  var attributes: [Schema.Attribute] { entity?.fields ?? [] }

  /// The query; nil without an entity.
  var spec: QuerySpec? {
    entity.map {
      QuerySpec(
        entityName: $0.name,
        filter: filter.filter,
        sort: sort.grouped(by: group),
        text: filter.namesRecords ? filter.predicate : nil,
        folds: folds
      )
    }
  }

  /// The record under the cursor, if its values are loaded; nil on the line of a folded group.
  var currentRow: TableRow? { isFolded(row) || row >= extent.count ? nil : window[row] }

  /// Where the cursor is, for a prompt that changes the list; nil without an entity.
  var cursorOrigin: CursorOrigin? {
    spec.map { CursorOrigin(spec: $0, record: cursorRecord, row: row, top: top) }
  }

  /// The record in the line of the cursor, which may stand for a folded group.
  var cursorRecord: PersistentIdentifier? {
    row < extent.count ? window[row]?.identifier : nil
  }

  /// The column under the cursor.
  var currentColumn: ShownColumn? { columns.indices.contains(column) ? columns[column] : nil }

  /// The field under the cursor, or the values at a path as if they were a field.
  var currentAttribute: Schema.Attribute? { currentColumn?.attribute }

  /// The position of the field under the cursor among the fields of the entity.
  var currentSlot: Int { currentColumn?.slot ?? 0 }

  /// True if the values of a column are shown as percentages.
  func showsPercent(_ name: String) -> Bool { arrangement[name]?.format.style == .percent }

  /// The value under the cursor.
  var currentValue: Value? {
    currentRow.flatMap { row in currentColumn.flatMap { row.value(of: $0) } }
  }

  /// Why the computed cell under the cursor has no value; nil if it has one.
  var currentFailure: String? {
    guard let column = currentColumn, let failure = currentRow?.failures[column.name] else {
      return nil
    }
    return "\(column.name): \(failure)"
  }

  // MARK: Changing

  /// Notes that the list is queried; the table shows the previous one until the result arrives.
  ///
  /// The new list begins at `top` unless the cursor is elsewhere; nil leaves the first visible row.
  mutating func awaitList(of spec: QuerySpec, top: Int? = nil) {
    queries.awaited.append((spec, settings, top))
  }

  /// True while the list does not match filter and order yet.
  var isAwaitingList: Bool { !queries.awaited.isEmpty }

  /// Adopts a new list, and moves the cursor to a row; nil leaves it where it is.
  ///
  /// Queries that were superseded before they ended have no result.
  mutating func take(
    _ extent: ListExtent,
    of spec: QuerySpec,
    cursor: Int?,
    heads: Set<PersistentIdentifier> = [],
    undoableSteps: Int = 0
  ) {
    self.extent = extent
    edits.noteQuery(undoableSteps: undoableSteps)
    groups.heads = heads
    matches = nil
    window = RowWindow()
    let place = queries.awaited.firstIndex { $0.spec == spec }
    let query = place.map { queries.awaited[$0] }
    queries.listed = query?.settings ?? settings
    if let top = query?.top { self.top = top }
    queries.awaited.removeFirst(place.map { $0 + 1 } ?? queries.awaited.count)
    move(toRow: cursor ?? row)
  }

  /// Discards the queries without results.
  mutating func forgetAwaitedLists() { queries.awaited = [] }

  /// Returns to filter and order of the current list.
  mutating func returnToListed() {
    forgetAwaitedLists()
    guard let listed = queries.listed else { return }
    (filter, sort, group) = (listed.filter, listed.sort, listed.group)
    folds = listed.folds
  }

  /// Removes a filter that names a record that was not found, and the name of the view to which it belongs.
  ///
  /// - Returns: True if the list must be queried, since it used that filter.
  mutating func leaveFilter() -> Bool {
    let refused = filter
    returnToListed()
    defer { if filter != refused, namedView?.view.filter == refused.text { nameView(nil) } }
    guard filter == refused else { return false }
    filter = FilterInput()
    return true
  }

  /// The table of an entity whose fields have changed: settings that do not use a removed field stay.
  func adopting(_ new: Schema.Entity, in schema: Schema) -> TableState {
    var table = TableState(entity: new)
    var columns = ColumnArrangement(arrangement, adoptedFor: new)
    table.problem = columns.readExpressions(of: new, in: schema)
    let computed = Set(FieldPath.computed(columns.expressions, of: new, in: schema).map(\.name))
    let isKnown = { (name: String) in new.fieldsByName[name] != nil || computed.contains(name) }
    table.sort = sort.filter { isKnown($0.attribute) }
    table.group = group.flatMap { isKnown($0) ? $0 : nil }
    let paths = filter.paths.filter { !$0.isComputed || computed.contains($0.name) }
    let input = FilterInput(filter.text, for: new, paths: paths, today: today)
    if input.problem == nil, input.kind == filter.kind { table.filter = input }
    table.marks = marks
    table.search = search
    table.today = today
    (table.extent, table.row, table.top) = (extent, row, top)
    table.arrange(as: columns)
    let names = table.columns.map(\.name)
    table.namedView = namedView.map { ($0.name, isViewChanged ? $0.view : table.view) }
    table.column = currentColumn.flatMap { names.firstIndex(of: $0.name) } ?? column
    table.move(toColumn: table.column)
    // The values have other positions now, but still belong to the same records.
    let rows = window.rows.map {
      TableRow(identifier: $0.identifier, values: [], pending: $0.pending)
    }
    table.window = RowWindow(start: window.start, rows: rows, isStale: true)
    return table
  }

  /// Stores values of rows, and widens columns that need it.
  mutating func take(_ rows: [TableRow], from start: Int) {
    let former = window
    window = RowWindow(start: start, rows: rows)
    var narrowed: Set<String> = []
    for (offset, row) in rows.enumerated() where former[start + offset] != row {
      unseen.compare(row)
      let found = widths.take(row, replacing: former[start + offset], columns, today: today)
      narrowed.formUnion(found)
    }
    for column in columns where narrowed.contains(column.name) { measureAgain(column) }
    let added = rows.lazy.map(\.identifier).filter(\.isTemporary)
    widths.ofNewIdentifiers = added.map { RowText.identifier($0).width }.max()
    if widths.whole == nil { measureWhole() }
  }

  /// The cells that the whole table needed when its first rows, or its columns, were shown; nil before.
  ///
  /// It stays the same while other rows come into view.
  var wholeWidth: Int? { widths.whole }

  private mutating func measureWhole() {
    let columns = columns.indices.reduce(0) { $0 + width(of: $1) + missingWidth(of: $1) + 2 }
    widths.whole = window.rows.isEmpty ? nil : ScreenLayout.frozenWidth(idWidth: idWidth) + columns
  }

  /// Measures a column by the rows that are loaded.
  private mutating func measureAgain(_ column: ShownColumn) {
    widths.measure(column, in: window.rows, today: today)
  }

  /// Names what the table shows now; nil for no name.
  mutating func nameView(_ name: String?) {
    namedView = name.map { ($0, view) }
  }

  /// Names what the table shows after a view, from which it may differ.
  mutating func nameView(_ name: String, of former: TableView) {
    namedView = (name, former)
  }

  /// True if the table shows something else than the view after which it is named.
  var isViewChanged: Bool { namedView.map { $0.view != view } ?? false }

  // MARK: Columns

  /// The columns that are shown at first.
  var firstArrangement: ColumnArrangement {
    var first =
      title.map { ColumnArrangement(of: entity, title: $0.column) } ?? ColumnArrangement(of: entity)
    first.showsIdentifier = arrangement.showsIdentifier
    return first
  }

  /// The name of the column that is frozen at first.
  var titleName: String? { firstArrangement.columns.first(where: \.isFrozen)?.name }

  /// True if the values must be compared to find the column that tells the records apart.
  var needsTitle: Bool {
    guard title == nil, extent.count > 0, let entity else { return false }
    return entity.fields.contains { $0.type == .json }
      || !RecordTitle.titleFields(of: entity).isEmpty
  }

  /// Freezes the column that tells the records apart, unless the columns were arranged otherwise.
  mutating func take(title column: TableColumn?) {
    let isAsAtFirst = arrangement == firstArrangement
    title = FoundTitle(column: column)
    // Another column may come first now.
    guard isAsAtFirst else { return arrange(as: arrangement) }
    let place = self.column
    let isViewChanged = isViewChanged
    arrange(as: firstArrangement)
    if !isViewChanged { nameView(viewName) }
    // The cursor stays on the first column.
    if place == 0 { move(toColumn: 0) }
  }

  /// Replaces the order and the look of the columns; the cursor stays on its column.
  mutating func arrange(as new: ColumnArrangement) {
    let current = currentColumn?.name
    let former = columns
    arrangement = new
    columns =
      entity.map { entity in
        let expressions = new.expressions
        var place = 0
        return new.shownInOrder(title: titleName).compactMap { look in
          let column = ShownColumn(look, of: entity, expressions, place: place)
          if column?.look.expression != nil { place += 1 }
          return column
        }
      } ?? []
    if let place = columns.firstIndex(where: { $0.name == current }) { column = place }
    move(toColumn: column)
    for column in columns where !former.contains(column) {
      // Another format may need less room.
      measureAgain(column)
    }
    let known = Set(former.map(\.name))
    if columns.contains(where: { $0.needsReading && !known.contains($0.name) }) {
      window.isStale = true
    }
    measureWhole()
  }

  /// The width of the widest value of a column on the screen.
  func fittingWidth(of column: ShownColumn) -> Int {
    let widest = TableColumn.widths.upperBound
    let texts = window.rows.compactMap { column.text(in: $0, clippedTo: widest, today: today) }
    return max(headerWidth(of: column), texts.map(\.text.width).max() ?? 0)
  }

  /// True if it is known whether there is a row, although not all may be counted yet.
  func isKnown(_ row: Int) -> Bool {
    switch extent.listed {
    case .exact: true
    case .atLeast(let number): row < number
    case .estimated: row < 0 || window[row] != nil
    }
  }

  /// Measures all columns by the rows that are loaded.
  mutating func measureAgain() { columns.forEach { measureAgain($0) } }

  /// Moves the cursor to a row, or to the nearest existing one.
  mutating func move(toRow target: Int) { row = max(0, min(target, extent.count - 1)) }

  /// Moves the cursor to a column, or to the nearest existing one.
  mutating func move(toColumn target: Int) { column = max(0, min(target, columns.count - 1)) }

  /// Scrolls so that the cursor is on the screen.
  mutating func scrollToCursor(height: Int, width: Int) {
    move(toRow: row)
    move(toColumn: column)
    let height = max(1, height)
    let last = firstRow(showing: extent.count - 1, height: height)
    top = max(0, firstRow(showing: row, height: height), min(top, row, last))
    unseen.visit(currentRow?.identifier)
    scrollColumns(width: width)
  }

  /// The rows to fetch for a table with the given number of rows; nil if all are loaded.
  ///
  /// Who scrolls gets as many rows before and behind the visible ones, so that the next keys need none.
  func missingRows(height: Int) -> Range<Int>? {
    let height = max(1, height)
    let wanted = top..<max(top, min(extent.count, top + height))
    if wanted.isEmpty || window.covers(wanted) { return nil }
    guard window.isNear(wanted) else { return wanted }
    return max(0, wanted.lowerBound - height)..<min(extent.count, wanted.upperBound + height)
  }

  /// The cells of a column on the screen.
  func width(of index: Int) -> Int {
    let column = columns[index]
    let automatic = min(widths[column], Self.widestColumn)
    return column.look.width ?? max(automatic, headerWidth(of: column))
  }

  /// The cells that a column could use beyond its width.
  func missingWidth(of index: Int) -> Int {
    let column = columns[index]
    guard column.look.width == nil else { return 0 }
    return max(0, widths[column] - width(of: index))
  }

  /// The cells to leave free after a number, so that the decimal points of a column are below each other.
  func cellsAfter(_ text: DisplayText, in column: ShownColumn) -> Int {
    widths.cellsAfter(text, in: column)
  }

  /// The cells that the header of a column needs.
  private func headerWidth(of column: ShownColumn) -> Int {
    let sign = sort.contains { $0.attribute == column.name } ? 3 : 0
    return column.headerWidth + sign
  }
}

/// A filter that was not typed, and the one that it replaced for a while.
struct ReferrerFilter: Sendable {
  let shown: FilterInput
  let former: FilterInput
}

/// The rows whose values are loaded.
struct RowWindow: Hashable, Sendable {
  var start = 0
  var rows: [TableRow] = []
  /// True when the values may have changed since.
  var isStale = false

  subscript(row: Int) -> TableRow? {
    rows.indices.contains(row - start) ? rows[row - start] : nil
  }

  func covers(_ range: Range<Int>) -> Bool {
    !isStale && range.lowerBound >= start && range.upperBound <= start + rows.count
  }

  /// True if the range overlaps the window or is next to it.
  func isNear(_ range: Range<Int>) -> Bool {
    !isStale && !rows.isEmpty && range.lowerBound <= start + rows.count && range.upperBound >= start
  }
}

extension TableState {
  /// Marks changed records, until somebody looks at them.
  mutating func noteChanges(of records: Set<PersistentIdentifier>) {
    unseen.note(records.filter { $0.entityName == entity?.name }, shown: window.rows)
  }

  /// Moves the cursor and the first visible row by the same number of rows.
  mutating func scroll(by rows: Int) {
    top = max(0, top + rows)
    move(toRow: row + rows)
  }
}
