import OpenSwiftData

/// The records of an entity as a table; it always lies at the bottom.
struct TableScreen: Screen {
  var place: ScreenCommand.Place { .table }
  var isOpaque: Bool { true }

  mutating func handle(_ event: InputEvent, _ app: inout AppState) -> Transition {
    switch event {
    case .key(let key): return press(key, &app)
    case .mouse(let mouse): return use(mouse, &app)
    case .interrupt:
      app.count = nil
      app.table.anchor = nil
      app.say("nothing to cancel; press q to quit")
    case .paste: app.warn("open a cell, form or prompt before pasting")
    default: break
    }
    return .stay
  }

  mutating func receive(_ message: AppMessage, _ app: inout AppState) -> Transition {
    if case .found(let row?, let text) = message {
      app.table.move(toRow: row)
      // While it is typed, a search counts nothing.
      if app.screens.last is TableScreen { app.request(.countMatches(text, row: row)) }
    }
    return .stay
  }

  func hints(_ app: AppState) -> [String] {
    guard app.table.entity != nil else { return ["help", "command", "palette", "quit"] }
    let isEmpty = app.table.extent.total == 0
    var names =
      isEmpty
      ? ["help", "add", "command", "quit"] : ["help", "search", "edit", "command", "quit"]
    if app.status.entities.count > 1 { names += ["next entity"] }
    if app.status.unsaved > 0 { names += ["save"] }
    if app.status.canUndo { names += ["undo"] }
    if app.nextToClear != nil { names += ["clear"] }
    if !app.table.marks.isEmpty { names += ["delete"] }
    let rest =
      isEmpty
      ? ["palette"] : ["filter", "sort", "add", "open", "delete", "details", "palette"]
    names += rest.filter { !names.contains($0) }
    guard app.readOnlyReason != nil else { return names }
    // What cannot be done is no hint.
    return names.filter { !["edit", "save", "undo", "add", "delete"].contains($0) }
  }

  private func press(_ key: Key, _ app: inout AppState) -> Transition {
    if let digit = key.typed?.wholeNumberValue, key.typed?.isASCII == true,
      digit > 0 || app.count != nil
    {
      app.count = min((app.count ?? 0) * 10 + digit, 1_000_000_000)
      return .stay
    }
    let count = app.count
    app.count = nil
    guard let command = app.keys.command(for: key, at: .table) else {
      app.warn("\(key) is not bound here; press \(helpKey(app)) for the keys")
      return .stay
    }
    if count != nil, command.name == "clear" { return .stay }
    if let count, !command.takesCount {
      app.warn("\(command.name) takes no count; press \(key) without the \(count)")
      return .stay
    }
    return app.perform(command, count)
  }

  private func helpKey(_ app: AppState) -> String {
    app.keys.keys(for: "help", at: .table).first?.description ?? ":help"
  }

  private func use(_ mouse: MouseEvent, _ app: inout AppState) -> Transition {
    switch mouse.kind {
    case .scrollDown: app.table.scroll(by: 3)
    case .scrollUp: app.table.scroll(by: -3)
    case .press, .double:
      let geometry = TableGeometry(app)
      if mouse.point.y == geometry.area.minY {
        if let column = geometry.column(at: mouse.point.x), mouse.kind == .press {
          app.table.column = column
          app.sort(byColumn: column, isFurther: false)
        }
      } else if let row = geometry.row(at: mouse.point, app.table) {
        app.table.move(toRow: row)
        if let column = geometry.column(at: mouse.point.x) { app.table.column = column }
        if mouse.kind == .double, let open = ScreenCommand.named("open", at: .table) {
          return app.perform(open, nil)
        }
      }
    case .release: break
    }
    return .stay
  }

  func draw(on canvas: inout Canvas, _ app: AppState) {
    let geometry = TableGeometry(app)
    guard app.table.entity != nil else {
      canvas.write(
        DisplayText(app.noEntityReason ?? ""),
        at: Point(x: 1, y: 0),
        width: max(0, canvas.size.columns - 1),
        role: .message
      )
      return
    }
    TableDrawing(app: app, geometry: geometry).draw(on: &canvas)
    if let details = app.layout.details { DetailsPane.draw(on: &canvas, in: details, app) }
  }
}

extension AppState {
  /// Does a command for a screen that closes with it.
  mutating func close(_ command: ScreenCommand) -> Transition {
    if case .open(let screen) = perform(command, nil) { return .replace(screen) }
    return .close
  }

  /// Does a command, or says why it cannot be done.
  mutating func perform(_ command: ScreenCommand, _ count: Int?) -> Transition {
    if let reason = command.disabledReason(self) {
      warn("\(command.name): \(reason)")
      return .stay
    }
    return command.perform(&self, count)
  }
}
