import OpenSwiftData

extension ScreenCommand {
  private static func program(
    _ name: String,
    _ keys: [Key],
    _ summary: String,
    _ body: @escaping @Sendable (inout AppState, Int?) -> Transition
  ) -> ScreenCommand {
    ScreenCommand(name, keys: keys, group: "Program", summary: summary, perform: body)
  }

  /// The commands for the program as a whole.
  static let program: [ScreenCommand] = [
    program("command", [.character(":")], "type a command, with completion and history") {
      app,
      _ in
      .open(CommandPrompt(app))
    },
    program("palette", [.control("p")], "search all commands") { app, _ in
      .open(PaletteScreen(app))
    },
    ScreenCommand(
      "copy",
      keys: [.character("y")],
      group: "Program",
      summary: "copy the value of the cell, or the marked records as lines of TSV",
      disabledReason: { $0.table.marks.isEmpty ? $0.noRecordReason : nil }
    ) { app, _ in
      if app.table.marks.isEmpty { app.copyCell() } else { app.request(.copyMarked) }
      return .stay
    },
    program("help", [.character("?"), .function(1)], "show the keys and commands") { app, _ in
      .open(TextScreen.help(app, from: .table))
    },
    program("clear", [.escape], "clear the marks, then the search, the filter and the sort") {
      app,
      _ in
      app.clearStep()
      return .stay
    },
    program("redraw", [.control("l")], "redraw the screen") { app, _ in
      app.request(.redraw)
      return .stay
    },
    program("suspend", [.control("z")], "suspend the program (fg resumes it)") { app, _ in
      app.request(.suspend)
      return .stay
    },
    program("quit", [.character("q")], "quit; asks first if there are unsaved changes") { app, _ in
      app.quit(isDiscarding: false)
      return .stay
    },
  ]
}

extension AppState {
  mutating func copyCell() {
    guard let value = table.currentValue else { return }
    request(.copy(value.text))
    say("copied \(Value.quoted(value.text))")
  }

  /// What Esc clears next, the nearest first: a range, marks, the search, the filter, the order.
  var nextToClear: String? {
    if table.anchor != nil { return "range" }
    if !table.marks.isEmpty { return "marks" }
    if !table.search.isEmpty { return "search" }
    if table.filter.isActive { return "filter" }
    return table.sort.isEmpty ? nil : "sort"
  }

  /// Takes back what lies nearest, and says what it was and what comes next.
  mutating func clearStep() {
    guard let cleared = nextToClear else {
      say("nothing to clear; press q to quit")
      return
    }
    switch cleared {
    case "range": table.anchor = nil
    case "marks": table.marks.removeAll()
    case "search": table.search = ""
    case "filter":
      table.filter = FilterInput()
      requery()
    default:
      table.sort = []
      requery()
    }
    let next = nextToClear.map { "; press Esc again to clear the \($0)" } ?? ""
    say("cleared the \(cleared)\(next)")
  }
}
