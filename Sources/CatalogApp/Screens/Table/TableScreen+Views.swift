import OpenSwiftData

/// Views that are kept between runs.
extension TableScreen {
  /// The views, with the tables as they are now.
  func viewBook(_ host: TableHost) -> ViewBook {
    var book = book
    for table in views.values.map({ $0 }) + [host.table] {
      guard let entity = table.entity else { continue }
      let view = table.lastingView
      book.current[entity.name] = view == table.firstView ? nil : view
      book.currentNames[entity.name] =
        book.current[entity.name] == nil
        ? nil : table.viewName.map { ViewName($0, isChanged: table.isViewChanged) }
    }
    return book
  }

  /// Gives a table the view in which it was left.
  ///
  /// - Returns: What could not be shown; nil if nothing.
  func restoreView(of table: inout TableState, in schema: Schema) -> String? {
    guard let entity = table.entity, let view = book.current[entity.name] else { return nil }
    if let problem = table.show(view, in: schema) {
      return "the table is not as it was left: \(problem)"
    }
    guard let name = book.currentNames[entity.name] else { return nil }
    // A view in the store is not known yet; a changed table was not left as it is at first either.
    let former = book.named[entity.name]?[name.text]
    table.nameView(name.text, of: former ?? (name.isChanged ? table.firstView : table.view))
    return nil
  }

  /// Performs a request, and returns the screen to open, if there is one.
  mutating func take(
    _ request: ViewRequest,
    _ stored: [String: String] = [:],
    _ host: inout TableHost
  ) -> (any Screen)? {
    guard let entity = host.table.entity else {
      host.warn(host.screen.noEntityReason ?? "no entity")
      return nil
    }
    let known = book.named[entity.name] ?? [:]
    switch request {
    case .list: return ViewsScreen(known, stored: stored, current: host.table.viewName)
    case .reset:
      _ = host.table.show(TableView(columns: host.table.firstArrangement), in: host.screen.schema)
      host.table.nameView(nil)
      host.requery()
      host.say("all columns, no filter, no sort, no groups; Esc does not restore them")
    case .show(let name):
      guard let view = view(name, known, stored, &host) else { return nil }
      let problem = host.table.show(view, in: host.screen.schema)
      host.table.nameView(host.table.filter.text == view.filter ? name : nil)
      host.requery()
      if let problem { host.warn("view \(name): \(problem)") } else { host.say("view \(name)") }
    case .save(let name):
      book.named[entity.name, default: [:]][name] = host.table.keptView
      host.table.nameView(name)
      keep(&host)
      host.say(
        host.status.location == nil || !host.settings.remembersViews
          ? "view \(name) is kept until the program ends" : "saved the view \(name)"
      )
    case .write(let name):
      host.table.nameView(name)
      host.perform(
        WriteView(name: name, content: .init(entity: entity.name, view: host.table.keptView))
      )
    case .delete(let name):
      guard known[name] != nil else {
        host.fail(
          stored[name] == nil
            ? Self.unknown(name, known, stored) : StoredViews.deletionHint(name)
        )
        return nil
      }
      book.named[entity.name]?[name] = nil
      if book.named[entity.name]?.isEmpty == true { book.named[entity.name] = nil }
      if host.table.viewName == name { host.table.nameView(nil) }
      keep(&host)
      host.say("deleted the view \(name)")
    }
    return nil
  }

  /// Requests writing the views to their file.
  func keep(_ host: inout TableHost) {
    guard host.settings.remembersViews, let location = host.status.location else { return }
    host.request(.keepViews(viewBook(host), location: location))
  }

  /// The view with this name: the user's own one, or else the one in the store.
  private func view(
    _ name: String,
    _ known: [String: TableView],
    _ stored: [String: String],
    _ host: inout TableHost
  ) -> TableView? {
    if let view = known[name] { return view }
    guard let text = stored[name] else {
      host.fail(Self.unknown(name, known, stored))
      return nil
    }
    do {
      return try TableView(parsing: text)
    } catch {
      host.fail("view \(name) in the store: \(error.message)")
      return nil
    }
  }

  private static func unknown(
    _ name: String,
    _ known: [String: TableView],
    _ stored: [String: String]
  ) -> String {
    known.isEmpty && stored.isEmpty
      ? "no view \(Value.quoted(name)) yet; :view save \(CommandText.quoted(name)) saves the present one"
      : Suggestion.message("no view", name, among: (Array(known.keys) + stored.keys).sorted())
  }
}

extension TableState {
  /// What it shows, to be shown again.
  var view: TableView {
    TableView(columns: arrangement, filter: filter.text, sort: sort, group: group ?? "")
  }

