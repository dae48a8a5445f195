import OpenSwiftData

extension AppState {
  /// Updates the state with the result of an instruction.
  mutating func take(_ report: CommandReport) {
    let entitiesChanged = status.entities != report.status.entities
    status = report.status
    table.window.isStale = true
    table.matches = nil
    follow(report.remapped)
    table.marks.follow(
      deleted: report.deleted,
      restored: report.restored,
      hidden: report.hidden
    )
    if let extent = report.extent {
      if extent.count < table.extent.count { table.anchor = nil }
      table.extent = extent
    }
    if let row = report.cursorAt { table.move(toRow: row) }
    if entitiesChanged { adoptEntities() }
    if report.extent == nil || entitiesChanged { requery() }
    take(report.answer, report)
    if let conflicts = report.conflicts, !conflicts.isEmpty,
      !screens.contains(where: { $0 is ConflictScreen })
    {
      screens.append(ConflictScreen(conflicts))
    }
    if report.isOutcomeUnknown { screens.append(ChoiceScreen.unknownOutcome(status)) }
    if case .failed = report.answer { return }
    switch report.request?.then {
    case .quit: quit(isDiscarding: false)
    case .open(let location): open(location)
    case nil:
      if report.request?.instruction.value.showsNewRecord == true { goToNew(report) }
    }
  }

  private mutating func take(_ answer: CommandReport.Answer, _ report: CommandReport) {
    switch answer {
    case .failed(let text): fail(text)
    case .question(let question, let details):
      guard let request = report.request else { return }
      screens.append(ChoiceScreen.confirm(question, details, request))
    case .done(let text):
      say(text)
      if let warning = report.warning { warn(warning) }
    case .lines(let lines) where report.request?.instruction.value.showsNewRecord == true:
      say("added \(lines.count == 1 ? lines[0] : Session.counted(lines.count))")
    case .lines where report.conflicts?.isEmpty == false: break
    case .lines where report.conflicts != nil: say("no conflicts")
    case .lines(let lines):
      let title = report.request?.title ?? ""
      show(lines, of: title + (report.scope.map { " · \($0)" } ?? ""))
    case .quit(let isDiscarding): quit(isDiscarding: isDiscarding)
    case .screen(let request): perform(request)
    }
  }

  /// Performs the request of a typed command to the screen.
  private mutating func perform(_ request: ScreenRequest) {
    switch request {
    case .filter(let input):
      table.filter = input
      requery()
    case .sort(let keys):
      table.sort = keys
      requery()
    case .show(let name):
      if let entity = status.entities.first(where: { $0.name == name }) { show(entity: entity) }
    case .move(let row): table.move(toRow: row)
    case .open(let location): open(location)
    case .saveAndQuit:
      if status.unsaved == 0 {
        quit(isDiscarding: status.isLasting)
      } else {
        perform(Save(), then: .quit)
      }
    case .help: screens.append(TextScreen.help(self, from: TableAction.place))
    }
  }

  /// Moves the cursor to the new record, and remembers its previous record.
  private mutating func goToNew(_ report: CommandReport) {
    guard let row = report.appearedAt else { return }
    if let new = report.appeared, let here = table.currentRow?.identifier, here != new {
      arrivals[new] = here
    }
    table.move(toRow: row)
  }

  /// Replaces identifiers that a save replaced.
  private mutating func follow(_ remapped: IdentifierMap) {
    guard !remapped.isEmpty else { return }
    table.marks.replace(remapped)
    for name in views.keys.sorted() { views[name]?.marks.replace(remapped) }
    arrivals = Dictionary(
      arrivals.map { (remapped[$0.key] ?? $0.key, remapped[$0.value] ?? $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Updates the state to the current schema.
  mutating func adoptEntities() {
    let name = table.entity?.name
    let entity = status.entities.first { $0.name == name } ?? status.entities.first
    guard table.entity != entity else { return }
    if let entity, entity.name == name {
      table = table.adopting(entity)
    } else {
      table = TableState(entity: entity)
    }
  }

  private mutating func show(_ lines: [String], of line: String) {
    if lines.count > 1 {
      notice = nil
      screens.append(TextScreen(title: line, lines: lines))
    } else {
      say(lines.first ?? "")
    }
  }

  /// Ends the program, or asks first if changes would be lost.
  mutating func quit(isDiscarding: Bool) {
    if isDiscarding || !status.isLossy {
      request(.quit(0))
    } else {
      screens.append(ChoiceScreen.quit(status))
    }
  }

  /// Opens another store, or asks first if changes would be lost.
  mutating func open(_ location: String) {
    if !status.isLossy {
      request(.open(location))
    } else {
      screens.append(ChoiceScreen.open(location, status))
    }
  }
}
