import OpenSwiftData

extension TableScreen {
  /// Receives the result of an effect, and returns the screen to open, if there is one.
  mutating func receive(_ message: AppMessage, _ host: inout TableHost) -> (any Screen)? {
    switch message {
    case .answer(let answer): return receive(answer, &host)
    case .refreshed(let status, let note, let warning, let gone, _, let changed):
      host.table.noteChanges(of: changed)
      takeChanges(status, note: note, warning: warning, gone, &host)
    default: break
    }
    return nil
  }

  /// Receives the answer to a question of the table, and returns the screen to open, if there is one.
  private mutating func receive(_ answer: AnyAnswer, _ host: inout TableHost) -> (any Screen)? {
    if let (question, found) = answer.to(QueryList.self) { take(found, of: question.spec, &host) }
    if let (_, found) = answer.to(ReadRows.self), case .unreadable(let reason) = found {
      host.failReading(reason)
    }
    if let (question, found) = answer.to(ReadRows.self), case .rows(let rows) = found {
      host.table.take(rows, from: question.rows.lowerBound)
    }
    if let counted = answer.to(CountOn.self)?.answer ?? answer.to(CountToRow.self)?.answer {
      take(counted, &host)
    }
    if let (question, groups) = answer.to(CountGroups.self), question.field == host.table.group {
      host.table.groups.counts = groups
    }
    if let (question, found) = answer.to(FindTitle.self),
      question.entity == host.table.entity?.name
    {
      host.table.take(title: found.column)
    }
    if let (question, found) = answer.to(SearchRows.self) {
      if !host.table.isAwaitingList { host.table.extent = found.extent }
      take(found.row, question.text, found.folded, &host)
    }
    if let (_, count) = answer.to(CountMatches.self) { host.table.matches = count }
    if let (question, found) = answer.to(Locate.self) {
      take(located: question.record, found.row, found.extent, &host)
    }
    if let (question, members) = answer.to(ListMembers.self) {
      takeMembers(of: question.column, members, &host)
    }
    if let (_, problem) = answer.to(CheckPaths.self) { host.warn(problem) }
    return receiveRecords(answer, &host)
  }

  /// Receives what was asked about the selected records.
  private func receiveRecords(_ answer: AnyAnswer, _ host: inout TableHost) -> (any Screen)? {
    if let (_, records) = answer.to(Identify.self) {
      host.table.marks.toggle(records)
      host.say(host.table.marks.text)
    }
    if let (_, copied) = answer.to(CopyMarked.self) {
      host.say(copied.note)
      host.request(.copy(copied.text))
    }
    if let (question, found) = answer.to(ChooseRecords.self) {
      return take(question.action, found.records, found.labels, &host)
    }
    if let (question, found) = answer.to(ReadMarked.self),
      let field = host.table.entity?.fieldsByName[question.field]
    {
      return MarkedLinesScreen(field, found, &host.screen)
    }
    return nil
  }

  /// Shows another list, or keeps the one that is there.
  private mutating func take(
    _ answer: QueryList.Reply,
    of spec: QuerySpec,
    _ host: inout TableHost
  ) {
    switch answer {
    case .listed(let extent, let cursor, let marks, let heads):
      host.table.take(
        extent,
        of: spec,
        cursor: cursor,
        heads: heads,
        undoableSteps: host.status.undoableSteps
      )
      take(marks, &host)
      if host.table.needsTitle { host.ask(FindTitle(entity: spec.entityName)) }
      host.table.groups.counts = nil
      countGroups(&host)
      // While a filter is typed, nothing delays the next list.
      if !host.screen.isShown(.refusedFilter) { host.screen.countMatchesAgain() }
      countOn(&host)
    case .refused(let problem):
      if host.table.leaveFilter() { host.requery() }
      if !host.screen.isShown(.refusedFilter) { host.fail(problem.sentence) }
    case .stopped(let listed):
      if host.table.entity?.name == listed { keepList(&host) } else { goBack(to: listed, &host) }
    case .failed(let reason):
      host.table.forgetAwaitedLists()
      countOn(&host)
      host.failReading(reason)
    }
  }

  private func take(_ counted: CountedList, _ host: inout TableHost) {
    // The list that is awaited will be counted, not the former one.
    if host.table.isAwaitingList { return }
    host.table.extent = counted.extent
    if let cursor = counted.cursor { host.table.move(toRow: cursor) }
    if let marks = counted.marks { take(marks, &host) }
    countOn(&host)
  }

