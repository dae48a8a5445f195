import OpenSwiftData

extension Session {
  /// Passes a request on to the screen, or performs it where there is none.
  ///
  /// - Throws: As `showWithoutScreen(_:)`.
  func show(_ request: ScreenRequest) throws -> Outcome {
    origin.isOnScreen ? .screen(request) : try showWithoutScreen(request)
  }

  /// Changes the table as a command asks, without a screen.
  ///
  /// - Throws: `CommandError` for what needs a screen, or for an unknown column or view.
  private func showWithoutScreen(_ request: ScreenRequest) throws -> Outcome {
    switch request {
    case .filter(let input):
      try changeView { $0.filter = input.kind == .all ? "" : input.predicate }
      return try summary()
    case .sort(let keys):
      try changeView { $0.sort = keys }
      return .done(keys.isEmpty ? "not sorted" : "sorted by \(keys.text)")
    case .group(let column):
      try changeView { $0.group = column?.name ?? "" }
      // A script shows no groups: it has their values and counts.
      if let column, !settings.showsOutcomes {
        var arguments = Arguments(try CommandText("freq " + FilterParser.spelled(column.name)))
        return try CountValues(
          selection: try FieldSelection(reading: &arguments, in: self)
        ).perform(in: self)
      }
      return .done(column.map { "grouped by \($0.name)" } ?? "no groups")
    case .show(let name):
      entityName = name
      return try summary()
    case .columns(let request): return try arrange(request)
    case .view(let request, let stored): return try take(request, stored)
    default: throw CommandError("works only on the screen")
    }
  }

  /// The table of an entity; nil if it shows all columns, without filter and order.
  func scriptTable(of entity: Schema.Entity) -> TableView? {
    origin.isOnScreen ? nil : script.tables[entity.name]
  }

  /// Restricts and orders a query like the table, if the line has neither `where` nor an entity.
  func follow(_ query: inout Query, of entity: Schema.Entity) throws {
    guard let view = scriptTable(of: entity) else { return }
    if !view.filter.isEmpty { query.filter = try filter(view.filter, of: entity) }
    if query.sort.isEmpty { query.sort = view.sort.grouped(by: view.group) }
  }

  /// The columns that the table shows; nil if they are those of every list.
  func scriptColumns(of entity: Schema.Entity) -> [String]? {
    guard let columns = scriptTable(of: entity)?.columns, columns != ColumnArrangement(of: entity)
    else { return nil }
    return (columns.showsIdentifier ?? true ? [entity.identifierKey] : [])
      + columns.shown.filter { $0.expression?.problem == nil }.map(\.name)
  }

  private func filter(_ predicate: String, of entity: Schema.Entity) throws -> Filter {
    var arguments = Arguments(try CommandText("where " + predicate))
    return try arguments.requirePredicate(for: entity, in: self)
  }

  /// The filter of a view as a predicate, also if it was typed on the screen as words or terms.
  private func predicate(of view: TableView, _ entity: Schema.Entity) throws -> String {
    if view.filter.isEmpty { return "" }
    do {
      _ = try filter(view.filter, of: entity)
      return view.filter
    } catch {
      let input = FilterInput(
        view.filter,
        for: entity,
        paths: view.columns.paths(forFilter: view.filter, of: entity, context.schema),
        today: services.clock.today
      )
      guard input.problem == nil else { throw error }
      return input.predicate
    }
  }

  private func changeView(_ body: (inout TableView) throws -> Void) throws {
    let entity = try entity()
    let first = TableView(of: entity)
    var view = script.tables[entity.name] ?? first
    view.columns = ColumnArrangement(view.columns, adoptedFor: entity)
    _ = view.columns.readExpressions(of: entity, in: context.schema)
    try body(&view)
    script.tables[entity.name] = view == first ? nil : view
  }

  /// How many records the table shows.
  private func summary() throws -> Outcome {
    let entity = try entity()
    let total = try context.fetchCount(matching: Query(entity.name))
    var query = Query(entity.name)
    try follow(&query, of: entity)
    guard query.filter != .all else { return .done("\(entity.name): \(counted(total))") }
    return .done("\(try context.fetchCount(query)) of \(counted(total))")
  }

