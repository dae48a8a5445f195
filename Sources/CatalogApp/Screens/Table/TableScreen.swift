import OpenSwiftData

/// The records of an entity as a table, the lowest layer.
///
/// Only this screen is handed the `TableHost`. It receives the result of each effect before the screens
/// above it. It cannot be closed: its functions return the screen to open above it, if there is one.
struct TableScreen: Layer {
  /// The number typed before a command.
  private var count = TypedCount()
  /// The column whose border is being dragged.
  var resize = ColumnResizing()
  /// The last click on the header, if nothing else was done since.
  var headerClicks = HeaderClicks()
  /// The saved tables of other entities.
  var views: [String: TableState] = [:]
  /// The views that are kept, as they were when the store was opened or a view was saved.
  var book = ViewBook()
  /// The records from which links were followed, the last one last.
  var trail: [WayBack] = []
  /// For each new record, the record under the cursor before it moved there.
  var arrivals: [PersistentIdentifier: PersistentIdentifier] = [:]

  var place: KeyPlace { TableAction.place }
  var isOpaque: Bool { true }

  /// Handles an event while no screen is open above the table.
  mutating func handle(_ event: InputEvent, _ host: inout TableHost) -> (any Screen)? {
    switch event {
    case .key(let key):
      headerClicks = HeaderClicks()
      return press(key, &host)
    case .mouse(let mouse): return use(mouse, &host)
    case .interrupt:
      count = TypedCount()
      host.table.anchor = nil
      if host.screen.isPicking { return host.screen.cancelPicking() }
      host.say("nothing to cancel; press q to quit")
    case .paste: host.warn("open a cell, form or prompt before pasting")
    default: break
    }
    return nil
  }

  private mutating func press(_ key: Key, _ host: inout TableHost) -> (any Screen)? {
    if count.take(key) { return nil }
    let count = count.use()
    if host.screen.keys.lines[key] != nil {
      if let count {
        host.warn("\(key) takes no count; press \(key) without the \(count)")
      } else {
        host.screen.press(key)
      }
      return nil
    }
    guard let action: TableAction = host.screen.keys.action(for: key) else {
      host.warn("\(key) is not bound here; press \(helpKey(host.screen)) for the keys")
      return nil
    }
    if count != nil, action == .clear { return nil }
    if let count, !action.binding.takesCount {
      host.warn("\(action.rawValue) takes no count; press \(key) without the \(count)")
      return nil
    }
    return perform(action, count: count, &host)
  }

  /// True while a number is typed for the next key.
  var isCounting: Bool { count.value != nil }

  private func helpKey(_ host: ScreenHost) -> String {
    host.keys.keys(for: TableAction.help).first?.description ?? ":help"
  }

  private mutating func use(_ mouse: MouseEvent, _ host: inout TableHost) -> (any Screen)? {
    if host.screen.layout.details?.contains(mouse.point) == true,
      ![.drag, .release].contains(mouse.kind)
    {
      return DetailsScreen(host.screen, using: mouse)
    }
    switch mouse.kind {
    case .scrollDown: host.table.scroll(by: 3)
    case .scrollUp: host.table.scroll(by: -3)
    case .menu: return openMenu(at: mouse.point, &host)
    case .drag: resize.drag(to: mouse.point.x, &host)
    case .press, .double:
      let geometry = TableGeometry(host.screen)
      if let entity = TabLine.entity(at: mouse.point, host.screen) {
        show(entity, &host)
      } else if mouse.point.y == geometry.area.minY {
        useHeader(mouse, geometry, &host)
      } else if let row = geometry.row(at: mouse.point, host.table) {
        headerClicks = HeaderClicks()
        host.table.move(toRow: row)
        if let column = geometry.column(at: mouse.point.x) { host.table.column = column }
        if mouse.kind == .double { return perform(.open, &host) }
      }
    case .release: resize.end()
    }
    return nil
  }

  // MARK: Drawing

  func hints(_ host: ScreenHost) -> [any KeyAction] { actions(host) }

  func ownHints(_ host: ScreenHost) -> [Answer] {
    host.keys.lines.keys.map { key in
      Answer(keys: key.description, word: host.keys.lines[key]?.joined(separator: "; ") ?? "")
    }
  }

  /// The actions to show as hints: only those that are possible.
  private func actions(_ host: ScreenHost) -> [TableAction] {
    if host.macros.isRecording { return [.record, .help, .search, .edit, .command, .undo] }
    return wantedActions(host).filter { action in
      guard action.disabledReason(host) != nil else { return true }
      // The hints stay as they are while rows are being read.
      return host.readOnlyReason == nil && action.needsRecord && host.isReadingRow
    }
  }

  /// The actions that help most where the cursor is, possible or not.
  private func wantedActions(_ host: ScreenHost) -> [TableAction] {
    guard host.table.entity != nil else { return [.help, .command, .palette, .quit] }
    let isEmpty = host.table.extent.total == 0
    var actions: [TableAction] =
      isEmpty ? [.help, .add, .command, .quit] : [.help, .search, .filter, .edit, .command, .quit]
    if !host.table.marks.isEmpty { actions = [.edit, .delete, .copy, .clear] + actions }
    if host.table.marks.canBeCompared { actions.insert(.compare, at: 2) }
    if host.table.group != nil { actions += [.foldGroup] }
    if host.status.entities.count > 1 { actions += [.nextEntity, .entities] }
    if host.status.unsaved > 0 { actions += [.save] }
    if host.status.canUndo { actions += [.undo] }
    if host.table.nextToClear != nil { actions += [.clear] }
    let rest: [TableAction] =
      isEmpty
      ? [.palette]
      : [.sort, .mark, .group, .counts, .add, .open, .delete, .details, .columns, .palette]
        + (host.macros.last.isEmpty ? [.record] : [.play, .record])
    actions += rest
    var known: Set<TableAction> = []
    return actions.filter { known.insert($0).inserted }
  }

  func draw(on canvas: inout Canvas, _ host: ScreenHost) {
    count.draw(on: &canvas, host)
    guard host.table.entity != nil else {
      canvas.write(
        DisplayText(host.noEntityReason ?? ""),
        at: Point(x: 1, y: 0),
        width: max(0, canvas.size.columns - 1),
        role: .message
      )
      return
    }
    TabLine.draw(on: &canvas, host)
    TableDrawing(host: host, geometry: TableGeometry(host)).draw(on: &canvas)
    // A screen of its own draws it while it has the keys.
    if host.openScreens.detailsView == nil, let details = host.layout.details {
      DetailsPane.draw(on: &canvas, in: details, host)
    }
  }
}
