import OpenSwiftData

extension TableScreen {
  /// Updates the marks after the list was queried.
  func take(_ standing: MarkStatus, _ host: inout TableHost) {
    host.table.anchor = nil
    host.table.marks.take(standing)
    guard !standing.gone.isEmpty else { return }
    let text = "\(counted(standing.gone.count, "marked record")) no longer exists"
    let plural = standing.gone.count == 1 ? text : text.replacing("exists", with: "exist")
    if let notice = host.messages.notice {
      host.messages.notice = Notice(kind: notice.kind, text: "\(notice.text); \(plural)")
    } else {
      host.say(plural)
    }
  }

  /// Marks the record, or the given number of records from the cursor on, or removes their marks.
  func toggleMark(count: Int?, _ host: inout TableHost) {
    guard let row = host.table.currentRow else { return }
    if let count {
      host.ask(Identify(rows: host.table.row..<host.table.row + count))
    } else if row.pending == .deleted {
      return host.warn("deleted record; press u to undo")
    } else {
      host.table.marks.toggle([row.identifier])
    }
    host.table.move(toRow: host.table.row + (count ?? 1))
  }

  /// Starts a range, or marks it.
  func markRange(_ host: inout TableHost) {
    let row = host.table.row
    guard let anchor = host.table.anchor else {
      host.table.anchor = row
      host.say("range started; move to the other end and press V")
      return
    }
    host.table.anchor = nil
    host.ask(Identify(rows: min(anchor, row)..<max(anchor, row) + 1))
  }
}
