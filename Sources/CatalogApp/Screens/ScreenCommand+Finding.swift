import OpenSwiftData

extension ScreenCommand {
  private static func find(
    _ name: String,
    _ keys: [Key],
    _ summary: String,
    unless reason: @escaping @Sendable (AppState) -> String? = \.noEntityReason,
    _ body: @escaping @Sendable (inout AppState, Int?) -> Transition
  ) -> ScreenCommand {
    ScreenCommand(
      name,
      keys: keys,
      group: "Finding",
      summary: summary,
      disabledReason: reason,
      perform: body
    )
  }

  /// The commands that find, filter and sort.
  static let finding: [ScreenCommand] = [
    find("search", [.character("/")], "search in all fields as you type") { app, _ in
      .open(SearchPrompt(app))
    },
    find("next match", [.character("n")], "go to the next match", unless: \.noSearchReason) {
      app,
      _ in
      app.searchAgain(isForward: true)
      return .stay
    },
    find("previous match", [.character("N")], "go to the previous match", unless: \.noSearchReason)
    { app, _ in
      app.searchAgain(isForward: false)
      return .stay
    },
    find(
      "filter",
      [.character("f"), .character("&")],
      "filter as you type, by a predicate or plain words"
    ) { app, _ in
      .open(FilterPrompt(app))
    },
    find("sort", [.character("s")], "sort by this column; press again to reverse") { app, _ in
      app.sort(byColumn: app.table.column, isFurther: false)
      return .stay
    },
    find("sort further", [.character("S")], "add this column to the sort") { app, _ in
      app.sort(byColumn: app.table.column, isFurther: true)
      return .stay
    },
    find("counts", [.character("F")], "count the values of this column") { app, _ in
      if let attribute = app.table.currentAttribute {
        app.request(.countValues(attribute: attribute.name))
        return .open(CountsScreen(attribute: attribute))
      }
      return .stay
    },
    find("details", [.character("v")], "show all values of the record next to the table") {
      app,
      _ in
      app.showsDetails.toggle()
      return .stay
    },
    find(
      "history",
      [.character("H")],
      "show the history of the record",
      unless: \.noRecordReason
    ) { app, _ in
      guard let identifier = app.table.currentRow?.identifier else { return .stay }
      app.request(.readHistory(identifier))
      return .open(HistoryScreen(identifier: identifier))
    },
  ]
}

extension AppState {
  fileprivate var noSearchReason: String? {
    table.search.isEmpty ? "no search yet; press / to search" : noEntityReason
  }

  mutating func searchAgain(isForward: Bool) {
    let start = table.row + (isForward ? 1 : -1)
    request(.search(table.search, from: start, isForward: isForward))
  }

  /// Sorts by a column, or turns its order around; `isFurther` keeps the keys before it.
  mutating func sort(byColumn column: Int, isFurther: Bool) {
    guard table.attributes.indices.contains(column) else { return }
    let name = table.attributes[column].name
    if let place = table.sort.firstIndex(where: { $0.attribute == name }) {
      let reversed = SortKey(name, isDescending: !table.sort[place].isDescending)
      if isFurther { table.sort[place] = reversed } else { table.sort = [reversed] }
    } else {
      table.sort = (isFurther ? table.sort : []) + [SortKey(name)]
    }
    requery()
  }
}