  /// What it shows without the filter of `referrers`, which ends with the program.
  var lastingView: TableView {
    var view = view
    view.filter = textToKeep(of: lastingFilter)
    return view
  }

  /// What it shows, with the filter in words that do not depend on the columns.
  var keptView: TableView {
    var view = view
    view.filter = textToKeep(of: filter)
    return view
  }

  /// A filter as a predicate if it was typed as terms, unless these mean something else on another day.
  private func textToKeep(of filter: FilterInput) -> String {
    guard filter.kind == .terms, let entity else { return filter.text }
    // Another year, month, day and day of the week.
    let later = today.map { CalendarDate(daysSince1970: $0.daysSince1970 + 400) }
    let paths = filter.paths
    let onAnotherDay = FilterInput(filter.text, for: entity, paths: paths, today: later)
    let predicate = FilterInput(filter.predicate, for: entity, paths: paths, today: today)
    let isLasting = onAnotherDay.filter == filter.filter && predicate.filter == filter.filter
    return isLasting ? filter.predicate : filter.text
  }

  /// The filter, or the one that a filter of `referrers` replaced.
  var lastingFilter: FilterInput {
    referrerFilter.flatMap { $0.shown == filter ? $0.former : nil } ?? filter
  }

  /// All columns, without filter, order and groups.
  var firstView: TableView { TableView(columns: firstArrangement) }

  /// Shows a view, as far as the fields of the entity allow.
  ///
  /// Paths are those of the schema and of the columns.
  ///
  /// - Returns: What could not be shown; nil if nothing.
  mutating func show(_ view: TableView, in schema: Schema) -> String? {
    guard let entity else { return nil }
    var columns = ColumnArrangement(view.columns, adoptedFor: entity)
    let broken = columns.readExpressions(of: entity, in: schema)
    arrange(as: columns)
    let isKnown = { (name: String) in
      entity.fieldsByName[name] != nil
        || columns[name].map { $0.expression?.problem == nil } ?? false
    }
    let known = view.sort.filter {
      isKnown($0.attribute) || $0.attribute == entity.identifierKey
    }
    sort = known
    group = isKnown(view.group) ? view.group : nil
    let input = filterInput(view.filter, in: schema)
    filter = input.problem == nil ? input : FilterInput()
    if let broken { return broken }
    if let problem = input.problem { return problem.sentence }
    return known.count < view.sort.count ? "some sort fields no longer exist" : nil
  }
}

/// The views with a name; one of them can be shown.
struct ViewsScreen: ListScreen {
  /// A view.
  struct Line: Identifiable, Sendable {
    /// Its name.
    let id: String
    let summary: String
  }

  var frame = ListFrame<Line>()

  init(_ views: [String: TableView], stored: [String: String], current: String?) {
    let others = stored.filter { views[$0.key] == nil }.mapValues(Self.summary(ofStored:))
    let all = views.mapValues(\.summary).merging(others) { own, _ in own }
    frame.setLines(
      all.sorted { $0.key < $1.key }.map { Line(id: $0.key, summary: $0.value) },
      text: \.id,
      selecting: current
    )
  }

  /// What a view in the store shows, or why it cannot be read.
  private static func summary(ofStored text: String) -> String {
    do {
      return "in the store · \(try TableView(parsing: text).summary)"
    } catch {
      return "in the store · not a view: \(error.message)"
    }
  }

  var valueNames: [String] { ["view", "shows"] }
  func values(of line: Line) -> [Value] { [.text(line.id), .text(line.summary)] }

  func accept(_ line: Line, _ host: inout ScreenHost) -> Transition {
    host.request(.read(line: "view \(CommandText.quoted(line.id))", lostRecord: nil))
    return .close
  }

  func look(_ host: ScreenHost) -> ListLook {
    let sheet = host.layout.sheet(lines: frame.lines.count)
    return ListLook(
      sheet: sheet,
      title: "views · \(frame.position)",
      emptyText: "none yet; :view save NAME saves the present columns, filter, sort and groups",
      [.init(width: min(24, Sheet.inside(sheet).width / 3) - 1), .init()]
    )
  }

  func cells(of line: Line, _ look: ListLook, _ host: ScreenHost) -> [ListCell] {
    [ListCell(line.id), ListCell(line.summary, .dim)]
  }
}

extension TableView {
  /// The view in a few words.
  fileprivate var summary: String {
    let shown = columns.shown.count
    var parts = [counted(shown, "column")]
    if !filter.isEmpty { parts.append("filter \(filter)") }
    if !group.isEmpty { parts.append("group \(group)") }
    if !sort.isEmpty {
      let keys = sort.map { ($0.isDescending ? "-" : "") + $0.attribute }
      parts.append("sort \(keys.joined(separator: ","))")
    }
    return parts.joined(separator: " · ")
  }
}
