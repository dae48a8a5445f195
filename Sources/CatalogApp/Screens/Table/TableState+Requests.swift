import OpenSwiftData

/// Changing the columns of the table.
extension TableState {
  /// Performs a request that needs no other data; those that open a screen or read records do nothing here.
  ///
  /// - Returns: The reason why it is not possible; nil if it was done.
  mutating func change(_ request: ColumnRequest) -> String? {
    switch request {
    case .list, .expand: return nil
    case .reset:
      arrange(as: firstArrangement)
      measureAgain()
    case .showAll: changing { $0.showAll() }
    case .showIdentifier: changing { $0.showsIdentifier = true }
    case .reveal(let text):
      return onColumn(text) { table, name in
        table.changing { $0.change(name) { $0.isHidden = false } }
        return nil
      }
    case .show(let column): show([column], after: currentColumn?.name)
    case .compute(let column, let former): return put(column, replacing: former)
    case .remove(let text): return onColumn(text) { $0.remove($1) }
    case .goTo(let text): return onColumn(text) { $0.goTo($1) }
    case .hide(let text): return hide(text)
    case .collapse(let text): return onColumn(text) { $0.collapse($1) }
    case .move(let text, let move):
      return onColumn(text) { table, name in table.move(name, move) }
    case .width(let text, let width):
      return onColumn(text) { table, name in table.setWidth(of: name, width) }
    case .freeze(let text, let isFrozen):
      return onColumn(text) { table, name in
        table.changing { $0.change(name) { $0.isFrozen = isFrozen ?? !$0.isFrozen } }
        return nil
      }
    case .format(let text, let format):
      return onColumn(text) { table, name in
        if let problem = table.arrangement[name]?.problem(with: format, of: table.entity) {
          return "\(name): \(problem)"
        }
        table.changing {
          $0.change(name) {
            $0.format = format
            $0.width = nil
          }
        }
        return nil
      }
    }
    return nil
  }

  /// Shows columns after another one, and moves the cursor to the first of them.
  mutating func show(_ added: [TableColumn], after name: String?) {
    guard let first = added.first else { return }
    changing { $0.show(added, after: name) }
    _ = goTo(first.name)
  }

  /// Runs the body with the column that a text names, or with the current one.
  private mutating func onColumn(
    _ text: String?,
    _ body: (inout TableState, String) -> String?
  ) -> String? {
    guard let text else {
      guard let name = currentColumn?.name else { return "no column" }
      return body(&self, name)
    }
    guard let name = arrangement.name(typed: text) else {
      let names = arrangement.columns.map(\.name)
      return Suggestion.message("no column", text, among: names)
    }
    return body(&self, name)
  }

  private mutating func changing(_ body: (inout ColumnArrangement) -> Void) {
    var new = arrangement
    body(&new)
    if new != arrangement { arrange(as: new) }
  }

  private mutating func goTo(_ name: String) -> String? {
    changing { $0.change(name) { $0.isHidden = false } }
    if let place = columns.firstIndex(where: { $0.name == name }) { move(toColumn: place) }
    return nil
  }

  /// Shows a computed column, and moves the cursor to it; what used it under another name uses the new one.
  private mutating func put(_ column: TableColumn, replacing former: String?) -> String? {
    if let former, former != column.name {
      guard arrangement[column.name] == nil else {
        return "\(column.name) is a column already; choose another name"
      }
      if let reason = reasonToKeep(former) { return reason }
      for place in sort.indices where sort[place].attribute == former {
        sort[place].attribute = column.name
      }
      if group == former { group = column.name }
    }
    let current = currentColumn?.name
    changing { $0.put(column, replacing: former, after: current) }
    window.isStale = true
    return goTo(column.name)
  }

  /// Why a computed column must keep its name; nil if nothing uses it.
  private func reasonToKeep(_ name: String) -> String? {
    if filter.filter.attributeNames?.contains(name) == true {
      return "the filter uses \(name); clear it first"
    }
    return arrangement.reasonToKeep(name)
  }

  /// Removes a computed column, and what is sorted or grouped by it.
  private mutating func remove(_ name: String) -> String? {
    guard arrangement[name]?.expression != nil else {
      return "\(name) is not computed; press - to hide it"
    }
    guard columns.contains(where: { $0.name != name }) else {
      return "the last column cannot be removed"
    }
    if let reason = reasonToKeep(name) { return reason }
    sort.removeAll { $0.attribute == name }
    if group == name { group = nil }
    changing { $0.remove(name) }
    return nil
  }

  private mutating func hide(_ text: String?) -> String? {
    if let text, text == entity?.identifierKey, arrangement[text] == nil {
      changing { $0.showsIdentifier = false }
      return nil
    }
    return onColumn(text) { table, name in
      guard table.columns.count > 1 || table.arrangement[name]?.isHidden == true else {
        return "the last column cannot be hidden"
      }
      table.changing { $0.change(name) { $0.isHidden = true } }
      return nil
    }
  }

  private mutating func collapse(_ name: String) -> String? {
    let field = arrangement[name]?.field ?? name
    let former = arrangement
    changing { _ = $0.collapse(field) }
    guard arrangement != former else { return "\(field) is not expanded" }
    return goTo(field)
  }

  private mutating func move(_ name: String, _ move: ColumnRequest.Move) -> String? {
    guard let place = columns.firstIndex(where: { $0.name == name }) else {
      return "\(name) is hidden; show it first"
    }
    let target =
      switch move {
      case .by(let step): place + step
      case .to(let number): number - 1
      }
    let former = columns.map(\.name)
    changing {
      $0.order(former)
      $0.move(name, to: target)
    }
    guard columns.map(\.name) == former, columns.indices.contains(target), target != place else {
      return nil
    }
    return columns[place].look.isFrozen
      ? "\(name) is frozen and comes before the others; let it scroll first, with |"
      : "the frozen columns come first"
  }

  private mutating func setWidth(of name: String, _ width: ColumnRequest.Width) -> String? {
    guard let place = columns.firstIndex(where: { $0.name == name }) else {
      return "\(name) is hidden; show it first"
    }
    let cells: Int? =
      switch width {
      case .cells(let cells): cells
      case .by(let step): self.width(of: place) + step
      case .fit: fittingWidth(of: columns[place])
      case .automatic: nil
      }
    let range = TableColumn.widths
    let clamped = cells.map { min(max($0, range.lowerBound), range.upperBound) }
    changing { $0.change(name) { $0.width = clamped } }
    return nil
  }
}