  /// Keeps the list whose change was stopped.
  private func keepList(_ host: inout TableHost) {
    let wanted = host.table.spec
    host.table.returnToListed()
    countOn(&host)
    // What a command has done before stays done, unlike a change of the list itself.
    let isUndone = host.table.spec != wanted
    let notice = isUndone ? nil : host.messages.notice
    let done = notice.map { $0.kind == .information ? $0.text + "; " : "" } ?? ""
    let what = done.isEmpty ? "canceled" : "listing canceled"
    host.warn(done + what + "; the list is unchanged")
  }

  /// Shows the entity of the list again, because listing another one was stopped.
  private func goBack(to listed: String, _ host: inout TableHost) {
    let name = host.table.entity?.name ?? ""
    if let former = views[listed], host.status.entities.contains(where: { $0.name == listed }) {
      host.table = former
      keepList(&host)
    } else {
      host.table.forgetAwaitedLists()
    }
    host.warn("canceled; \(name) is not listed")
  }

  /// Requests counting the rest of the list.
  private func countOn(_ host: inout TableHost) {
    if !host.table.extent.isExact { host.ask(CountOn()) }
  }

  /// Moves the cursor to the row that a search found, and unfolds its group unless the search is being typed.
  private func take(_ row: Int?, _ text: String, _ folded: FoldedMatch?, _ host: inout TableHost) {
    // The result of an abandoned search does not move the cursor.
    guard text == host.table.search else { return }
    // While the search is being typed, its prompt reports the result and nothing is counted.
    let isShown = host.screen.isShown(.match)
    if let row {
      host.table.move(toRow: row)
      if isShown { return }
      if let folded { return host.screen.unfold(folded) }
      host.ask(CountMatches(text: text, row: row))
    } else if !isShown {
      host.warn("no match for \(Value.quoted(text))")
    }
  }

  /// Shows the changes of another program.
  private func takeChanges(
    _ status: StoreStatus,
    note: String,
    warning: String?,
    _ gone: Set<PersistentIdentifier>,
    _ host: inout TableHost
  ) {
    let isCursorGone = host.table.currentRow.map { gone.contains($0.identifier) } ?? false
    let note = note + (isCursorGone ? "; the current record was deleted" : "")
    adopt(status, &host)
    host.forgetDetails()
    host.requery()
    if let warning {
      host.tell(note + warning, as: .warning)
    } else if host.messages.notice.map({ $0.kind == .information || $0.endsWithReading }) ?? true {
      // An important message must not be replaced.
      host.tell(note)
    }
  }

  // MARK: Instructions

  /// Updates the table with the result of an instruction.
  mutating func take(_ report: CommandReport, _ host: inout TableHost) {
    host.table.window.isStale = true
    host.forgetDetails()
    host.table.matches = nil
    follow(report.remapped, &host)
    host.table.marks.follow(
      deleted: report.deleted,
      restored: report.restored,
      hidden: report.hidden
    )
    if let extent = report.extent {
      if extent.count < host.table.extent.count { host.table.anchor = nil }
      host.table.extent = extent
    }
    report.note(in: &host.table)
    if let row = report.cursorAt { host.table.move(toRow: row) }
    let hasNewEntities = adopt(report.status, &host)
    if report.extent == nil || hasNewEntities {
      host.requery()
    } else {
      countGroups(&host)
      host.screen.countMatchesAgain()
    }
  }

  /// Moves the cursor to the new record, and remembers its previous record.
  mutating func goToNew(_ report: CommandReport, _ host: inout TableHost) {
    guard let row = report.appearedAt else { return }
    if let new = report.appeared, let here = host.table.currentRow?.identifier, here != new {
      arrivals[new] = here
    }
    host.table.move(toRow: row)
  }

  /// Replaces identifiers that a save replaced.
  private mutating func follow(_ remapped: IdentifierMap, _ host: inout TableHost) {
    guard !remapped.isEmpty else { return }
    host.table.marks.replace(remapped)
    for name in views.keys.sorted() { views[name]?.marks.replace(remapped) }
    for place in trail.indices {
      trail[place].record = remapped[trail[place].record] ?? trail[place].record
    }
    arrivals = Dictionary(
      arrivals.map { (remapped[$0.key] ?? $0.key, remapped[$0.value] ?? $0.value) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Updates the status, and the table to the current schema.
  ///
  /// - Returns: True if the entities have changed.
  @discardableResult
  private func adopt(_ status: StoreStatus, _ host: inout TableHost) -> Bool {
    let hasNewEntities = host.status.entities != status.entities
    host.status = status
    guard hasNewEntities else { return false }
    let name = host.table.entity?.name
    let entity = status.entity(named: name)
    guard host.table.entity != entity else { return true }
    if let entity, entity.name == name {
      host.table = host.table.adopting(entity, in: host.screen.schema)
      if let problem = host.table.problem {
        host.messages.alarm = Notice(kind: .warning, text: problem)
      }
    } else {
      host.table = TableState(entity: entity)
    }
    return true
  }
}
