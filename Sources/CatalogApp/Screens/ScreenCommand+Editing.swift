import OpenSwiftData

extension ScreenCommand {
  private static func change(
    _ name: String,
    _ keys: [Key],
    hint: String? = nil,
    _ summary: String,
    takesCount: Bool = false,
    unless reason: @escaping @Sendable (AppState) -> String? = { _ in nil },
    _ body: @escaping @Sendable (inout AppState, Int?) -> Transition
  ) -> ScreenCommand {
    ScreenCommand(
      name,
      keys: keys,
      hint: hint,
      group: "Changing",
      summary: summary,
      takesCount: takesCount,
      disabledReason: { $0.readOnlyReason ?? reason($0) },
      perform: body
    )
  }

  /// The commands that change records, and saving.
  static let editing: [ScreenCommand] = [
    ScreenCommand(
      "open",
      keys: [.enter],
      group: "Changing",
      summary: "open the record in a form",
      disabledReason: \.noRecordReason
    ) { app, _ in
      FormScreen(editing: app).map { .open($0) } ?? .stay
    },
    change(
      "edit",
      [.character("e"), .function(2), .character("i")],
      "edit the cell, or this column of the marked records",
      unless: \.noTargetReason
    ) { app, _ in
      app.cellEditor(isEmptied: false).map { .open($0) } ?? .stay
    },
    change(
      "change",
      [.character("c")],
      "clear the cell and edit it, or this column of the marked records",
      unless: \.noTargetReason
    ) { app, _ in
      app.cellEditor(isEmptied: true).map { .open($0) } ?? .stay
    },
    change(
      "add",
      [.character("a"), .character("o")],
      "add a record in a form",
      unless: \.noFieldReason
    ) { app, _ in
      FormScreen(addingTo: app).map { .open($0) } ?? .stay
    },
    change(
      "duplicate",
      [.character("Y")],
      "duplicate the record or all marked records; after a number, that many",
      takesCount: true,
      unless: \.noTargetReason
    ) { app, count in
      app.duplicate(count: count)
      return .stay
    },
    change(
      "delete",
      [.character("d"), .character("x"), .delete],
      "delete the record or all marked records (asks first if several); after a number, that many",
      takesCount: true,
      unless: { $0.table.marks.isEmpty ? $0.noRecordReason : nil }
    ) { app, count in
      app.delete(count: count)
      return .stay
    },
    change(
      "undo",
      [.character("u"), .character("U")],
      "undo the last change; after a number, that many",
      takesCount: true
    ) { app, count in
      app.run("undo", times: count)
      return .stay
    },
    change(
      "redo",
      [.control("r")],
      "redo the last undone change; after a number, that many",
      takesCount: true
    ) { app, count in
      app.run("redo", times: count)
      return .stay
    },
    change(
      "repeat",
      [.character(".")],
      "repeat the last change on this record or the marked records; after a number, on that many",
      takesCount: true,
      unless: { $0.lastChange == nil ? "nothing to repeat" : $0.noTargetReason }
    ) { app, count in
      app.repeatLastChange(count: count)
      return .stay
    },
    change(
      "save",
      [.character("w"), .control("s")],
      "save the unsaved changes",
      unless: \.nothingToSaveReason
    ) { app, _ in
      app.run("save")
      return .stay
    },
    change(
      "edit outside",
      [.character("E")],
      "edit the cell in $VISUAL or $EDITOR, or this column of the marked records",
      unless: \.noTargetReason
    ) { app, _ in
      guard let screen = app.cellEditor(isEmptied: false) else { return .stay }
      app.request(.edit(screen.field.editor.text))
      return .open(screen)
    },
    ScreenCommand(
      "mark",
      keys: [.space],
      group: "Marking",
      summary: "mark or unmark the record; after a number, that many",
      takesCount: true,
      disabledReason: \.noRecordReason
    ) { app, count in
      app.toggleMark(count: count)
      return .stay
    },
    ScreenCommand(
      "mark range",
      keys: [.character("V")],
      group: "Marking",
      summary: "start a range; press again to mark it",
      disabledReason: \.noRecordReason
    ) { app, _ in
      app.markRange()
      return .stay
    },
    ScreenCommand(
      "mark all",
      keys: [.character("*")],
      group: "Marking",
      summary: "mark or unmark all shown records",
      disabledReason: \.noRecordReason
    ) { app, _ in
      app.request(.identify(0..<app.table.extent.count))
      return .stay
    },
  ]
}