  private func arrange(_ request: ColumnRequest) throws -> Outcome {
    if case .expand = request {
      throw CommandError(
        "column expand: works only on the screen; use \"column show PATH\", such as user.login"
      )
    }
    let entity = try entity()
    if case .list = request { return .table(try presentView().columnTable(of: entity)) }
    try changeView { try $0.arrange(request, of: entity) }
    let shown = scriptTable(of: entity)?.columns ?? ColumnArrangement(of: entity)
    return .done("columns: \(shown.shown.map(\.name).joined(separator: ", "))")
  }

  private func take(_ request: ViewRequest, _ stored: [String: String]) throws -> Outcome {
    let entity = try entity()
    var book = script.book ?? services.readViews(of: store.location).book
    let known = book.named[entity.name] ?? [:]
    switch request {
    case .list:
      script.book = book
      return .table(TableView.table(known, readable(stored.filter { known[$0.key] == nil })))
    case .write(let name): return try WriteView(name: name).perform(in: self)
    case .reset:
      script.tables[entity.name] = nil
      return .done("all columns, no filter, no sort, no groups")
    case .show(let name):
      guard var view = try known[name] ?? stored[name].map({ try TableView(parsing: $0) }) else {
        throw TableView.unknown(name, Array(known.keys) + stored.keys)
      }
      view.columns = ColumnArrangement(view.columns, adoptedFor: entity)
      if let problem = view.columns.readExpressions(of: entity, in: context.schema) {
        notes.remarks.append("view \(name): \(problem)")
      }
      script.tables[entity.name] = view
      view.filter = try predicate(of: view, entity)
      script.book = book
      script.tables[entity.name] = view
      return try summary()
    case .save(let name):
      book.named[entity.name, default: [:]][name] = try presentView()
      try keep(book)
      return .done("saved the view \(name)")
    case .delete(let name):
      guard known[name] != nil else {
        if stored[name] != nil { throw CommandError(StoredViews.deletionHint(name)) }
        throw TableView.unknown(name, Array(known.keys) + stored.keys)
      }
      book.named[entity.name]?[name] = nil
      try keep(book)
      return .done("deleted the view \(name)")
    }
  }

  /// The views of the store that can be read; each of the others is named in a note.
  private func readable(_ stored: [String: String]) -> [String: TableView] {
    var views: [String: TableView] = [:]
    for (name, text) in stored.sorted(by: { $0.key < $1.key }) {
      do {
        views[name] = try TableView(parsing: text)
      } catch {
        notes.remarks.append("view \(name) cannot be read: \(FailureCode.place(of: error).message)")
      }
    }
    return views
  }

  /// What the table shows.
  func presentView() throws -> TableView {
    let entity = try entity()
    return script.tables[entity.name] ?? TableView(of: entity)
  }

  private func keep(_ book: ViewBook) throws {
    if let location = store.location {
      guard services.viewsPath(of: location) != nil else {
        throw CommandError(
          "views are kept by the screen and --plain, not by scripts"
            + (StoredViews(self).haveRoom ? "; \"view write\" keeps one in the store" : ""),
          code: .unsupported
        )
      }
      try services.keepViews(book, of: location)
    }
    script.book = book
  }
}

extension TableView {
  /// All columns of an entity, without filter and order.
  fileprivate init(of entity: Schema.Entity) { self.init(columns: ColumnArrangement(of: entity)) }

