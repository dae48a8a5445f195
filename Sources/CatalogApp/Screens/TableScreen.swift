import OpenSwiftData

/// The records of an entity as a table; it is always the lowest layer.
struct TableScreen: Screen {
  var place: KeyPlace { TableAction.place }
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
      // Matches are not counted while the search is being typed.
      if app.screens.last is TableScreen { app.request(.countMatches(text, row: row)) }
    }
    return .stay
  }

  func hints(_ app: AppState) -> [any KeyAction] { actions(app) }

  private func actions(_ app: AppState) -> [TableAction] {
    guard app.table.entity != nil else { return [.help, .command, .palette, .quit] }
    let isEmpty = app.table.extent.total == 0
    var actions: [TableAction] =
      isEmpty ? [.help, .add, .command, .quit] : [.help, .search, .edit, .command, .quit]
    if app.status.entities.count > 1 { actions += [.nextEntity] }
    if app.status.unsaved > 0 { actions += [.save] }
    if app.status.canUndo { actions += [.undo] }
    if app.nextToClear != nil { actions += [.clear] }
    if !app.table.marks.isEmpty { actions += [.delete] }
    let rest: [TableAction] =
      isEmpty ? [.palette] : [.filter, .sort, .add, .open, .delete, .details, .palette]
    actions += rest.filter { !actions.contains($0) }
    guard app.readOnlyReason != nil else { return actions }
    // Hints show only actions that are possible.
    return actions.filter { ![.edit, .save, .undo, .add, .delete].contains($0) }
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
    guard let action: TableAction = app.keys.action(for: key) else {
      app.warn("\(key) is not bound here; press \(helpKey(app)) for the keys")
      return .stay
    }
    if count != nil, action == .clear { return .stay }
    if let count, !action.binding.takesCount {
      app.warn("\(action.rawValue) takes no count; press \(key) without the \(count)")
      return .stay
    }
    return app.perform(action, count: count)
  }

  private func helpKey(_ app: AppState) -> String {
    app.keys.keys(for: TableAction.help).first?.description ?? ":help"
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
        if mouse.kind == .double { return app.perform(.open) }
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
