import OpenSwiftData

extension AppState {
  /// Takes note of how a command line went.
  mutating func take(_ report: CommandReport) {
    let next = afterRun
    afterRun = nil
    let entitiesChanged = status.entities != report.status.entities
    status = report.status
    table.window.isStale = true
    if !report.remapped.isEmpty {
      table.marks = Set(table.marks.map { report.remapped[$0] ?? $0 })
    }
    if let extent = report.extent { table.extent = extent }
    if entitiesChanged { adoptEntities() }
    if report.extent == nil || entitiesChanged { requery() }
    switch report.answer {
    case .failed(let text): fail(text)
    case .question(let question, let details):
      screens.append(ChoiceScreen.confirm(question, details, line: report.line))
    case .done(let text):
      say(text)
      if let warning = report.warning { warn(warning) }
    case .lines(let lines) where next == .goToNew && lines.count == 1: say("added \(lines[0])")
    case .lines where report.conflicts?.isEmpty == false: break
    case .lines where report.conflicts != nil: say("there are no conflicts")
    case .lines(let lines): show(lines, of: report.line)
    case .quit(let isDiscarding): quit(isDiscarding: isDiscarding)
    }
    if let conflicts = report.conflicts, !conflicts.isEmpty,
      !screens.contains(where: { $0 is ConflictScreen })
    {
      screens.append(ConflictScreen(conflicts))
    }
    if report.isOutcomeUnknown { screens.append(ChoiceScreen.unknownOutcome(status)) }
    if case .failed = report.answer { return }
    switch next {
    case .quit: request(.quit(0))
    case .open(let location): request(.open(location))
    case .goToNew: if let row = report.appearedAt { table.move(toRow: row) }
    case nil:
      // What undo brings back is looked at first.
      if let row = report.appearedAt, ["undo", "redo"].contains(report.line) {
        table.move(toRow: row)
      }
    }
  }

  /// Goes on with the schema as it is now.
  mutating func adoptEntities() {
    let name = table.entity?.name
    let entity = status.entities.first { $0.name == name } ?? status.entities.first
    if table.entity != entity { table = TableState(entity: entity) }
  }

  private mutating func show(_ lines: [String], of line: String) {
    if lines.count > 1 {
      screens.append(TextScreen(title: line, lines: lines))
    } else {
      say(lines.first ?? "")
    }
  }

  /// Ends the program, unless something would be lost without a word.
  mutating func quit(isDiscarding: Bool) {
    if isDiscarding || status.unsaved == 0 {
      request(.quit(0))
    } else {
      screens.append(ChoiceScreen.quit(status))
    }
  }

  /// Leaves for another store, unless something would be lost without a word.
  mutating func open(_ location: String) {
    if status.unsaved == 0 {
      request(.open(location))
    } else {
      screens.append(ChoiceScreen.open(location, status))
    }
  }
}