  /// Changes the columns as a command asks.
  ///
  /// - Throws: `CommandError` for an unknown column.
  fileprivate mutating func arrange(_ request: ColumnRequest, of entity: Schema.Entity) throws {
    switch request {
    case .reset: columns = ColumnArrangement(of: entity)
    case .showAll: columns.showAll()
    case .showIdentifier: columns.showsIdentifier = true
    case .show(let column): columns.show([column], after: nil)
    case .goTo(let text), .reveal(let text):
      columns.change(try name(text)) { $0.isHidden = false }
    case .hide(let text): try hide(text, of: entity)
    case .move(let text, .to(let place)): columns.move(try name(text), to: place - 1)
    case .move(let text, .by(let step)):
      let name = try name(text)
      let place = columns.shown.firstIndex { $0.name == name } ?? 0
      columns.move(name, to: place + step)
    case .width(let text, let width):
      let cells: Int? = if case .cells(let cells) = width { cells } else { nil }
      columns.change(try name(text)) { $0.width = cells }
    case .freeze(let text, let isFrozen):
      columns.change(try name(text)) { $0.isFrozen = isFrozen ?? !$0.isFrozen }
    case .format(let text, let format):
      let name = try name(text)
      if let problem = columns[name]?.problem(with: format, of: entity) {
        throw CommandError("\(name): \(problem)")
      }
      columns.change(name) { $0.format = format }
    case .collapse(let text): _ = columns.collapse(try name(text))
    case .compute(let column, let former):
      if let former, former != column.name {
        if let reason = columns.reasonToKeep(former) { throw CommandError(reason) }
        guard columns[column.name] == nil else {
          throw CommandError("\(column.name) is a column already; choose another name")
        }
      }
      columns.put(column, replacing: former, after: nil)
    case .remove(let text):
      let name = try name(text)
      guard columns[name]?.expression != nil else {
        throw CommandError("\(name) is not computed; use \"column hide\"")
      }
      if let reason = columns.reasonToKeep(name) { throw CommandError(reason) }
      columns.remove(name)
    case .list, .expand: break
    }
  }

  /// The column that a text names.
  private func name(_ text: String?) throws -> String {
    let names = columns.columns.map(\.name)
    guard let text else {
      throw CommandError("missing column; \(Suggestion.text(for: "", among: names))")
    }
    guard let name = columns.name(typed: text) else {
      throw CommandError(Suggestion.message("no column", text, among: names))
    }
    return name
  }

  private mutating func hide(_ text: String?, of entity: Schema.Entity) throws {
    if let text, text == entity.identifierKey, columns[text] == nil {
      columns.showsIdentifier = false
      return
    }
    let name = try name(text)
    guard columns.shown.contains(where: { $0.name != name }) else {
      throw CommandError("the last column cannot be hidden")
    }
    columns.change(name) { $0.isHidden = true }
  }

  /// The columns as rows.
  fileprivate func columnTable(of entity: Schema.Entity) -> OutputTable {
    let rows = ColumnArrangement(columns, adoptedFor: entity).columns.map { column -> [Value] in
      let type = column.type(in: entity) ?? .text
      return [
        .text(column.name), .text(type.description), .boolean(!column.isHidden),
        .boolean(column.isFrozen), column.width.map { .integer(Int64($0)) } ?? .null,
        column.format.isPlain ? .null : .text(column.format.text),
      ]
    }
    return OutputTable(
      columns: ["column", "type", "shown", "frozen", "width", "format"],
      rows: rows
    )
  }

  fileprivate static func table(_ own: [String: TableView], _ others: [String: TableView])
    -> OutputTable
  {
    OutputTable(
      columns: ["view", "columns", "filter", "sort", "group", "place"],
      rows: own.merging(others) { own, _ in own }.sorted { $0.key < $1.key }.map { name, view in
        [
          .text(name), .text(view.columns.shown.map(\.name).joined(separator: ",")),
          view.filter.isEmpty ? .null : .text(view.filter),
          view.sort.isEmpty ? .null : .text(view.sort.text),
          view.group.isEmpty ? .null : .text(view.group),
          .text(own[name] == nil ? "store" : "settings"),
        ]
      }
    )
  }

  fileprivate static func unknown(_ name: String, _ known: [String]) -> CommandError {
    CommandError(
      known.isEmpty
        ? "no view \(Value.quoted(name)); run \"view save \(CommandText.quoted(name))\" to save this one"
        : Suggestion.message("no view", name, among: known.sorted())
    )
  }
}

extension [SortKey] {
  /// The keys as they are typed: `-year, title`.
  fileprivate var text: String {
    map { ($0.isDescending ? "-" : "") + $0.attribute }.joined(separator: ", ")
  }
}
