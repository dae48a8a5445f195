import OpenSwiftData

/// The columns of the table, as keys, commands and the mouse change them.
extension TableScreen {
  /// Performs a request, and returns the screen to open, if there is one.
  func arrange(_ request: ColumnRequest, _ host: inout TableHost) -> (any Screen)? {
    switch request {
    case .list:
      host.ask(DescribeColumns())
      return ColumnsScreen(host.screen)
    case .expand(let text): expand(text, &host)
    case .compute, .remove: compute(request, &host)
    default:
      if let problem = host.table.change(request) {
        host.warn(problem)
      } else if let note = Self.note(on: request, host.table, width: host.screen.columnsWidth) {
        host.say(note)
      }
      if case .show(let column) = request, column.path != nil {
        host.ask(CheckPaths(paths: [column.name]))
      }
    }
    return nil
  }

  /// Shows a computed column, or removes one, and lists the records again if that depends on it.
  private func compute(_ request: ColumnRequest, _ host: inout TableHost) {
    if let problem = host.table.change(request) { return host.warn(problem) }
    if host.table.filter.isActive {
      let input = host.screen.filterInput(host.table.filter.text)
      if input.problem == nil { host.table.filter = input }
    }
    if host.table.filter.isActive || !host.table.sort.isEmpty || host.table.group != nil {
      host.requery()
    }
    switch request {
    case .compute(let column, _):
      host.say(column.expression.map { ColumnDefinition.text(column.name, $0) } ?? "")
    case .remove(let name): host.say("removed the column \(name)")
    default: break
    }
  }

  /// What to report about a request that was performed; nil if the table shows it well enough.
  private static func note(on request: ColumnRequest, _ table: TableState, width: Int) -> String? {
    switch request {
    case .hide:
      let count = table.arrangement.columns.count(where: \.isHidden)
      return count > 0 ? "\(counted(count, "column")) hidden; press C to list all" : nil
    case .freeze(let text, _):
      let name = text.flatMap { table.arrangement.name(typed: $0) } ?? table.currentColumn?.name
      guard let name, let column = table.arrangement[name] else { return nil }
      guard column.isFrozen else { return "\(name) scrolls" }
      let stuck = table.stuckColumns(before: table.columns.count, width: width)
      return column.isHidden || stuck.contains { table.columns[$0.index].name == name }
        ? "\(name) stays on the screen when the columns scroll"
        : "\(name) is frozen, but does not fit; narrow the frozen columns with ["
    case .format(let text, let format):
      let name = text ?? table.currentColumn?.name ?? ""
      return
        "\(name): shown \(format.isPlain ? "as stored" : format.text); the values stay as they are"
    case .reset: return "columns as at first"
    default: return nil
    }
  }

  /// Adds the columns inside a field.
  private func expand(_ text: String?, _ host: inout TableHost) {
    let table = host.table
    let name = text.map { table.arrangement.name(typed: $0) ?? $0 } ?? table.currentColumn?.name
    guard let name else { return host.warn("no column") }
    guard let column = table.columns.first(where: { $0.name == name }) else {
      return host.warn("no column \(Value.quoted(name)) is shown")
    }
    if let reason = column.noMembersReason { return host.warn(reason) }
    host.ask(ListMembers(column: name))
  }

  /// Shows the members that were found in a column.
  func takeMembers(of column: String, _ members: [TableColumn], _ host: inout TableHost) {
    guard !members.isEmpty else {
      return host.warn("\(column): no members in the records read")
    }
    host.table.show(members, after: column)
    // The members stand for the object; the title of a linked record stays beside its fields.
    if host.table.columns.contains(where: { $0.name == column && $0.attribute.type == .json }) {
      _ = host.table.change(.hide(column))
    }
    host.say("\(column): \(counted(members.count, "column")) added; press ) to remove them")
  }
}