extension AppState {
  /// Why there is nothing to list.
  var noEntityReason: String? {
    guard table.entity == nil else { return nil }
    return readOnlyReason == nil
      ? "no entities yet; create one with :entity create NAME FIELD:TYPE … or :import FILE into NAME"
      : "no entities; \(readOnlyReason ?? "")"
  }

  /// What a table without a record says.
  var noRecordsText: String {
    readOnlyReason.map { "no records; \($0)" }
      ?? "no records; press \(keys.keys(for: "add", at: .table).first?.description ?? ":insert") to add one, or :import FILE"
  }

  /// Why no record can have a value.
  var noFieldReason: String? {
    guard let entity = table.entity, entity.fields.isEmpty else { return noEntityReason }
    return
      "\(entity.name) has no fields yet; add one with :field add \(CommandLine.quoted(entity.name)) NAME:TYPE"
  }

  /// Why a save has nothing to do.
  var nothingToSaveReason: String? {
    guard status.unsaved == 0, !status.isUnwritten else { return nil }
    return status.isLasting
      ? "no unsaved changes" : "nothing to save; use :saveas FILE to write the records to a file"
  }

  /// Why no record is meant.
  var noRecordReason: String? {
    noEntityReason ?? (table.currentRow == nil ? "no record selected" : nil)
  }

  /// Why no value is meant.
  var noValueReason: String? {
    if let reason = noRecordReason { return reason }
    if table.currentRow?.pending == .deleted { return "deleted record; press u to undo" }
    return table.currentValue == nil ? "no value selected" : nil
  }

  /// Why no record can be changed, neither a marked one nor the one under the cursor.
  var noTargetReason: String? { table.marks.isEmpty ? noValueReason : noFieldReason }

  // MARK: Changing

  /// The line that sets a field of a record; nil as text makes it null.
  static func setLine(
    _ identifier: PersistentIdentifier,
    _ assignments: [(attribute: String, text: String?)]
  ) -> String {
    let words = assignments.map { Assignment.word($0.attribute, $0.text) }
    return (["set", CommandLine.quoted(identifier.description)] + words).joined(separator: " ")
  }

  /// What edits the cell under the cursor, or its column in the marked records.
  func cellEditor(isEmptied: Bool) -> (any CellEditor)? {
    table.marks.isEmpty
      ? CellEditScreen(self, isEmptied: isEmptied) : MarkedEditScreen(self, isEmptied: isEmptied)
  }

  mutating func duplicate(count: Int? = nil) {
    lastChange = .duplicate
    act(RecordAction(line: "duplicate", verb: "duplicate", then: .goToNew), count: count)
  }

  mutating func delete(count: Int? = nil) {
    lastChange = .delete
    act(RecordAction(line: "delete", verb: "delete", asksAboveOne: true), count: count)
  }

  mutating func repeatLastChange(count: Int? = nil) {
    switch lastChange {
    case .delete: delete(count: count)
    case .duplicate: duplicate(count: count)
    case .set(let attribute, let text):
      let line = "set " + Assignment.word(attribute, text)
      act(RecordAction(line: line, verb: "set \(attribute) of"), count: count)
    case nil: break
    }
  }

  /// Does a line so many times, each of them one step.
  mutating func run(_ line: String, times count: Int?) {
    for _ in 0..<min(count ?? 1, Self.mostSteps) { run(line) }
  }

  /// More steps than these nobody means to count.
  private static let mostSteps = 100

  // MARK: Marking

  mutating func toggleMark(count: Int? = nil) {
    guard let row = table.currentRow else { return }
    if let count {
      request(.identify(table.row..<table.row + count))
    } else if row.pending == .deleted {
      return warn("deleted record; press u to undo")
    } else {
      table.marks.toggle([row.identifier])
    }
    table.move(toRow: table.row + (count ?? 1))
  }

  mutating func markRange() {
    guard let anchor = table.anchor else {
      table.anchor = table.row
      say("range started; move to the other end and press V")
      return
    }
    table.anchor = nil
    request(.identify(min(anchor, table.row)..<max(anchor, table.row) + 1))
  }
}

/// One `FIELD=VALUE` of a command line.
enum Assignment {
  /// Writes it so that the line is split into it again; nil makes the field null.
  static func word(_ attribute: String, _ text: String?) -> String {
    var name = ""
    for scalar in attribute.unicodeScalars {
      let isPlain =
        scalar.value >= 0x80 || scalar == "_" || scalar == "-" || scalar == "."
        || (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      if !isPlain { name += "\\" }
      name.unicodeScalars.append(scalar)
    }
    return name + "=" + (text.map(CommandLine.quoted) ?? "")
  }
}
